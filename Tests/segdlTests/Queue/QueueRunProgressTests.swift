import SegmentedDL
import SystemPackage
import Testing

@testable import SegmentedDLQueue
@testable import segdl

@Suite("The tally of a queue's run")
struct QueueRunProgressTests {
    @Test("a download that failed twice counts once, as in the list")
    func failedTwice() throws {
        let progress = QueueRunProgress()
        var receipt = Receipt(
            QueueRecord(
                id: id(7), source: try Source("https://example.com/file.iso"),
                destination: .directory("out"), added: screenNow))
        receipt.state = .failed
        receipt.failure = Receipt.Failure(DownloadError(.ioFailed, "It failed."))
        for _ in 0..<2 { _ = progress.change(receipt) }
        var queue = QueueProgress()
        queue.counts = [.failed: 3, .cancelled: 1, .queued: 1]
        let overall = progress.snapshot([], queue).overall
        #expect(overall.failed == 3 && overall.cancelled == 1 && overall.files == 5)
    }
}

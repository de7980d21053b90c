import SegmentedDL
import Testing

@testable import segdl

@Suite("The summary of many files")
struct SummaryRendererTests {
    private let recorder = Recorder()
    private let now = Adjustable(Duration.zero)

    private func renderer() -> SummaryRenderer {
        let now = now
        return SummaryRenderer(PlainRenderer(output: recorder.output, ascii: false), isRedrawn: false) {
            now.value
        }
    }

    private func file(_ state: DownloadState) -> FileSnapshot {
        snapshot(0, progress(state, name: "disk.iso", done: 1 << 20, total: 4 << 20, speed: 1_048_576))
    }

    @Test("comes every ten seconds in a log, and tells of failures only")
    func lines() throws {
        var summary = renderer()
        let files = [file(.downloading), file(.completed), file(.failed)]
        for second in 0..<25 {
            now.value = .seconds(second)
            summary.update(Overall(files), files)
        }
        #expect(recorder.lines.count == 2)
        #expect(recorder.lines.first?.hasPrefix("1 of 3 files, 1 failed, 2.00 MiB, ") == true)
        let checksum = try Checksum(.md5, String(repeating: "0", count: 32))
        summary.finished(file(.completed), outcome: .verified(checksum, wasExpected: true))
        #expect(recorder.lines.count == 2)
        summary.finished(file(.failed), outcome: .failed(message: "disk.iso: no", code: 0, exitStatus: 4))
        #expect(recorder.lines.last == "failed: disk.iso: no")
        summary.end(Overall(files))
        #expect(recorder.lines.last?.hasPrefix("1 of 3 files completed, 1 failed") == true)
    }
}

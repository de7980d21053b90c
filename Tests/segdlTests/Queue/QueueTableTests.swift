import SegmentedDL
import SystemPackage
import Testing

@testable import SegmentedDLQueue
@testable import segdl

@Suite("The lines of the queue's list")
struct QueueTableTests {
    private func receipt(_ state: DownloadState) throws -> Receipt {
        var receipt = Receipt(
            QueueRecord(
                id: id(7), source: try Source("https://example.com/file.iso"),
                destination: .directory("out"), added: screenNow))
        receipt.state = state
        return receipt
    }

    @Test("a running download has its speed, the remaining time, and its bottleneck")
    func running() throws {
        var receipt = try receipt(.downloading)
        (receipt.bytesPerSecond, receipt.secondsRemaining) = (8_000_000, 90)
        let line = QueueTable.line(receipt)
        #expect(line.contains("https://example.com/file.iso  "))
        #expect(!line.contains("("))
        receipt.bottleneck = Bottleneck(.connectionRate, share: 1, connections: 8, bytesPerSecond: 2_097_152)
        #expect(QueueTable.line(receipt) == line + "  (The server limits each of 8 connections to 2 MiB/s.)")
    }

    @Test("a removed download has no speed, and keeps its name")
    func removed() throws {
        var receipt = try receipt(.downloading)
        (receipt.bytesPerSecond, receipt.secondsRemaining) = (8_000_000, 90)
        let line = QueueTable.line(receipt, as: "removed")
        #expect(line.hasSuffix("removed                      https://example.com/file.iso"), "\(line)")
    }

    @Test("a key is shown if a user gave it, and not if a daemon made it")
    func key() throws {
        var receipt = try receipt(.paused)
        receipt.key = "isos"
        #expect(QueueTable.line(receipt).hasSuffix("file.iso  key:isos"))
        receipt.key = "a054d0299bd5cf82"
        #expect(QueueTable.line(receipt).hasSuffix("https://example.com/file.iso"))
    }

    @Test("the bottleneck of a finished download is not shown")
    func complete() throws {
        var receipt = try receipt(.completed)
        receipt.bottleneck = Bottleneck(.line, share: 1, bytesPerSecond: 1e6)
        #expect(!QueueTable.line(receipt).contains("link is saturated"))
    }
}

import Foundation
import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import Testing

@testable import SegmentedDLServer

@Suite struct MirrorTallyTests {
    private func result(_ outcome: DownloadResult.Outcome, isReplacement: Bool = false) -> DownloadResult {
        var result = DownloadResult(
            outcome: outcome, path: "x", length: 10, bytesWritten: 10, duration: .zero, connections: 1)
        result.isReplacement = isReplacement
        result.bytesReceived = outcome == .downloaded ? 10 : 0
        return result
    }

    @Test("files are counted by outcome, and changes are named")
    func kinds() throws {
        var tally = MirrorTally()
        tally.complete(try RelativePath("a"), result(.downloaded))
        tally.complete(try RelativePath("b"), result(.downloaded, isReplacement: true))
        tally.complete(try RelativePath("c"), result(.skipped))
        tally.complete(try RelativePath("d"), result(.unchanged))
        tally.remove(try RelativePath("e"))
        tally.fail("f", "no")
        #expect(tally.new == 1 && tally.changed == 1 && tally.kept == 2)
        #expect(tally.removed == 1 && tally.failed == 1)
        #expect(tally.bytes == 40 && tally.bytesReceived == 20)
        #expect(tally.changes.map(\.kind) == [.new, .changed, .removed, .failed])
        #expect(tally.changes.last == MirrorChange(kind: .failed, path: "f", message: "no"))
    }

    @Test("removed files come from the report; a tally of an earlier version has none")
    func gone() throws {
        var (tally, report) = (MirrorTally(), MirrorReport())
        #expect(tally.gone == nil)
        report.gone = 3
        tally.end(report)
        #expect(tally.gone == 3)
        var stored = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(tally)) as? [String: Any])
        #expect(stored["gone"] as? Int == 3)
        stored["gone"] = nil
        let read = try JSONDecoder().decode(
            MirrorTally.self, from: JSONSerialization.data(withJSONObject: stored))
        #expect(read.gone == nil)
    }

    @Test("all changes are counted, and the first ones named")
    func bounded() throws {
        var tally = MirrorTally()
        for number in 0..<1_000 { tally.fail("\(number)", "no") }
        #expect(tally.failed == 1_000)
        #expect(tally.changes.count == MirrorTally.named)
    }
}

import SegmentedDLMirror
import Testing

@testable import segdl

@Suite("The last line of a mirror")
struct MirrorOutputTests {
    @Test("says so if the source names no file, because that may be a mistake")
    func empty() {
        var report = MirrorReport()
        #expect(MirrorOutput.words(report).contains("no file of the source counts"))
        (report.skipped, report.completed, report.bytesReceived) = (1, 1, 3 << 20)
        #expect(MirrorOutput.words(report).contains("1 fetched (3.00 MiB received), 1 kept"))
        #expect(!MirrorOutput.words(report).contains("no file of the source counts"))
    }

    @Test("is left out if the source could not be read at all")
    func notBegun() {
        var report = MirrorReport()
        (report.ending, report.failed) = (.sourceFailed, 1)
        #expect(report.hasNotBegun)
        report.completed = 1
        #expect(!report.hasNotBegun)
    }
}

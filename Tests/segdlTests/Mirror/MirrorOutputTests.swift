import SegmentedDLMirror
import Testing

@testable import segdl

@Suite("The last line of a mirror")
struct MirrorOutputTests {
    @Test("reports a source without files, because that may be a mistake")
    func empty() {
        var report = MirrorReport()
        #expect(MirrorOutput.words(report).contains("no file of the source was selected"))
        (report.skipped, report.completed, report.bytesReceived) = (1, 1, 3 << 20)
        #expect(MirrorOutput.words(report).contains("1 fetched (3.00 MiB received), 1 kept"))
        #expect(!MirrorOutput.words(report).contains("no file of the source was selected"))
    }

    @Test("of a stopped one states how many files are left, and what the next run does")
    func stopped() {
        var report = MirrorReport()
        (report.ending, report.completed, report.skipped) = (.cancelled, 2, 1)
        #expect(
            MirrorOutput.words(report, listed: 9).hasSuffix(
                "; stopped with 6 listed files not complete, run it again to resume"))
        #expect(MirrorOutput.words(report, listed: 3).hasSuffix("; stopped, run it again to resume"))
    }

    @Test("is omitted if the source could not be read at all")
    func notBegun() {
        var report = MirrorReport()
        (report.ending, report.failed) = (.sourceFailed, 1)
        #expect(report.hasNotBegun)
        report.completed = 1
        #expect(!report.hasNotBegun)
    }
}

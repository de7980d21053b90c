import SegmentedDL
import Testing

@testable import segdl

@Suite("Files with their own line")
struct FileLinesTests {
    private let done = FileOutcome.done(result())
    private let failed = FileOutcome.failed(message: "No.", code: 301, exitStatus: 3)

    @Test("are all files of a list of up to fifty", arguments: [0, 1, 50])
    func shortList(files: Int) {
        var lines = FileLines(.failuresOfLongLists, files: files)
        for outcome in [done, failed, .cancelled] { #expect(lines.shows(outcome) == true) }
        #expect(lines.stopped == nil)
        #expect((0..<4).map { _ in lines.shows(.cancelled, isBegun: false) } == [true, true, true, false])
        #expect(lines.stopped == "stopped: 1 more file at 0 B; run it again")
    }

    @Test("are only the failures of a longer one, and one line about stopped files")
    func longList() {
        var lines = FileLines(.failuresOfLongLists, files: 51)
        #expect(lines.shows(done) == false)
        #expect(lines.shows(failed) == true)
        #expect(lines.stopped == nil)
        #expect(lines.shows(.cancelled) == false)
        #expect(lines.stopped == "stopped; run it again to resume")
    }

    @Test("a list that grows beyond fifty files remains long")
    func growingList() {
        var lines = FileLines(.failuresOfLongLists)
        #expect(lines.shows(done) == true)
        lines.note(files: 51)
        #expect(lines.shows(done) == false)
        lines.note(files: 3)
        #expect(lines.shows(done) == false)
    }

    @Test("the other rules ignore the length")
    func otherRules() {
        var each = FileLines(.each, files: 1000)
        var failures = FileLines(.failures, files: 1)
        for outcome in [done, .cancelled] {
            #expect(each.shows(outcome) == true)
            #expect(failures.shows(outcome) == false)
        }
        #expect(each.shows(failed) == true)
        #expect(failures.shows(failed) == true)
    }
}

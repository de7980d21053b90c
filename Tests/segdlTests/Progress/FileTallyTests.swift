import SegmentedDL
import Testing

@testable import segdl

@Suite("The tally of a run's files")
struct FileTallyTests {
    private let done = FileOutcome.done(result(length: 100, written: 60))
    private let failed = FileOutcome.failed(message: "gone", code: 301, exitStatus: 3)

    @Test("counts each outcome, and the bytes of complete files")
    func outcomes() throws {
        var tally = FileTally(waiting: 1)
        let hashed = progress(.completed, done: 7)
        let checksum = try Checksum(.md5, String(repeating: "0", count: 32))
        tally.add(done, progress(.completed))
        tally.add(.verified(checksum, wasExpected: true), hashed)
        tally.add(failed, hashed)
        tally.add(.cancelled, hashed)
        #expect([tally.waiting, tally.completed, tally.failed, tally.cancelled] == [1, 2, 1, 1])
        #expect(tally.bytes == 107)
    }

    @Test("has the exit status of the only file, and 1 if one of several failed")
    func exitStatus() {
        var tally = FileTally()
        #expect(tally.exitStatus(of: 0) == 0)
        tally.add(done, progress(.completed))
        #expect(tally.exitStatus(of: 1) == 0)
        tally.add(failed, progress(.failed))
        #expect(tally.exitStatus(of: 1) == 3)
        #expect(tally.exitStatus(of: 2) == 1)
    }
}

import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The output of a program")
struct ProgramOutputTests {
    @Test("is complete, and a program that takes long is reported once", arguments: [true, false])
    func slow(isSlow: Bool) async throws {
        let calls = Counter()
        let output = try await ProgramOutput.read(
            "echo one; echo two", slowAfter: isSlow ? 0 : 3600, whenSlow: { _ = calls.enter() })
        #expect(String(decoding: output, as: UTF8.self) == "one\ntwo\n")
        #expect(calls.value == (isSlow ? 1 : 0))
    }

    @Test("of a program that does not end is an error")
    func endless() async {
        let error = await #expect(throws: DownloadError.self) {
            try await ProgramOutput.read("sleep 1000", within: 0.01)
        }
        #expect(error?.message == "it timed out.")
    }
}

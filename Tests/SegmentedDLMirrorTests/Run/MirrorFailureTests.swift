import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The failures in a mirror's report")
struct MirrorFailureTests {
    @Test("advise to move the bytes of another program away, which no option of a mirror continues")
    func foreignPart() async throws {
        let directory = try TemporaryDirectory()
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("a.txt")]
            // Small files need no part file.
            state.files = ["a.txt": String(repeating: "a", count: 2_000_000)]
            state.etags = ["a.txt": "\"1\""]
        }
        try directory.makeDirectory("root")
        try directory.write("mine", to: "root/a.txt.part")
        let report = try await site.mirror(MirrorJob.remembering(below: directory) { _ in }).report
        let failure = try #require(report.failures.first)
        #expect(
            failure.message.hasSuffix(
                "a.txt.part' is not an unfinished download of this program; move it away, and run the mirror again."
            ), "\(failure)")
        #expect(failure.remedy == nil)
        #expect(try directory.read("root/a.txt.part") == Array("mine".utf8))
    }

    @Test("keep the advice of other errors", arguments: DownloadError.Remedy.allCases)
    func remedies(remedy: DownloadError.Remedy) {
        let error = DownloadError(.badPath, "'a; b' is x; do y, or start over.").remedied(by: remedy)
        let failure = MirrorReport.Failure(error)
        if remedy == .takeOver || remedy == .startOver {
            #expect(failure.message == "'a; b' is x; move it away, and run the mirror again.")
            #expect(failure.remedy == nil)
        } else {
            #expect(failure.message == error.message && failure.remedy == remedy)
        }
    }
}

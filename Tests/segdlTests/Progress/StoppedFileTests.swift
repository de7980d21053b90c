import Testing

@testable import SegmentedDL
@testable import segdl

@Suite("A stopped file")
struct StoppedFileTests {
    @Test("promises to resume only if the next run can")
    func resumes() {
        var file = halfway()
        #expect(OutcomeText.line(file, .cancelled, ascii: true).hasSuffix("; run it again to resume"))
        file.progress.isResumable = false
        let line = OutcomeText.line(file, .cancelled, ascii: true)
        #expect(line.hasSuffix("; run it again; it will start over"))
    }
}

import Testing

@testable import segdl

@Suite struct TextOutputTests {
    @Test func aDeadDescriptorIsIgnored() {
        // -1 is never open: a write that tried for ever would hang here.
        TextOutput(descriptor: -1).write("nobody reads this")
    }

    @Test func sinksGetWholeTexts() {
        let recorder = Recorder()
        recorder.output.write("a\nb")
        recorder.output.write("")
        #expect(recorder.writes == ["a\nb", ""])
    }
}

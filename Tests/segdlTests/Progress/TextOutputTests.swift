import SegmentedDLSupport
import SystemPackage
import Testing

@testable import segdl

@Suite struct TextOutputTests {
    @Test func aDeadDescriptorIsIgnored() {
        // -1 is never open: a write that retried forever would hang here.
        TextOutput(descriptor: -1).write("this is not read")
    }

    @Test func sinksGetWholeTexts() {
        let recorder = Recorder()
        recorder.output.write("a\nb")
        recorder.output.write("")
        #expect(recorder.writes == ["a\nb", ""])
        #expect(!recorder.output.hasFailed)
    }

    @Test("the first error is reported, once")
    func failure() {
        let reasons = Lock<[String]>([])
        let output = TextOutput(descriptor: -1) { reason in reasons.withLock { $0.append(reason) } }
        #expect(!output.hasFailed)
        for _ in 0..<3 { output.write("line\n") }
        #expect(reasons.withLock { $0 } == ["Bad file descriptor"])
        #expect(output.hasFailed)
    }

    @Test("a pipe without a reader is an error, and nothing is written after it")
    func closedPipe() throws {
        Signals.ignoreFailedWrites()
        let reasons = Lock<[String]>([])
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.writeEnd.close() }
        let output = TextOutput(descriptor: pipe.writeEnd.rawValue) { reason in
            reasons.withLock { $0.append(reason) }
        }
        output.write("read\n")
        #expect(!output.hasFailed)
        try pipe.readEnd.close()
        output.write("lost\n")
        output.write("lost as well\n")
        #expect(reasons.withLock { $0 } == ["Broken pipe"])
        #expect(output.hasFailed)
    }
}

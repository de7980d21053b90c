import Testing

@testable import segdl

@Suite("The display of a run", .timeLimit(.minutes(10)))
struct DisplayTests {
    private let messages = MessageLog()
    private let recorder = Recorder()

    private var display: Display<PlainRenderer> {
        Display(PlainRenderer(output: recorder.output, ascii: true), messages: messages)
    }

    @Test("shows changes in order, messages before them, and the end after all of them")
    func order() async {
        let display = display
        for number in 1...3 { display.show { $0.message("change \(number)") } }
        messages.add("message")
        #expect(recorder.text == "")
        await display.end { $0.message("end") }
        #expect(recorder.lines == ["message", "change 1", "change 2", "change 3", "end"])
    }

    @Test("signals each change to its reader, and ends with the run")
    func signals() async {
        let display = display
        let reader = Task {
            for await _ in display.signals { await display.flush() }
        }
        display.show { $0.message("change") }
        while recorder.text.isEmpty { await Task.yield() }
        display.finish()
        await reader.value
        #expect(recorder.lines == ["change"])
    }

    @Test("shows the state of the run, without finished files")
    func update() async {
        let display = display
        let file = snapshot(0, progress(name: "disk.iso", total: 2048))
        await display.update(RunSnapshot([file], FileTally()))
        display.show { $0.finished(file, outcome: .cancelled) }
        await display.flush()
        await display.update(RunSnapshot([file], FileTally()))
        #expect(recorder.lines.count == 2)
        #expect(recorder.lines.first == "disk.iso: 2.00 KiB")
    }
}

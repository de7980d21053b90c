import Testing

@testable import segdl

@Suite("The live area of a terminal")
struct LiveAreaTests {
    private let recorder = Recorder()
    private let size = Adjustable(Terminal.Size(columns: 80, rows: 24))

    private func area() -> LiveArea {
        let size = size
        return LiveArea(output: recorder.output, color: false) { size.value }
    }

    private func draw(_ area: LiveArea, _ lines: String..., below permanent: [String] = []) {
        area.draw(
            lines.map { StyledLine($0) }, below: permanent.map { StyledLine($0) }, size: area.size)
    }

    @Test("is cleared while the process is stopped, with the typed key, and drawn again afterwards")
    func stopped() {
        let area = area()
        draw(area, "one", "two")
        area.withoutArea {
            let cleared = "\u{1B}[2K\u{1B}[B\u{1B}[2K\u{1B}[B\u{1B}[2A"
            #expect(recorder.writes.last == "\r\u{1B}[2K\u{1B}[2A" + cleared)
        }
        draw(area, "one", "two")
        #expect(recorder.writes.count == 3)
        // At the current cursor position: the shell has overwritten the area.
        #expect(recorder.writes.last == "\r\u{1B}[?7l\u{1B}[2Kone\r\n\u{1B}[2Ktwo\r\n\u{1B}[?7h")
    }

    @Test("all rows of old lines are erased in a window that was narrowed")
    func stoppedWhenNarrower() {
        let area = area()
        draw(area, String(repeating: "x", count: 30))
        size.value.columns = 10
        area.withoutArea {}
        #expect(recorder.writes.last?.hasPrefix("\r\u{1B}[2K\u{1B}[3A") == true)
    }

    @Test("permanent lines appear above it")
    func permanentLines() {
        let area = area()
        draw(area, "one", below: ["done"])
        #expect(recorder.writes == ["\rdone\n\u{1B}[?7l\u{1B}[2Kone\r\n\u{1B}[?7h"])
        draw(area, "one")
        #expect(recorder.writes.count == 1)
    }
}

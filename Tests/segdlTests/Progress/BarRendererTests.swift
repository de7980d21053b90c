import SegmentedDL
import SegmentedDLDatabase
import Testing

@testable import segdl

@Suite struct BarRendererTests {
    private let recorder = Recorder()
    private let size = Adjustable(Terminal.Size(columns: 81, rows: 24))

    private func renderer(unicode: Bool = true) -> BarRenderer {
        let terminal = Terminal { ["LANG": unicode ? "C.UTF-8" : "C", "TERM": "xterm", "NO_COLOR": "1"][$0] }
        let size = size
        return BarRenderer(output: recorder.output, terminal: terminal) { size.value }
    }

    /// The sequence that clears an area of this many rows, never the whole screen at once.
    private func cleared(_ rows: Int) -> String {
        "\r\u{1B}[\(rows)A" + String(repeating: "\u{1B}[2K\u{1B}[B", count: rows) + "\u{1B}[\(rows)A"
    }

    @Test func redrawsInPlace() {
        var bars = renderer()
        var file = halfway()
        bars.update(Overall([file]), [file])
        file.progress.bytesCompleted += 100 << 20
        bars.update(Overall([file]), [file])
        #expect(recorder.writes.count == 2)
        #expect(!recorder.writes[0].contains("A"))
        #expect(recorder.writes[1].hasPrefix("\r\u{1B}[2A\u{1B}[?7l\u{1B}[2Kdisk.iso"))
    }

    @Test func everyWriteLeavesTheTerminalAsItWas() {
        var bars = renderer()
        for tick in 0..<4 {
            size.value.columns = 81 - 20 * tick
            bars.update(Overall([halfway()]), [halfway()])
        }
        bars.message("note")
        bars.end(Overall())
        for text in recorder.writes {
            let (off, on) = (text.components("\u{1B}[?7l"), text.components("\u{1B}[?7h"))
            #expect(off == on)
            #expect(text.last == "\n" || text.hasSuffix("\u{1B}[?7h") || text.hasSuffix("A"))
        }
    }

    @Test func aFrameThatIsTheSameIsNotWrittenAgain() {
        var bars = renderer()
        for _ in 0..<5 { bars.update(Overall([halfway()]), [halfway()]) }
        #expect(recorder.writes.count == 1)
    }

    @Test func aNarrowerWindowHasMoreRowsToClear() {
        var bars = renderer()
        bars.update(Overall([halfway()]), [halfway()])
        // Two lines of 80 columns are now four rows each.
        size.value.columns = 20
        bars.update(Overall([halfway()]), [halfway()])
        #expect(recorder.writes.last?.hasPrefix(cleared(8)) == true)
        // Now the area has two rows again.
        size.value.columns = 81
        bars.update(Overall([halfway()]), [halfway()])
        #expect(recorder.writes.last?.hasPrefix(cleared(2)) == true)
    }

    @Test func neverUpBeyondTheWindow() {
        var bars = renderer()
        let files = (0..<20).map { halfway($0) }
        bars.update(Overall(files), files)
        size.value = Terminal.Size(columns: 2, rows: 5)
        bars.update(Overall(files), files)
        #expect(recorder.writes.last?.hasPrefix(cleared(4)) == true)
    }

    @Test func endsOfFilesAreAboveTheLiveArea() throws {
        var bars = renderer()
        let files = [halfway(0, name: "one"), halfway(1, name: "two")]
        bars.update(Overall(files), files)
        bars.finished(files[0], outcome: .failed(message: "no\u{1B}[2Jway", code: 301, exitStatus: 3))
        let text = try #require(recorder.writes.last)
        #expect(text.hasPrefix(cleared(5) + "✗ one: no?[2Jway\n\u{1B}[?7l\u{1B}[2Ktwo"))
        // It is not shown again, whatever a later update contains.
        bars.update(Overall(files), files)
        #expect(recorder.writes.count == 2 || recorder.writes.last?.contains("Kone") == false)
    }

    @Test func theEndTakesTheLiveAreaAway() {
        var bars = renderer()
        bars.update(Overall([halfway()]), [halfway()])
        bars.end(Overall([], unlisted: FileTally(completed: 2, failed: 1, bytes: 2048)))
        #expect(recorder.writes.last == cleared(2) + "2 of 3 files completed, 1 failed, 2.00 KiB\n")
    }

    @Test("a list of more than fifty files has lines for its failures only")
    func longList() {
        var bars = renderer()
        bars.update(Overall([halfway()], unlisted: FileTally(waiting: 50)), [halfway()])
        bars.finished(halfway(), outcome: .done(result()))
        #expect(recorder.writes.count == 1)
        bars.update(Overall([halfway()], unlisted: FileTally(waiting: 50)), [halfway()])
        #expect(recorder.writes.last?.contains("Kdisk.iso") == false)
        bars.finished(halfway(1), outcome: .failed(message: "No.", code: 301, exitStatus: 3))
        #expect(recorder.writes.last?.contains("✗ disk.iso: No.\n") == true)
        bars.finished(halfway(2), outcome: .cancelled)
        bars.end(Overall([], unlisted: FileTally(completed: 49, failed: 1, cancelled: 1, bytes: 2048)))
        #expect(
            recorder.writes.last?.hasSuffix(
                "stopped; run it again to resume\n"
                    + "49 of 51 files completed, 1 failed, 1 not finished, 2.00 KiB\n") == true)
    }

    @Test func asciiMarks() {
        var bars = renderer(unicode: false)
        bars.finished(halfway(), outcome: .done(result()))
        #expect(recorder.text.allSatisfy { $0.isASCII })
        #expect(recorder.text.contains("done: out/disk.iso: 2.00 KiB in 2.0 s, 4 connections\n"))
    }

    @Test func survivesTheSmallestWindow() {
        var bars = renderer()
        for (columns, rows) in [(1, 1), (1, 2), (2, 2), (1, 50), (0, 0)] {
            size.value = Terminal.Size(columns: columns, rows: rows)
            bars.update(Overall([halfway()]), [halfway()])
        }
        bars.end(Overall())
        #expect(!recorder.writes.isEmpty)
    }
}

extension String {
    /// Returns how often a text occurs.
    fileprivate func components(_ text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let first = rest.indices.first(where: { rest[$0...].hasPrefix(text) }) {
            count += 1
            rest = rest[rest.index(after: first)...]
        }
        return count
    }
}

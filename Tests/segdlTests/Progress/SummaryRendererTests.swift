import SegmentedDL
import Testing

@testable import segdl

@Suite("The summary of many files")
struct SummaryRendererTests {
    private let recorder = Recorder()
    private let now = Adjustable(Duration.zero)

    private func renderer() -> SummaryRenderer {
        let now = now
        return SummaryRenderer(PlainRenderer(output: recorder.output, ascii: false), isRedrawn: false) {
            now.value
        }
    }

    private func file(_ state: DownloadState) -> FileSnapshot {
        snapshot(0, progress(state, name: "disk.iso", done: 1 << 20, total: 4 << 20, speed: 1_048_576))
    }

    @Test("appears every ten seconds in a log, and reports only failures")
    func lines() throws {
        var summary = renderer()
        let files = [file(.downloading), file(.completed), file(.failed)]
        for second in 0..<25 {
            now.value = .seconds(second)
            summary.update(Overall(files), files)
        }
        #expect(recorder.lines.count == 2)
        #expect(recorder.lines.first?.hasPrefix("1 of 3 files, 1 failed, 2.00 MiB, ") == true)
        let checksum = try Checksum(.md5, String(repeating: "0", count: 32))
        summary.finished(file(.completed), outcome: .verified(checksum, wasExpected: true))
        #expect(recorder.lines.count == 2)
        summary.finished(file(.failed), outcome: .failed(message: "disk.iso: no", code: 0, exitStatus: 4))
        #expect(recorder.lines.last == "failed: disk.iso: no")
        summary.end(Overall(files))
        #expect(recorder.lines.last?.hasPrefix("1 of 3 files completed, 1 failed") == true)
    }

    @Test("has no line before a file is known, and none after the last one")
    func nothingToSay() {
        var summary = renderer()
        now.value = .seconds(10)
        summary.update(Overall([]), [])
        now.value = .seconds(20)
        summary.update(Overall([], unlisted: FileTally(failed: 1)), [])
        #expect(recorder.lines.isEmpty)
    }

    @Test("estimates the remaining time by the number of files while lengths are unknown")
    func timeLeft() {
        var summary = renderer()
        now.value = .seconds(10)
        summary.update(Overall([], unlisted: FileTally(waiting: 3, completed: 1, failed: 1)), [])
        #expect(recorder.lines == ["1 of 5 files, 1 failed, 0 B, 0 B/s, 0:15 left"])
    }

    @Test("estimates nothing from the time when the machine slept")
    func sleep() {
        var summary = renderer()
        let overall = Overall([], unlisted: FileTally(waiting: 2, completed: 2))
        for second in 1...9 {
            now.value = .seconds(second)
            summary.update(overall, [])
        }
        now.value = .seconds(7200)
        summary.update(overall, [])
        #expect(recorder.lines == ["2 of 4 files, 0 B, 0 B/s, 0:09 left"])
    }

    @Test("estimates nothing while nothing arrives, as during a pause that a host requests")
    func stall() {
        var summary = renderer()
        func update(_ seconds: ClosedRange<Int>, completed: Int) {
            for second in seconds {
                now.value = .seconds(second)
                summary.update(Overall([], unlisted: FileTally(waiting: 2, completed: completed)), [])
            }
        }
        update(1...30, completed: 2)
        update(31...40, completed: 3)
        #expect(recorder.lines.map { $0.hasSuffix(" left") } == [true, false, false, true])
    }

    @Test("has one line for all stopped files")
    func stopped() {
        var summary = renderer()
        for _ in 0..<3 { summary.finished(file(.cancelled), outcome: .cancelled) }
        summary.end(Overall([], unlisted: FileTally(waiting: 9, completed: 1, cancelled: 3)))
        #expect(
            recorder.lines == [
                "stopped; run it again to resume", "1 of 13 files completed, 12 not finished, 0 B",
            ])
    }

    @Test("is overwritten on a terminal, without the bars of single files")
    func onATerminal() {
        let terminal = Terminal { ["LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"][$0] }
        let bars = BarRenderer(output: recorder.output, terminal: terminal, lines: FileLines(.each)) {
            Terminal.Size(columns: 81, rows: 24)
        }
        var summary = SummaryRenderer(bars, isRedrawn: true)
        let files = [halfway(0, name: "one"), halfway(1, name: "two")]
        summary.update(Overall(files), files)
        summary.finished(files[0], outcome: .done(result()))
        #expect(recorder.writes.count == 1)
        #expect(recorder.text.contains("0/2 files  45%"))
        #expect(!recorder.text.contains("one") && !recorder.text.contains("two"))
    }
}

import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite struct PlainRendererTests {
    private let recorder = Recorder()
    private let now = Adjustable(Duration.zero)

    private func renderer(ascii: Bool = false) -> PlainRenderer {
        let now = now
        return PlainRenderer(output: recorder.output, ascii: ascii) { now.value }
    }

    private func file(percent: Int64, state: DownloadState = .downloading) -> FileSnapshot {
        snapshot(
            0, progress(state, name: "disk.iso", done: percent << 20, total: 100 << 20, speed: 1_048_576))
    }

    @Test func aLineAtEachTenthButNotTooOften() {
        var plain = renderer()
        // One percent per second, so ten percent every ten seconds.
        for second in 0..<35 {
            now.value = .seconds(second)
            plain.update(Overall(), [file(percent: Int64(second))])
        }
        #expect(
            recorder.lines == [
                "disk.iso: 100 MiB", "disk.iso: 10% of 100 MiB, 1.00 MiB/s, 0 connections",
                "disk.iso: 20% of 100 MiB, 1.00 MiB/s, 0 connections",
                "disk.iso: 30% of 100 MiB, 1.00 MiB/s, 0 connections",
            ])
    }

    @Test func aFastFileHasALineEveryFiveSeconds() {
        var plain = renderer()
        for second in 0..<9 {
            now.value = .seconds(second)
            plain.update(Overall(), [file(percent: Int64(second * 11))])
        }
        #expect(recorder.lines.count == 2)
        #expect(recorder.lines[1].hasPrefix("disk.iso: 55% of"))
    }

    @Test("a slow file has a line after 10, 20 and 40 seconds, and then every minute")
    func slowFile() {
        var plain = renderer()
        var seconds: [Int] = []
        for second in 0...200 {
            now.value = .seconds(second)
            let before = recorder.lines.count
            plain.update(Overall(), [file(percent: 33)])
            if recorder.lines.count > before { seconds.append(second) }
        }
        #expect(seconds == [0, 10, 30, 70, 130, 190])
        #expect(recorder.lines[0] == "disk.iso: 100 MiB, 33% done")
    }

    @Test func theFirstLineWaitsForTheName() {
        var plain = renderer()
        plain.update(Overall(), [snapshot(0, progress(.queued)), snapshot(1, progress(.probing))])
        #expect(recorder.lines.isEmpty)
    }

    @Test func noControlCharacters() {
        var plain = renderer()
        for (id, name) in oddNames.enumerated() {
            plain.update(Overall(), [halfway(id, name: name)])
            plain.finished(
                halfway(id, name: name), outcome: .failed(message: "a\r\u{1B}b", code: 1, exitStatus: 2))
            plain.finished(halfway(id, name: name), outcome: .cancelled)
        }
        plain.message("a\nb")
        #expect(recorder.lines.count == 3 * oddNames.count + 1)
        #expect(recorder.lines.allSatisfy { TextWidth.printable($0) == $0 })
    }

    @Test func endsOfFiles() {
        var plain = renderer()
        plain.finished(halfway(), outcome: .done(result(length: 4 << 20, written: 2 << 20)))
        plain.finished(halfway(), outcome: .done(result(outcome: .skipped)))
        plain.finished(halfway(), outcome: .failed(message: "No.", code: 301, exitStatus: 3))
        plain.finished(halfway(), outcome: .cancelled)
        plain.finished(halfway(), outcome: .done(result(length: 0, written: 0, path: nil)))
        #expect(
            recorder.lines == [
                "done: out/disk.iso: 4.00 MiB (2.00 MiB of it in this run) in 2.0 s, 1.00 MiB/s, 4 connections",
                "done: out/disk.iso: exists, skipped", "failed: disk.iso: No.",
                "stopped: disk.iso at 45%, 450 MiB of 1000 MiB; run it again to resume",
                "done: disk.iso: 0 B in 2.0 s, 4 connections",
            ])
    }

    @Test("a tiny file has no speed, and a moment has no time")
    func tinyFiles() {
        var plain = renderer()
        var short = result(length: 1 << 20, written: 1 << 20, path: "./a")
        short.duration = .milliseconds(99)
        plain.finished(halfway(), outcome: .done(short))
        short.duration = .milliseconds(100)
        plain.finished(halfway(), outcome: .done(short))
        plain.finished(halfway(), outcome: .done(result(length: 65_535, written: 65_535)))
        plain.finished(halfway(), outcome: .done(result(length: 65_536, written: 65_536)))
        #expect(
            recorder.lines == [
                "done: a: 1.00 MiB, 4 connections", "done: a: 1.00 MiB in 0.1 s, 10.0 MiB/s, 4 connections",
                "done: out/disk.iso: 64.0 KiB in 2.0 s, 4 connections",
                "done: out/disk.iso: 64.0 KiB in 2.0 s, 32.0 KiB/s, 4 connections",
            ])
    }

    @Test("a complete file has a line only if its digest takes ten seconds")
    func completeFile() {
        var plain = renderer()
        for second in 0...9 {
            now.value = .seconds(second)
            plain.update(Overall(), [file(percent: 100, state: .verifying)])
        }
        #expect(recorder.lines.isEmpty)
        now.value = .seconds(10)
        plain.update(Overall(), [file(percent: 100, state: .verifying)])
        #expect(recorder.lines == ["disk.iso: 100% of 100 MiB, verifying"])
    }

    @Test func aFinishedFileIsNotStartedAgain() {
        var plain = renderer()
        plain.finished(file(percent: 100), outcome: .done(result()))
        plain.update(Overall(), [file(percent: 99)])
        #expect(recorder.lines.count == 1)
    }

    @Test("many files stopped before their first byte share a line", arguments: [3, 5])
    func unbegunFiles(count: Int) {
        var plain = renderer()
        for id in 0..<count {
            plain.finished(snapshot(id, progress(.cancelled, name: "s\(id)")), outcome: .cancelled)
        }
        plain.finished(halfway(count), outcome: .cancelled)
        plain.end(Overall([], unlisted: FileTally(cancelled: count + 1)))
        let shared = count > 3 ? ["stopped: 2 more files at 0 B; run it again"] : []
        #expect(
            recorder.lines == (0..<3).map { "stopped: s\($0) at 0 B; run it again" }
                + ["stopped: disk.iso at 45%, 450 MiB of 1000 MiB; run it again to resume"] + shared
                + ["0 of \(count + 1) files completed, \(count + 1) not finished, 0 B"])
    }

    @Test func theEndSumsUpSeveralFiles() {
        var plain = renderer()
        plain.end(Overall([], unlisted: FileTally(completed: 1)))
        #expect(recorder.lines.isEmpty)
        plain.end(
            Overall([], unlisted: FileTally(waiting: 1, completed: 1, failed: 1, cancelled: 1, bytes: 1)))
        #expect(recorder.lines == ["1 of 4 files completed, 1 failed, 2 not finished, 1 B"])
    }

    @Test func quietTellsFailuresOnly() {
        var quiet = QuietRenderer(output: recorder.output, ascii: false)
        quiet.update(Overall([halfway()]), [halfway()])
        quiet.message("note")
        quiet.finished(halfway(), outcome: .done(result()))
        quiet.finished(halfway(), outcome: .cancelled)
        quiet.finished(halfway(), outcome: .failed(message: "No.", code: 301, exitStatus: 3))
        quiet.end(Overall([], unlisted: FileTally(completed: 3)))
        #expect(recorder.text == "failed: disk.iso: No.\n")
    }
}

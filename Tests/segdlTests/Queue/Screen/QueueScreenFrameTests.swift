import SegmentedDL
import SegmentedDLDatabase
import SegmentedDLQueue
import Testing

@testable import segdl

@Suite struct QueueScreenFrameTests {
    private static let mib: Int64 = 1 << 20

    private func everyState() throws -> [Receipt] {
        let mib = Self.mib
        return [
            try receipt(
                1, .downloading, name: "disk.iso", done: 450 * mib, total: 1000 * mib,
                speed: Double(10 * mib), remaining: 55, connections: 8),
            try receipt(2, .probing),
            try receipt(3, .retrying, done: mib, total: 4 * mib, error: "Connection lost.", retriesIn: 12),
            try receipt(4, .paused, done: 3 * mib, total: 4 * mib),
            try receipt(5, .verifying, done: mib, total: mib),
            try receipt(6, .finalizing, done: mib, total: mib),
            try receipt(7, .failed, error: "The server answered 404 for file-7.iso; check the URL."),
            try receipt(8, .cancelled, total: mib),
            try receipt(9, .queued),
            try receipt(10, .completed, done: 2 * mib, total: 2 * mib),
        ]
    }

    @Test func eightyByTwentyFour() throws {
        var screen = QueueScreen(try everyState())
        _ = screen.press("a")
        let text = screen.text
        #expect(text.count == 24)
        #expect(
            text[0]
                == "1/10 done  4 active  1 waiting  1 failed  458 MiB / 1013 MiB+  10.0 MiB/s")
        #expect(
            Array(text[1..<12]) == [
                "   NAME                   PROGRESS    DONE      SIZE       SPEED      LEFT  CONN",
                ">↓ disk.iso               ████▒·····   45%  1000 MiB  10.0 MiB/s      0:55     8",
                " ? file-2.iso             ··········                  connecting",
                " ! file-3.iso             again in 0:12: Connection lost.",
                " = file-4.iso             ███████▒··   75%  4.00 MiB      paused",
                " * file-5.iso             ██████████  100%  1.00 MiB   verifying",
                " * file-6.iso             ██████████  100%  1.00 MiB  finalizing",
                " ✗ file-7.iso             The server answered 404 for file-7.iso; check the URL.",
                " ■ file-8.iso             ··········    0%  1.00 MiB   cancelled",
                " · file-9.iso             ··········                     waiting",
                " ✓ file-10.iso            ██████████  100%  2.00 MiB   completed",
            ])
        #expect(text[12..<22].allSatisfy { $0.isEmpty })
        #expect(text[22] == "https://example.com/file-1.iso")
        #expect(text[23].hasPrefix("? help  q quit  p pause  r resume  c cancel  x remove  K/J move"))
    }

    @Test func twentyByFive() throws {
        let screen = QueueScreen(try everyState(), columns: 20, rows: 5)
        #expect(
            screen.text == [
                "1/10 done  1 failed", ">↓ disk.iso      45%", " ? file-2.iso", " ! file-3.iso    25%",
                "? help  q quit",
            ])
    }

    @Test func wideWindowsSayMore() throws {
        let screen = QueueScreen(try everyState(), columns: 120, rows: 40)
        #expect(screen.text[2].contains(" 450 MiB / 1000 MiB  10.0 MiB/s      0:55     8"))
        #expect(screen.text[2].count == 120)
        #expect(screen.text[0].contains("456 MiB / 1011 MiB+") || screen.text[0].contains("+"))
    }

    @Test func aLengthThatIsNotKnownLeavesThePartDoneOpen() throws {
        let known = QueueScreen([try receipt(1, .downloading, done: 1, total: 4, speed: 1, remaining: 3)])
        #expect(known.text[0] == "0/1 done  1 active  25%  1 B / 4 B  1 B/s  0:03")
        let unknown = QueueScreen([
            try receipt(1, .downloading, done: 1, total: 4, speed: 1), try receipt(2),
        ])
        #expect(unknown.text[0] == "0/2 done  1 active  1 waiting  1 B / 4 B+  1 B/s")
        // A paused download does not resume by itself.
        let paused = QueueScreen([
            try receipt(1, .downloading, done: 1, total: 4, speed: 1), try receipt(2, .paused),
        ])
        #expect(paused.text[0] == "0/2 done  1 active  1 paused  1 B / 4 B+  1 B/s  0:03")
    }

    @Test func emptyLists() throws {
        #expect(QueueScreen([]).text[2] == "The queue is empty.")
        let done = QueueScreen([try receipt(1, .completed, done: 1, total: 1)])
        #expect(done.text[2] == "All are complete; a shows them, and q quits.")
        #expect(done.text[0] == "1/1 done  100%  1 B / 1 B  0 B/s")
    }

    @Test func theSelectedOneIsExplained() throws {
        var screen = QueueScreen(try everyState())
        _ = screen.press("jj")
        #expect(screen.text[22] == "Connection lost.")
        _ = screen.press("jjjj")
        #expect(screen.text[22] == "The server answered 404 for file-7.iso; check the URL.")
    }

    @Test func aMessageInARowDoesNotRepeatTheURL() throws {
        let screen = QueueScreen([
            try receipt(1, .failed, error: "https://example.com/file-1.iso: the server answered 404.")
        ])
        #expect(screen.text[2] == ">✗ file-1.iso             the server answered 404.")
        #expect(screen.text[22] == "https://example.com/file-1.iso: the server answered 404.")
    }

    @Test func queriesAreNotShown() throws {
        let screen = QueueScreen([try receipt(1, url: "https://example.com/a.iso?secret=1")])
        #expect(!screen.text.joined().contains("secret"))
        #expect(screen.selectedLine?.hasPrefix(">· a.iso ") == true)
    }

    @Test(arguments: [true, false])
    func everyFrameFitsItsWindow(unicode: Bool) throws {
        var receipts = try everyState()
        for (index, name) in oddNames.enumerated() {
            receipts.append(
                try receipt(
                    100 + index, index % 2 == 0 ? .downloading : .failed,
                    name: name.isEmpty ? nil : name.replacing("/", with: "_"), done: 1, total: .max,
                    speed: 1e18, remaining: 1e9, connections: 999, error: name))
        }
        for columns in [0, 1, 2, 3, 5, 9, 12, 20, 30, 80, 120] {
            // Most lines occur again in the next frame: each is measured once.
            var sound: Set<String> = []
            for rows in [0, 1, 2, 3, 5, 8, 20] {
                var screen = QueueScreen(receipts, columns: columns, rows: rows, unicode: unicode)
                _ = screen.press("a")
                func check(_ what: String) {
                    let text = screen.text
                    #expect(text.count <= rows, "\(what) \(columns)x\(rows)")
                    for line in text where !sound.contains(line) {
                        #expect(TextWidth.columns(line) <= columns, "\(what) \(columns)x\(rows)")
                        #expect(line == TextWidth.printable(line, ascii: !unicode))
                        sound.insert(line)
                    }
                }
                check("beginning")
                _ = screen.press(.end)
                check("end")
                for keys in ["x", "n?", " "] {
                    _ = screen.press(keys)
                    check(keys)
                }
                screen.report(DownloadError(.ioFailed, "bad \u{1B}[2J 日本 news"))
                check("error")
            }
        }
    }

    @Test func colorsMarkStatesAndSelection() throws {
        let screen = QueueScreen(try everyState(), color: true)
        let lines = screen.frame.map { $0.rendered(color: true) }
        #expect(lines[2].hasPrefix("\u{1B}[7m>↓ disk.iso"))
        #expect(TextWidth.columns(screen.frame[2].text) == 80)
        #expect(lines[8].hasPrefix(" \u{1B}[31m✗\u{1B}[0m file-7.iso"))
    }

    @Test func helpCoversEverything() throws {
        var screen = QueueScreen(try everyState())
        _ = screen.press("?")
        #expect(screen.text.count == 24)
        #expect(screen.text[0] == "p     pause")
        #expect(screen.text.last == "any key: back")
        #expect(screen.text.contains("↓ downloading ! retrying"))
        _ = screen.press("x")
        #expect(screen.text[0].hasPrefix("1/10 done"))
        #expect(screen.question == nil)
        // Page by page in a small terminal.
        screen.size = Terminal.Size(columns: 30, rows: 8)
        _ = screen.press("?")
        var seen: [String] = []
        while screen.helpPage != nil {
            seen += screen.text.dropLast()
            _ = screen.press(" ")
        }
        #expect(Array(seen.prefix(22)) == ScreenHelp.lines(screen.terminal))
    }
}

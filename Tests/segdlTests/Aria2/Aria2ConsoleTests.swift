import SegmentedDLOptions
import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import segdl

@Suite("aria2's console")
struct Aria2ConsoleTests {
    private let recorder = Recorder()
    private let now = Lock(Duration.zero)

    private func console(
        _ style: Aria2Style, results: Aria2Results = Aria2Results(), gids: [String] = ["4b1768aaaaaaaaaa"]
    ) throws -> Aria2Console {
        let downloads = try gids.map { gid in
            var values = Aria2Values()
            try values.set(Aria2Options.long("gid"), gid, home: nil)
            try values.set(Aria2Options.long("dir"), "/d", home: nil)
            return try Aria2Download(["http://h/f"], values)
        }
        return Aria2Console(downloads, results: results, style: style, output: recorder.output) { [now] in
            now.withLock { $0 }
        }
    }

    private var plain: Aria2Style {
        var style = Aria2Style()
        style.isColored = false
        return style
    }

    /// The output, without the dates of messages.
    private var written: String {
        recorder.writes.joined().replacing(#/[0-9]{2}.[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} /#, with: "")
    }

    @Test(
        "formats sizes like aria2",
        arguments: [
            (0, "0B"), (812, "812B"), (922, "0.9KiB"), (1023, "0.9KiB"), (1024, "1.0KiB"), (9_999, "9.7KiB"),
            (196_608, "192KiB"), (999_424, "0.9MiB"), (3_000_000, "2.8MiB"), (1 << 40, "1,024GiB"),
        ] as [(Int64, String)])
    func sizes(_ bytes: Int64, _ text: String) {
        #expect(Aria2Format().size(bytes) == text)
        #expect(Aria2Format(isHuman: false).size(bytes) == "\(bytes)B")
    }

    @Test(
        "formats times like aria2",
        arguments: [(0, "0s"), (14, "14s"), (60, "1m"), (291, "4m51s"), (3_600, "1h"), (3_725, "1h2m5s")])
    func times(_ seconds: Int, _ text: String) {
        #expect(Aria2Format.time(seconds) == text)
    }

    @Test("has a readout of one file, and a short one of several")
    func readout() {
        let format = Aria2Format()
        let file = Aria2Format.Active(
            gid: "56329006f63d7829", completed: 196_608, total: 3_000_000, connections: 1,
            bytesPerSecond: 199_000, secondsRemaining: 14.5, path: "/d/a")
        #expect(format.readout([file]) == "[#563290 192KiB/2.8MiB(6%) CN:1 DL:194KiB ETA:14s]")
        #expect(
            format.readout([file, file])
                == "[DL:388KiB][#563290 192KiB/2.8MiB(6%)][#563290 192KiB/2.8MiB(6%)]")
        #expect(format.readout(Array(repeating: file, count: 7)).hasSuffix("(+2)"))
        let unknown = Aria2Format.Active(gid: "56329006f63d7829", path: "/d/a")
        #expect(format.readout([unknown]) == "[#563290 0B/0B CN:0 DL:0B]")
        #expect(
            format.summary([file], date: "D") == """
                 *** Download Progress Summary as of D *** 
                ===============================================================================
                [#563290 192KiB/2.8MiB(6%) CN:1 DL:194KiB ETA:14s]
                FILE: /d/a
                -------------------------------------------------------------------------------


                """)
    }

    @Test("ends with aria2's table of results")
    func table() throws {
        let results = Aria2Results()
        results.end(1, 3)
        var console = try console(
            plain, results: results, gids: ["4b1768aaaaaaaaaa", "6aa6ffaaaaaaaaaa", "563290aaaaaaaaaa"])
        console.finished(
            snapshot(0, progress(.completed, name: "f", done: 2048, total: 2048)),
            outcome: .done(result(path: "/d/f")))
        console.finished(
            snapshot(1, progress(.failed), url: "http://h/f"),
            outcome: .failed(message: "Not there.", code: 301, exitStatus: 3))
        console.finished(
            snapshot(2, progress(.cancelled, name: "g", done: 1, total: 4, speed: 2048)), outcome: .cancelled)
        console.end(Overall())
        #expect(
            written == """

                [NOTICE] Download complete: /d/f

                [ERROR] Download aborted. URI=http://h/f
                Exception: errorCode=3 Not there.

                [NOTICE] Download GID#6aa6ffaaaaaaaaaa not complete: 

                [NOTICE] Download GID#563290aaaaaaaaaa not complete: /d/g

                Download Results:
                gid   |stat|avg speed  |path/URI
                ======+====+===========+=======================================================
                4b1768|OK  |   1.0KiB/s|/d/f
                6aa6ff|ERR |       0B/s|http://h/f
                563290|INPR|   2.0KiB/s|/d/g

                Status Legend:
                (OK):download completed.(ERR):error occurred.(INPR):download in-progress.

                segdl will resume download if the transfer is restarted.

                """)
    }

    @Test("has percentages in the full table, and no table if it is hidden")
    func tables() throws {
        var style = plain
        style.results = .full
        var console = try console(style)
        console.finished(
            snapshot(0, progress(.completed, name: "f", done: 2048, total: 2048)),
            outcome: .done(result(path: "/d/f")))
        console.end(Overall())
        #expect(written.contains("\n4b1768|OK  |   1.0KiB/s|100|/d/f\n"))
        let before = recorder.writes.count
        style.results = .hide
        var hidden = try self.console(style)
        hidden.end(Overall())
        #expect(recorder.writes.count == before)
    }

    @Test("is silent with --quiet, and leaves out messages below its level")
    func quiet() throws {
        var style = plain
        style.isQuiet = true
        var console = try console(style)
        now.withLock { $0 = .seconds(100) }
        console.update(Overall(), [halfway()])
        console.message("m")
        console.finished(halfway(), outcome: .failed(message: "x", code: 301, exitStatus: 3))
        console.end(Overall())
        #expect(recorder.writes.isEmpty)
        style.isQuiet = false
        style.level = .error
        let strict = try self.console(style)
        strict.write(.warn, "w")
        strict.write(.error, "e")
        #expect(written == "\n[ERROR] e\n")
    }

    @Test("has a readout once a second, and summaries at their interval")
    func pace() throws {
        var style = plain
        style.summaryInterval = 2
        var console = try console(style)
        for tenths in stride(from: 2, through: 30, by: 2) {
            now.withLock { $0 = .milliseconds(tenths * 100) }
            console.update(Overall(), [halfway()])
        }
        let line = "[#4b1768 450MiB/0.9GiB(45%) CN:8 DL:10MiB ETA:55s]\n"
        #expect(recorder.writes.count { $0 == line } == 3)
        #expect(recorder.writes.count { $0.hasPrefix(" *** Download Progress Summary") } == 1)
    }
}

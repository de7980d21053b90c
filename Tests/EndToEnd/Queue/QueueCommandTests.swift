import Foundation
import SegmentedDL
import SegmentedDLMirror
import TestContent
import TestSupport
import Testing

@Suite("segdl queue")
struct QueueCommandTests {
    @Test("a long list is read in batches, and its lines keep their numbers", arguments: ["\n", "\r\n"])
    func longList(end: String) async throws {
        let fixture = try await QueueCommandFixture()
        let filler = String(repeating: "long/", count: 60)
        let urls = (1..<2_000).map { "http://127.0.0.1:9/\(filler)\($0)" }
        let wrong = ["http://127.0.0.1:9/wrong", "  bogus=x"]
        try fixture.directory.write((urls + wrong).joined(separator: end) + end, to: "list")
        let result = try await fixture.run("add", "--paused", "-i", "list")
        #expect(result.status == 1)
        #expect(result.errors == "segdl: list:2001: the option 'bogus' is not supported here; remove it.\n")
        #expect(try await fixture.list().map(\.source).elementsEqual(urls))
    }

    @Test("is run in one terminal and controlled from another", .timeLimit(.minutes(10)))
    func twoTerminals() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.add(20, size: 2_000_000, query: "rate=700000")
        let process = try fixture.start("start", "-j", "3", "--keep-running", "--progress", "plain")
        try await fixture.wait { $0.contains { $0.bytesCompleted > 0 } }
        try await fixture.must("pause", "all")
        let paused = try await fixture.list()
        #expect(paused.allSatisfy { $0.state == .paused || $0.state == .completed })
        #expect(paused.contains { $0.bytesCompleted > 0 })
        try await fixture.must("move", "20", "--front")
        try await fixture.must("set", "20", "--priority", "1")
        try await fixture.must("limit", "-j", "6")
        try await fixture.must("cancel", "19")
        try await fixture.must("remove", "18", "--delete-files")
        try await fixture.must("add", "-d", "files", fixture.server.url("plain", 100_000, name: "late.bin"))
        try await fixture.must("resume", "all")
        let lines = try await fixture.wait { $0.allSatisfy { $0.state.isFinal } }
        #expect(lines.map(\.id) == [20] + Array(1...17) + [19, 21])
        #expect(lines.filter { $0.state == .cancelled }.map(\.id) == [19])
        try await fixture.must("clear")
        #expect(try await fixture.list().map(\.id) == [19])
        process.send(SIGTERM)
        let result = await process.result()
        #expect(result.status == 143)
        #expect(result.errors.contains("done: "))
        #expect(fixture.fileNames.count == 19)
        for number in [1, 17, 20] {
            let file = fixture.directory.file("files/f\(number).bin")
            #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 2_000_000) == nil)
        }
    }

    @Test("resume says how to download what it has resumed if no queue runs")
    func resumed() async throws {
        let fixture = try await QueueCommandFixture()
        let none = try await fixture.run("resume", "all")
        #expect(none.status == 0 && none.errors.contains("no download is paused"), "\(none)")
        try await fixture.add(1, size: 3_000_000, query: "hold-tail=2000")
        let process = try fixture.start("start", "--progress", "plain")
        try await fixture.wait { $0.contains { $0.bytesCompleted > 0 } }
        try await fixture.must("pause", "all")
        #expect(await process.result().status == 0)
        let resumed = try await fixture.run("resume", "all")
        #expect(
            resumed.status == 0 && resumed.errors.contains("segdl queue start downloads them"), "\(resumed)")
        let other = try fixture.start("start", "--keep-running", "--progress", "none")
        try await fixture.wait { $0.contains { $0.state == .downloading } }
        try await fixture.must("pause", "all")
        let running = try await fixture.run("resume", "all")
        #expect(running.status == 0 && running.errors == "", "\(running)")
        other.send(SIGTERM)
        #expect(await other.result().status == 143)
    }

    @Test("is listed with column titles on a terminal, within its width, and plainly in a pipe")
    func columns() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.must("add", "--paused", fixture.server.url("plain", 10))
        let script = "stty cols 50; exec '\(Segdl.path)' queue list --queue queue.sqlite"
        let shown = try await ChildProcess(
            "/usr/bin/script", ["-qec", script, "/dev/null"], directory: fixture.directory.path
        ).result().output.split(whereSeparator: \.isNewline)
        #expect(shown.count == 2 && shown[0].contains("state") && shown[0].contains("file"), "\(shown)")
        #expect(shown.last?.count == 50 && shown.last?.hasSuffix("…") == true, "\(shown)")
        let plain = try await fixture.must("list").split(separator: "\n")
        #expect(plain.count == 1 && plain[0].contains(fixture.server.base), "\(plain)")
    }

    @Test("a second start reports that the queue is open")
    func secondStart() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.addHeld(1, size: 3_000_000, at: 1_500_000)
        let process = try fixture.start("start", "--progress", "none")
        try await fixture.wait { $0[0].bytesCompleted > 0 }
        let second = try await fixture.run("start", "--progress", "none")
        #expect(second.status == 6)
        #expect(second.errors.contains("is already open"))
        process.send(SIGTERM)
        #expect(await process.result().status == 143)
        try await fixture.must("start", "--progress", "none")
    }

    @Test("a start with only failed downloads reports their number and a remedy")
    func failedStart() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.must(
            "add", "-d", "files", fixture.server.url("status", 10, name: "gone", "code=404"))
        for isQuiet in [false, false, true] {
            let end = try await fixture.run("start", "--progress", isQuiet ? "none" : "plain")
            #expect(end.status == 1 && end.errors.contains("1 failed; segdl queue list shows why"), "\(end)")
        }
    }

    @Test("a new cap is confirmed, and a removed download reports that its unfinished file is kept")
    func confirms() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.addHeld(1, size: 3_000_000, at: 1_500_000)
        let process = try fixture.start("start", "--progress", "none")
        try await fixture.wait { $0[0].bytesCompleted > 0 }
        let limit = try await fixture.run("limit", "--limit-rate", "100k")
        #expect(limit.status == 0 && limit.errors.contains("now has these caps"), "\(limit)")
        let shown = try await fixture.run("limit")
        #expect(shown.output == limit.output && shown.errors == "", "\(shown)")
        #expect(shown.output.contains("limit-rate = 102400 (100 KiB/s)"), "\(shown)")
        #expect(shown.output.contains("max-connections = 16"), "\(shown)")
        let removed = try await fixture.must("remove", "1")
        #expect(
            removed.contains("  removed ") && removed.contains("its unfinished file was kept"), "\(removed)")
        #expect(await process.result().status == 0)
        #expect(fixture.fileNames == ["f1.bin.part", "f1.bin.part.segdl"])
    }

    @Test("invalid input gets a clear error, and changes nothing")
    func badInput() async throws {
        let fixture = try await QueueCommandFixture()
        let url = fixture.server.url("plain", 1000)
        try await fixture.must("add", "-d", "files", "--paused", url)
        let before = try await fixture.must("list", "--json")
        for (arguments, status, message) in [
            (["pause", "7"], 6404 / 100, "no download of number 7"),
            (["pause", "key:x"], 64, "no download of key 'x'"),
            (["pause", "nonsense"], 64, "nonsense"),
            (["add", "ftp://host/x"], 64, "ftp"),
            (["add", "http://user:pa55word@host/x"], 64, "stores no credentials"),
            (["add", "-d", "elsewhere", url], 64, "already in the queue"),
            (["add", "-o", "a", url, url], 64, "--output requires exactly one URL, but 2 URLs are given"),
            (["add", "--key", "a", url, url], 64, "--key requires exactly one URL, but 2 URLs are given"),
            (["move", "1"], 64, "--front"),
            (["move", "1", "--before", "9"], 64, "no download of number 9"),
            (["set", "1", "--url", "nonsense"], 64, "nonsense"),
            (["set", "1", "--url", "http://user:pa55word@host/x"], 64, "stores no credentials"),
            (["limit", "-j", "3"], 64, "No queue is running"),
            (["list", "--state", "odd"], 64, "odd"),
        ] {
            let result = try await fixture.run(arguments)
            #expect(result.status == Int32(status), "\(arguments): \(result.errors)")
            #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
            #expect(!result.errors.contains("pa55word"))
        }
        #expect(try await fixture.must("list", "--json") == before)
    }

    @Test("names the downloads that a command changed, each with its reason once")
    func replies() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.must(
            "add", "-d", "files", fixture.server.url("status", 10, name: "gone", "code=404"))
        _ = try await fixture.run("start", "--progress", "none")
        for verb in ["pause", "resume"] { #expect(try await fixture.must(verb, "all") == "") }
        let listed = try await fixture.must("list")
        #expect(listed.split(separator: "/gone").count == 2, "\(listed)")
        #expect(try await fixture.must("remove", "1").contains("removed"))
    }

    @Test("puts a file at the path of -d and -o, and creates the directories")
    func output() async throws {
        let fixture = try await QueueCommandFixture()
        let url = fixture.server.url("plain", 1000, name: "a")
        try await fixture.must("add", "-d", "files", "-o", "new/b", url)
        try await fixture.must("add", "--key", "two", "-o", "kept/", url)
        let end = try await fixture.run("start", "--progress", "none")
        #expect(end.status == 0, "\(end.errors)")
        #expect(try fixture.directory.read("files/new/b").count == 1000)
        #expect(try fixture.directory.read("kept/a").count == 1000)
    }

    @Test("a database that is damaged or of a newer version is left unchanged")
    func badStore() async throws {
        let fixture = try await QueueCommandFixture()
        try fixture.directory.write(String(repeating: "no database ", count: 500), to: "queue.sqlite")
        let before = try fixture.directory.read("queue.sqlite")
        for arguments in [["list"], ["start"], ["add", "http://127.0.0.1:1/x"], ["pause", "all"]] {
            let result = try await fixture.run(arguments)
            #expect(result.status == 5)
            #expect(result.errors.contains("is damaged, or not a queue"), "\(result.errors)")
        }
        #expect(try fixture.directory.read("queue.sqlite") == before)
    }

    @Test("a command that was abandoned before it was read has no later effect")
    func givenUp() async throws {
        let fixture = try await QueueCommandFixture()
        // Takes minutes over any connection: a replacement after the stop does not finish it either.
        try await fixture.add(1, size: 3_000_000, query: "rate=10000")
        let process = try fixture.start("start", "--keep-running", "--progress", "none")
        try await fixture.wait { $0[0].bytesCompleted > 0 }
        process.send(SIGSTOP)
        for signal in [SIGINT, SIGKILL] {
            var (status, killed): (Int32?, Int32?) = (6, nil)
            // A command times out after some seconds: on a busy machine before the signal arrives.
            for _ in 0..<10 where status == 6 {
                let before = fixture.connections
                let command = try fixture.start("remove", "all", "--delete-files")
                try await fixture.wait(until: { fixture.connections > before || !command.isRunning })
                command.send(signal)
                let result = await command.result()
                (status, killed) = (result.status, result.signal)
            }
            #expect(killed == signal)
        }
        process.send(SIGCONT)
        // On a busy machine it accepts a command later than the command waits, which then has no effect.
        var paused = try await fixture.run("pause", "all")
        for _ in 0..<20 where paused.status == 6 { paused = try await fixture.run("pause", "all") }
        #expect(paused.status == 0, "\(paused.errors)")
        #expect(try await fixture.list().map(\.state) == [.paused])
        process.send(SIGTERM)
        _ = await process.result()
        #expect(fixture.fileNames == ["f1.bin.part", "f1.bin.part.segdl"])
    }

    @Test("an idle run sleeps until a command arrives", .timeLimit(.minutes(10)))
    func sleeps() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.must("add", "--paused", "http://127.0.0.1:9/first")
        let process = try fixture.start("start", "--keep-running", "--progress", "none")
        try await fixture.wait(until: { fixture.connections > 0 })
        // A loop that polls or draws wakes up several times per second. libdispatch has its own timer, once
        // per second.
        var quiet = false
        while !quiet {
            let before = process.sleeps
            try await Task.sleep(for: .seconds(2))
            quiet = process.sleeps - before <= 6
        }
        try await fixture.must("add", "--paused", "http://127.0.0.1:9/second")
        #expect(try await fixture.list().count == 2)
        process.send(SIGTERM)
        _ = await process.result()
    }

    @Test("the command that ends a queue's run gets its reply", arguments: ["pause", "cancel", "remove"])
    func lastVerb(verb: String) async throws {
        for _ in 0..<5 {
            let fixture = try await QueueCommandFixture()
            try await fixture.addHeld(1, size: 3_000_000, at: 1_500_000)
            let process = try fixture.start("start", "--progress", "none")
            try await fixture.wait { $0[0].bytesCompleted > 0 }
            try await fixture.must(verb, "all")
            #expect(await process.result().status == 0)
        }
    }

    @Test("a list sets each file's destination and expected content")
    func listOptions() async throws {
        let fixture = try await QueueCommandFixture()
        let (one, two) = (
            fixture.server.url("plain", 1000, name: "one"), fixture.server.url("plain", 1000, name: "two")
        )
        let wrong = String(repeating: "0", count: 64)
        let list =
            "\(one)\n  out=new/first\n  dir=.\n\(two)\n  checksum=sha256=\(wrong)\n"
            + "\(one)\n  header=X: 1\n"
        try fixture.directory.write(list, to: "list")
        let added = try await fixture.run("add", "-d", "files", "-i", "list")
        #expect(added.status == 1 && added.errors.contains("list:6: a queue stores no headers"))
        #expect(try await fixture.run("start", "--progress", "none").status == 1)
        #expect(try await fixture.list().map(\.state) == [.completed, .failed])
        #expect(try fixture.directory.read("new/first").count == 1000)
    }

    @Test("the minimum and maximum priorities are accepted")
    func extremePriorities() async throws {
        let fixture = try await QueueCommandFixture()
        for priority in [Int.min, Int.max, 0] {
            let url = fixture.server.url("plain", 1000, name: "\(priority).bin")
            try await fixture.must("add", "-d", "files", "--priority=\(priority)", url)
        }
        try await fixture.must("start", "-j", "1", "--progress", "none")
        let names = try await fixture.server.requests().map(\.target)
        #expect(
            names.map { $0.split(separator: "/").last?.split(separator: "?").first ?? "" } == [
                "\(Int.max).bin", "0.bin", "\(Int.min).bin",
            ])
    }

    @Test("adding an existing file reports that it is left unchanged")
    func addsAgain() async throws {
        let fixture = try await QueueCommandFixture()
        let url = fixture.server.url("plain", 1000)
        try await fixture.must("add", "-d", "files", "--paused", url)
        let again = try await fixture.run("add", "-d", "files", "--priority", "5", url)
        #expect(again.status == 0)
        #expect(again.errors.contains("already in the queue (paused)"))
        try await fixture.must(
            "add", "-d", "files", "--paused", "--front", fixture.server.url("plain", 1000, name: "first"))
        #expect(try await fixture.list().map(\.id) == [2, 1])
        try await fixture.must("resume", "2")
        try await fixture.must("start", "--progress", "none")
        let first = fixture.server.url("plain", 1000, name: "first")
        let done = try await fixture.run("add", "-d", "files", first)
        #expect(done.status == 0 && done.errors.contains("number 2 was completed before"), "\(done)")
    }

    @Test(
        "a list longer than one batch keeps its order, at the back and at the front",
        arguments: [false, true])
    func longList(front: Bool) async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.must("add", "--paused", "http://127.0.0.1:9/first")
        let urls = (0..<2_500).map { "http://127.0.0.1:9/file\($0)" }
        let options = ["add", "--paused", "-i", "-"] + (front ? ["--front"] : [])
        // One of them twice, and one line that is not a URL.
        let input = (urls + [urls[0], "ftp://127.0.0.1/x"]).joined(separator: "\n")
        let result = try await fixture.run(options, input: input)
        #expect(result.status == 1)
        #expect(result.errors.contains("ftp"))
        #expect(result.output.split(separator: "\n").count == urls.count + 1)
        let lines = try await fixture.list()
        let first = ["http://127.0.0.1:9/first"]
        #expect(lines.map(\.source) == (front ? urls + first : first + urls))
        #expect(lines.map(\.position) == Array(0...urls.count))
    }
}

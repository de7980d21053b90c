import TestContent
import TestSupport
import Testing

@Suite("segdl fetch while it waits, and when waiting does not help", .timeLimit(.minutes(10)))
struct WaitingTests {
    private let directory: TemporaryDirectory
    private let server: TestServerProcess.Scenario

    init() async throws {
        directory = try TemporaryDirectory()
        server = try await SharedServer.scenario()
    }

    private func fetch(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(
            ["fetch", "--progress", "plain", "--retry-delay", "0.01"] + arguments, in: directory)
    }

    private func lines(_ result: ChildProcess.Result) -> [String] {
        result.errors.split(separator: "\n").map(String.init)
    }

    // MARK: What it says

    @Test("a port that refuses is reported at once, and given up after two retries")
    func refused() async throws {
        let result = try await fetch(["http://127.0.0.1:1/x"])
        #expect(result.status == 2, "\(result)")
        let lines = lines(result)
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.contains("; trying again in ") == true, "\(lines)")
        #expect(lines.first?.contains("(1 of 2)") == true, "\(lines)")
        #expect(lines.last?.hasSuffix("; check the host and the port.") == true, "\(lines)")
    }

    @Test("a name that does not exist is reported at once, and given up after two retries")
    func unknownName() async throws {
        let result = try await fetch(["http://no-such-host.invalid/x"])
        #expect(result.status == 2, "\(result)")
        #expect(result.errors.contains("'no-such-host.invalid' cannot be resolved"), "\(result)")
        #expect(result.errors.contains("; trying again in "), "\(result)")
        #expect(result.errors.contains("; check the name, or the network."), "\(result)")
    }

    @Test("--retries also applies to a host that never responds")
    func explicitRetries() async throws {
        let result = try await fetch(["-v", "--retries", "4", "http://127.0.0.1:1/x"])
        #expect(result.status == 2, "\(result)")
        #expect(result.errors.contains("(4 of 4)"), "\(result)")
    }

    @Test(
        "a temporary outage is reported in one line, not one for each connection, and one at its end",
        arguments: [1, 4])
    func outage(segments: Int) async throws {
        let nginx = try await Nginx(server: "limit_rate \(600 / segments)k;")
        let size: Int64 = 6_000_000
        try TestContent(seed: 1).write(to: nginx.root.file("f"), length: size)
        // All retries would fail during the outage.
        let process = try Segdl.start(
            [
                "fetch", "--progress", "plain", "-s", "\(segments)", "--min-segment-size", "64k", "--log",
                "log",
                "--retry-delay", "0.01", nginx.url("f"),
            ], in: directory)
        try await directory.waitFor("f.part.segdl")
        try await nginx.stop()
        while process.isRunning,
            try !String(decoding: directory.read("log"), as: UTF8.self).contains("trying again for")
        {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await nginx.start()
        let result = await process.result()
        #expect(result.status == 0, "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: size) == nil)
        let lines = lines(result).filter { $0.contains("127.0.0.1") }
        #expect(lines.count == 2, "\(result)")
        #expect(lines.first?.contains("trying again for 120 s") == true, "\(lines)")
        #expect(lines.last?.contains("responds again after") == true, "\(lines)")
    }

    @Test(
        "--retry-max-time limits the wait for a server that is down",
        arguments: [["--retries", "2"], ["--retry-max-time", "0"]])
    func outageIsBounded(options: [String]) async throws {
        let nginx = try await Nginx(server: "limit_rate 400k;")
        try TestContent(seed: 1).write(to: nginx.root.file("f"), length: 2_000_000)
        let process = try Segdl.start(
            ["fetch", "--progress", "plain", "--retry-delay", "0.01", nginx.url("f")] + options, in: directory
        )
        try await directory.waitFor("f.part.segdl")
        try await nginx.stop()
        let result = await process.result()
        #expect(result.status == 2 && !result.errors.contains("trying again for"), "\(result)")
    }

    @Test("--retry-max-time limits the wait that a busy server requests", arguments: [503, 429])
    func requestedWait(code: Int) async throws {
        let scenario = try await SharedServer.scenario()
        let url = scenario.url("status", 1000, "code=\(code)&retry-after=600")
        let result = try await fetch(["--retry-max-time", "60", url])
        #expect(result.status == 3 && result.errors.contains("requests a delay of 600 s"), "\(result)")
        #expect(try await scenario.requests().count == 1)
    }

    @Test("of many files at an unresponsive host only the first is retried")
    func deadHost() async throws {
        let urls = (0..<5).map { "http://127.0.0.1:1/f\($0)" }
        let result = try await fetch(["-v", "-j", "1"] + urls)
        #expect(result.status == 1, "\(result)")
        #expect(lines(result).count { $0.contains("; trying again in ") } == 2, "\(result)")
        #expect(lines(result).count { $0.hasPrefix("failed: ") } == 5, "\(result)")
    }

    @Test("a host that responded and then closes each connection at once is waited for like one that is down")
    func droppedAtOnce() async throws {
        // More failures than retries, over more than the 1.5 seconds after which an outage is reported, whatever
        // the jitter is.
        let urls = [
            server.url("plain", 1000, name: "a"),
            server.url("hang-up-before-head", 1000, name: "b", "times=12"),
        ]
        let result = try await fetch(["-j", "1"] + urls)
        #expect(result.status == 0, "\(result)")
        #expect(try await server.requests().count == 13, "\(result)")
        let told = lines(result).filter { $0.contains("127.0.0.1") }
        #expect(told.count == 2, "\(result)")
        #expect(told.first?.contains("trying again for 120 s") == true, "\(told)")
        #expect(told.last?.contains("responds again after") == true, "\(told)")
    }

    @Test("of many files at a host that drops packets only the first ones wait for it")
    func silentHost() async throws {
        let listener = try SilentListener(drops: true)
        let urls = (0..<20).map { "http://127.0.0.1:\(listener.port)/f\($0)" }
        let result = try await fetch(
            ["-j", "1", "--connect-timeout", "1.2", "--retries", "1"] + urls)
        #expect(result.status == 1, "\(result)")
        let failures = lines(result).filter { $0.hasPrefix("failed: ") }
        #expect(failures.count == 20, "\(result)")
        // A busy machine may take so long that a further file is tried.
        #expect(failures.count { $0.contains("as on the previous attempt") } >= 10, "\(result)")
    }

    @Test("of many files at a host that closes connections at once only the first is retried")
    func droppingHost() async throws {
        let scenario = try await SharedServer.scenario()
        let urls = (0..<5).map { scenario.url("hang-up-before-head", 1000, name: "f\($0)", "times=99") }
        let result = try await fetch(["-j", "1", "--retries", "2"] + urls)
        #expect(result.status == 1, "\(result)")
        #expect(try await scenario.requests().count == 7, "\(result)")
    }

    @Test("-v reports each retry and its reason, and without it none is reported")
    func retries() async throws {
        for (option, count) in [([], 0), (["-v"], 2)] as [([String], Int)] {
            let scenario = try await SharedServer.scenario()
            let url = scenario.url("hang-up-before-head", 1000, name: "f\(count)", "times=2")
            let result = try await fetch(option + [url])
            #expect(result.status == 0, "\(result)")
            #expect(lines(result).count { $0.contains("; trying again in ") } == count, "\(result)")
        }
    }

    @Test(
        "a server that fails repeatedly is reported once without -v",
        arguments: [
            ("status", "code=503"), ("status", "code=500"), ("hang-up-before-head", "times=99"),
        ])
    func lasting(behaviour: String, query: String) async throws {
        let result = try await fetch(["--retries", "3", server.url(behaviour, 1000, query)])
        #expect(result.status != 0, "\(result)")
        let lines = lines(result)
        #expect(lines.count { $0.contains("trying again") } == 1, "\(lines)")
        #expect(lines.contains { $0.contains("trying again") && $0.contains("(3 of 3)") }, "\(lines)")
    }

    @Test("-v reports redirects, -vv also headers, and neither shows a query")
    func redirects() async throws {
        let url = server.url("redirect-chain", 1000, "n=2")
        for (option, shows) in [("-v", false), ("-vv", true)] {
            let result = try await fetch([option, "--restart", "--if-exists", "replace", url])
            #expect(result.status == 0, "\(result)")
            #expect(lines(result).count { $0.contains(" redirects to ") } == 2, "\(result)")
            #expect(result.errors.contains("answered 302: ") == shows, "\(result)")
            #expect(result.errors.contains("content-range: bytes 0-999/1000") == shows, "\(result)")
            #expect(!result.errors.contains(server.token), "\(result)")
        }
    }

    @Test("-v and -q cannot be combined, even if repeated")
    func quiet() async throws {
        let result = try await fetch(["-q", "-vv", "http://127.0.0.1:1/x"])
        #expect(result.status == 64, "\(result)")
    }

    @Test("a mirror with a file of another length is reported as having another file")
    func otherFile() async throws {
        let size: Int64 = 4_000_000
        let other = server.url("plain", 1000, name: "other")
        let result = try await fetch([
            "-o", "f", "--min-segment-size", "64k", "--mirror", other,
            server.url("plain", size, "rate=1000000"),
        ])
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("it has a different file (its length differs)"), "\(result)")
        #expect(!result.errors.contains("keeps changing"), "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: size) == nil)
    }

    @Test("a mirror with another date is reported, unless a checksum proves the file")
    func otherDate() async throws {
        let size: Int64 = 4_000_000
        let later = server.url(
            "plain", size, name: "later", "rate=300000&lm=Thu,%2002%20Jan%202025%2000:00:00%20GMT")
        let arguments = [
            "-x", "4", "-s", "4", "--min-segment-size", "64k", "--mirror", later,
            server.url("plain", size, "rate=300000"),
        ]
        let told = try await fetch(["-o", "f"] + arguments)
        #expect(told.status == 0, "\(told)")
        #expect(
            lines(told).filter { $0.contains("/later?…") && $0.contains("a different date") }.count == 1,
            "\(told)")
        let digest = try await Segdl.sha256(of: server.url("plain", size))
        let proven = try await fetch(["-o", "g", "--checksum", "sha256=\(digest)"] + arguments)
        #expect(proven.status == 0, "\(proven)")
        #expect(!proven.errors.contains("a different date"), "\(proven)")
    }

    @Test("-v reports a dropped mirror once, with the reason")
    func droppedMirror() async throws {
        let gone = server.url("status", 1000, name: "gone", "code=404")
        let result = try await fetch([
            "-v", "-o", "f", "--min-segment-size", "64k", "--mirror", gone,
            server.url("plain", 4_000_000, "rate=1000000"),
        ])
        #expect(result.status == 0, "\(result)")
        let about = lines(result).filter { $0.contains("/gone?") }
        #expect(about.count == 1 && about[0].hasPrefix("Dropping the source "), "\(result)")
        #expect(about.first?.hasSuffix("the server answered 404 (not found)") == true, "\(result)")
    }

    // MARK: What it advises

    @Test("a stopped stream reports that it will start over")
    func stoppedStream() async throws {
        let url = server.url("chunked", 9_000_000, "hold=2000000")
        let process = try Segdl.start(["fetch", "--progress", "plain", "-o", "f", url], in: directory)
        try await directory.waitFor("f.part")
        while try directory.read("f.part").count < 100_000 { try await Task.sleep(for: .milliseconds(10)) }
        process.send(15)
        let result = await process.result()
        #expect(result.status == 143, "\(result)")
        #expect(result.errors.contains("run it again; it will start over"), "\(result)")
    }

    @Test("two signals at once, as sent by `timeout`, stop with a checkpoint")
    func twoSignals() async throws {
        let url = server.url("plain", 9_000_000, "rate=300000&hold-tail=2000")
        let process = try Segdl.start(
            ["fetch", "--progress", "plain", "-s", "2", "-o", "f", url], in: directory)
        try await Segdl.waitUntilKept("f", atLeast: 100_000, in: directory)
        process.send(15)
        process.send(15)
        let result = await process.result()
        #expect(result.status == 143, "\(result)")
        #expect(result.errors.contains("stopped: f at "), "\(result)")
        #expect(result.errors.contains("run it again to resume"), "\(result)")
    }

    @Test("a resume based only on samples says so", arguments: ["rotating-etag", "plain"])
    func sampledResume(behaviour: String) async throws {
        let size: Int64 = 3_000_000
        let validators = behaviour == "plain" ? "&lm=none&etag=none" : ""
        let url = server.url(behaviour, size, "hold-tail=2000" + validators)
        let arguments = ["-s", "1", "-o", "f", url]
        let process = try Segdl.start(["fetch", "-q"] + arguments, in: directory)
        try await Segdl.waitUntilKept("f", atLeast: 500_000, in: directory)
        process.send(15)
        #expect(await process.result().status == 143)
        try await server.release()
        let result = try await fetch(arguments)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("only a checksum would prove"), "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: size) == nil)
    }

    @Test("bytes of another URL are kept, unless --restart is given")
    func otherURL() async throws {
        let first = server.url("plain", 9_000_000, name: "a", "rate=300000&hold-tail=2000")
        let process = try Segdl.start(["fetch", "-q", "-s", "2", "-o", "f", first], in: directory)
        try await Segdl.waitUntilKept("f", atLeast: 100_000, in: directory)
        process.send(2)
        #expect(await process.result().signal == 2)
        let before = try Segdl.kept("f", in: directory)

        let second = server.url("plain", 500_000, name: "b", "seed=2")
        let refused = try await fetch(["-o", "f", second])
        #expect(refused.status == 5, "\(refused)")
        for text in ["f.part", "/a?…", "/b?…", "its length differs", "--restart"] {
            #expect(refused.errors.contains(text), "\(text): \(refused)")
        }
        #expect(try Segdl.kept("f", in: directory) == before)

        let result = try await fetch(["-o", "f", "--restart", second])
        #expect(result.status == 0, "\(result)")
        let mismatch = try TestContent(seed: 2).firstMismatch(inFile: directory.file("f"), length: 500_000)
        #expect(mismatch == nil)
    }

    @Test("a wrong password is reported as such")
    func wrongPassword() async throws {
        let url = server.url("auth", 1000, "u=me&p=secret")
        let none = try await fetch([url])
        #expect(none.status == 3 && none.errors.contains("give credentials"), "\(none)")
        let wrong = try await fetch(["--user", "me:wrong", url])
        #expect(wrong.status == 3 && wrong.errors.contains("check the user name and password"), "\(wrong)")
    }

    @Test("a proxy that does not listen is reported as the proxy")
    func proxy() async throws {
        let result = try await fetch(["--proxy", "http://127.0.0.1:1", "http://host.example/x"])
        #expect(result.status == 2, "\(result)")
        #expect(result.errors.contains("no connection to the proxy 127.0.0.1:1"), "\(result)")
        let name = try await fetch(["--proxy", "http://no-such-proxy.invalid:1", "http://host.example/x"])
        #expect(name.errors.contains("the proxy no-such-proxy.invalid cannot be resolved"), "\(name)")
    }

    @Test("a reader that exited is not reported as a disk error")
    func brokenPipe() async throws {
        let script = "\"$0\" fetch -o - \"$1\" | head -c 10 > /dev/null"
        let shell = try ChildProcess(
            "/bin/sh", ["-c", script, Segdl.path, server.url("plain", 5_000_000)], directory: directory.path)
        let result = await shell.result()
        #expect(result.errors.contains("the program that reads it has ended"), "\(result)")
        #expect(!result.errors.contains("check the disk"), "\(result)")
    }

    @Test("a name with spaces is not repeated in its encoded form")
    func encodedName() async throws {
        try directory.write("x", to: "a b.bin")
        let result = try await fetch([server.url("plain", 1000, name: "a%20b.bin")])
        #expect(result.status == 5, "\(result)")
        #expect(!result.errors.contains("a%20b.bin"), "\(result)")
    }
}

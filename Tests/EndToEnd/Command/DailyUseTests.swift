import TestContent
import TestSupport
import Testing

@Suite("Commands that users of other tools type", .timeLimit(.minutes(10)))
struct DailyUseTests {
    /// A command line as a user of other tools types it, and the result.
    ///
    /// A word that begins with @ is a URL of the test server: `@plain/10/f` is `/plain/10/f`. A word that
    /// begins with = is a file containing `x`, created before.
    struct Line: Sendable, CustomTestStringConvertible {
        var words: [String]
        var status: Int32
        var says: [String]
        var never: [String] = []
        /// The names in the directory afterwards; `nil` for any names.
        var leaves: [String]? = []

        init(
            _ text: String, _ status: Int32, _ says: String..., never: [String] = [], leaves: [String]? = []
        ) {
            words = text.split(separator: " ").map(String.init)
            (self.status, self.says, self.never, self.leaves) = (status, says, never, leaves)
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    private static let lines: [Line] = [
        // Unknown options are reported first: their values would be mistaken for URLs.
        Line("fetch --xyz 3 -o x @plain/10/f", 64, "--xyz is not an option of segdl fetch", never: ["URL"]),
        Line(
            "queue add --xyz 3 -o x @plain/10/f", 64, "--xyz is not an option of segdl queue add",
            never: ["URL"]),
        Line("ftech @plain/10/f", 64, "did you mean segdl fetch?"),
        Line("get @plain/10/f", 64, "did you mean segdl fetch?", "fetch, mirror, queue"),
        Line("-x16 -s16 -j5 -k1M -o f @plain/10/f", 0, "done: f: 10 B", leaves: ["f"]),
        Line("--limit-rate 0 -o f @plain/10/f", 0, "done: f", leaves: ["f"]),
        // Standard output is a pipe here, to which curl would write.
        Line("-fsSL @plain/10/f", 0, "use -o - for standard output", leaves: ["f"]),
        Line("-fsSL -o f @plain/10/f", 0, never: ["write -o"], leaves: ["f"]),
        Line("-q @plain/10/f", 0, never: ["write -o"], leaves: ["f"]),
        Line("-V", 0, "segdl ", "libcurl"), Line("version", 0, "segdl ", "libcurl"),
        // The purpose of a command, and the meaning of its symbols.
        Line("--help", 0, "Exit status: 0 complete", "--generate-completion-script bash"),
        Line("fetch --help", 0, "█ on disk", "· missing"),
        // Messages name the option that helps.
        Line(
            "fetch --restart -o =f @plain/20/f", 5, "'f' exists", "--if-exists replace", leaves: ["f"]),
        Line("-O /dev/null @plain/10/f", 64, "write -o /dev/null"),
        Line("-O dir/x @plain/10/f", 64, "write -o dir/x"),
        Line("-x http://p:1 -U a:secret @plain/10/f", 64, "in the URL of --proxy", never: ["secret"]),
        Line("--bwlimit 08:00,512k @plain/10/f", 64, "not a schedule", "segdl queue limit --limit-rate RATE"),
        Line("-x @plain/10/f", 64, "--proxy took the URL http"),
        Line("--mirror @plain/10/f", 64, "--mirror took the URL http"),
        Line("-x http://127.0.0.1:1 --mirror @plain/10/f", 64, "--mirror took the URL http"),
        Line("-a -n 4 -o f @plain/10/f", 0, leaves: ["f"]),
        Line("-s 5000000 @plain/10/f", 64, "use --limit-rate 5000000", never: ["--max-connections"]),
        Line("-q --progress json @plain/10/f", 0, "\"event\":\"summary\"", never: ["done:"], leaves: ["f"]),
        Line("-c --restart @plain/10/f", 64, "--continue and --restart cannot be combined"),
        Line("-# @plain/10/f", 0, "f: ", never: ["\u{1b}[3"], leaves: ["f"]),
        Line("-e robots=off @plain/10/f", 64, "-e is --referer here", "robots.txt"),
        Line("-e http://host/?a=b @plain/10/f", 0, leaves: ["f"]),
        Line("-n 4 -av @plain/10/f", 0, leaves: ["f"]),
        Line("-s -w %{http_code} @plain/10/f", 64, "curl's -s is -q here"),
        Line("--max-filesize 0 @plain/10/f", 0, leaves: ["f"]),
        Line("-s 17 @plain/10/f", 0, leaves: ["f"]), Line("-s 8 -x 4 @plain/10/f", 0, leaves: ["f"]),
        Line("--output=-y @plain/10/f", 0, "done: -y", leaves: ["-y"]),
        Line("-q --show-progress @plain/10/f", 0, "done: f", leaves: ["f"]),
        Line("--netrc-optional --read-timeout=20 --dns-timeout=3 @plain/10/f", 0, leaves: ["f"]),
        Line("--progress=dot:giga @plain/10/f", 0, "done: f", leaves: ["f"]),
        Line("--capath certs @plain/10/f", 64, "Use --cacert FILE"),
        Line("--tlsv1.3 @plain/10/f", 64, "Remove it"),
        Line("-6 -o f @plain/10/f", 64, "only IPv6 is allowed", never: ["trying again", "later"]),
        Line("-4 http://[::1]:1/f", 64, "only IPv4 is allowed", never: ["trying again", "later"]),
        Line(
            "bench --against wget @plain/10/f", 64, "--against accepts curl, aria2c, axel, wget2, not 'wget'"),
        // A mirror that cannot begin prints one line about that, and none about missing files.
        Line(
            "mirror --retries 1 --retry-delay 0.01 http://no-such-host.invalid/ c", 2, "cannot be resolved",
            "trying again in", never: ["0 files", "0 of 0"], leaves: nil),
        Line(
            "mirror @plain/500/x?ctype=text/plain c", 64, "is not an HTML listing", never: ["0 files"],
            leaves: nil),
    ]

    @Test("get the right status and helpful messages", arguments: lines)
    func answers(line: Line) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        var words: [String] = []
        for word in line.words {
            switch word.first {
            case "@":
                let mark = word.contains("?") ? "&" : "?"
                words.append("\(server.base)/\(word.dropFirst())\(mark)case=\(server.token)")
            case "=":
                let name = String(word.dropFirst())
                try directory.write("x", to: name)
                words.append(name)
            default: words.append(word)
            }
        }
        let result = try await Segdl.run(words, in: directory)
        #expect(result.status == line.status, "\(result)")
        let text = result.output + result.errors
        for part in line.says { #expect(text.contains(part), "\(part): \(result)") }
        for part in line.never { #expect(!text.contains(part), "\(part): \(result)") }
        if let names = line.leaves { #expect(directory.names == names) }
    }

    @Test("a list of names requires --base, and a mirror without shards has no report")
    func mirrors() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "a", count: 32) + "  x\n", to: "local.md5")
        try directory.makeDirectory("copy")
        for (words, says) in [
            (["local.md5", "new"], "--base URL"), (["report", "copy"], "--shard I/N"),
        ] {
            let result = try await Segdl.run(["mirror"] + words, in: directory)
            #expect(result.status == 64 && result.errors.contains(says), "\(result)")
            #expect(!result.errors.contains("0 files"), "\(result)")
        }
        #expect(directory.names == ["copy", "local.md5"])
    }

    @Test("a correct file counts as complete with --if-exists skip and its digest, a partial one never does")
    func skip() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 300_000, name: "f")
        #expect(try await Segdl.run(["-q", url], in: directory).status == 0)
        let sum = try await ChildProcess("/usr/bin/sha256sum", [directory.file("f")]).result().output
        let right = "sha256=\(sum.prefix(64))"
        let before = try await server.peak().requests
        for policy in ["fail", "skip", "update"] {
            let again = try await Segdl.run(["--if-exists", policy, "--checksum", right, url], in: directory)
            #expect(again.status == 0 && again.errors.contains("exists, unchanged"), "\(again)")
        }
        // The digest suffices: no request is sent.
        #expect(try await server.peak().requests == before)
        let stump = TestContent(seed: 1).bytes(0..<100_000)
        try directory.write(String(decoding: stump.map { $0 & 0x7f }, as: UTF8.self), to: "f")
        for options in [["--checksum", right], []] {
            let result = try await Segdl.run(["--if-exists", "skip"] + options + [url], in: directory)
            #expect(result.status == 4, "\(options): \(result)")
            #expect(try directory.read("f").count == 100_000)
        }
    }

    @Test("a partial file of curl is resumed with -c, and its bytes are not fetched again")
    func continues() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size = 8_000_000
        let url = server.url("plain", Int64(size), name: "f")
        let curl = try await ChildProcess(
            "/usr/bin/curl", ["-s", "-r", "0-5999999", "-o", directory.file("f"), url]
        ).result()
        #expect(curl.status == 0, "\(curl)")
        let result = try await Segdl.run(["-c", "--progress", "json", url], in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains(#""bytes_written":2000000,"#), "\(result)")
        #expect(directory.names == ["f"])
        let file = directory.file("f")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: Int64(size)) == nil)
    }
}

import Foundation
import TestContent
import TestSupport
import Testing

@Suite("segdl fetch for users of curl")
struct HabitTests {
    @Test("sends an empty header for 'Name;', and omits it for 'Name:'")
    func headers() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["-q", "-H", "X-Empty;", "-H", "X-None:", "-H", "User-Agent:", server.url("plain", 100)],
            in: directory)
        #expect(result.status == 0, "\(result)")
        let sent = try #require(try await server.requests().first?.headers)
        #expect(sent["x-empty"] == "" && sent["x-none"] == nil && sent["user-agent"] == nil, "\(sent)")
    }

    @Test("omits headers of the connection that a browser copies, and says so", arguments: [true, false])
    func copiedHeaders(isQuiet: Bool) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            (isQuiet ? ["-q"] : []) + [
                "-H", "Accept-Encoding: gzip, deflate, br", "-H", "Connection: keep-alive", "-H", "X-A: b",
                server.url("plain", 100),
            ], in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(
            result.errors.contains("the headers Accept-Encoding and Connection are not sent") != isQuiet,
            "\(result)")
        let sent = try #require(try await server.requests().first?.headers)
        #expect(sent["accept-encoding"] == "identity" && sent["x-a"] == "b", "\(sent)")
    }

    @Test("fetches a URL given twice once, and trims spaces around it")
    func twice() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 100, name: "f")
        let result = try await Segdl.run([url, " \(url)\n"], in: directory)
        #expect(result.status == 0 && result.errors.contains("fetched once"), "\(result)")
        #expect(directory.names == ["f"])
    }

    @Test("fetches an address without a scheme over http, and says so", arguments: [[], ["fetch"], ["-q"]])
    func bareAddress(words: [String]) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 100, name: "f")
        let result = try await Segdl.run(words + [String(url.dropFirst("http://".count))], in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(
            result.errors.contains("fetched over http: http://127.0.0.1:") == (words != ["-q"]), "\(result)")
        #expect(try directory.read("f") == TestContent(seed: 1).bytes(0..<100))
    }

    @Test("does not mistake a file or directory for an address, and shows the URL for a list")
    func noAddress() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("127.0.0.1:1/g\n", to: "list")
        try FileManager.default.createDirectory(
            atPath: directory.file("a.dir"), withIntermediateDirectories: false)
        for (words, says) in [
            (["a.dir/f"], "with its scheme, as in http://a.dir/f"),
            (["-i", "list"], "with its scheme, as in http://127.0.0.1:1/g"),
            (["queue", "add", "localhost:1/x"], "with its scheme, as in http://localhost:1/x"),
        ] {
            let state = ["XDG_STATE_HOME": directory.file("state")]
            let result = try await Segdl.run(words, in: directory, environment: state)
            #expect(result.status == 64 && result.errors.contains(says), "\(result)")
        }
    }

    @Test("sends one request and N further ones with --retry N", arguments: [0, 1, 3])
    func retries(count: Int) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("status", 100, name: "f", "code=500")
        let result = try await Segdl.run(
            ["--retry", "\(count)", "--retry-delay", "0.01", url], in: directory)
        #expect(result.status == 3, "\(result)")
        #expect(try await server.requests().count == count + 1)
    }

    @Test("pairs URLs with names in their order, as curl does")
    func pairs() async throws {
        let server = try await SharedServer.scenario()
        let (one, two) = (server.url("plain", 100, name: "f"), server.url("plain", 200, name: "g"))
        for (words, lengths) in [
            (["-o", "a", one, "-o", "b", two], ["a": 100, "b": 200]),
            ([one, two, "-d", "out", "-o", "a", "-o", "b"], ["out/a": 100, "out/b": 200]),
            (["-o", "new/a", one, "-O", two], ["new/a": 100, "g": 200]),
            (["-LO", one, "-o", "b", two], ["f": 100, "b": 200]),
            (["-O", one, "-O", two], ["f": 100, "g": 200]),
            (["-o", "a", "-O", one], ["a": 100]),
        ] {
            let directory = try TemporaryDirectory()
            let result = try await Segdl.run(["-q"] + words, in: directory)
            #expect(result.status == 0, "\(words): \(result)")
            for (name, length) in lengths {
                #expect(try directory.read(name) == TestContent(seed: 1).bytes(0..<Int64(length)), "\(words)")
            }
        }
    }

    @Test(
        "refuses more or fewer names than URLs, and standard output or a device among several",
        arguments: [
            ("-o a u v", "write -o NAME URL -o NAME URL"), ("-o a -o b -o c u v", "2 URLs are given"),
            ("-o x -o a u", "2 names are given for one URL (x and a)"),
            ("-o a -o - u v", "--output - requires exactly one URL"),
            ("-o a -o /dev/null u v", "--output /dev/null requires exactly one URL"),
            ("-o a -o b -i list u", "a list is given"),
        ])
    func unpaired(line: String, says: String) async throws {
        let directory = try TemporaryDirectory()
        let words = line.split(separator: " ").map {
            $0.count == 1 && "uv".contains($0) ? "http://127.0.0.1:1/\($0)" : String($0)
        }
        let result = try await Segdl.run(words, in: directory)
        #expect(result.status == 64 && result.errors.contains(says), "\(result)")
        #expect(directory.names.isEmpty)
    }

    @Test("accepts the user and password options of wget and aria2")
    func login() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("auth", 100, name: "f", "u=me&p=secret")
        for words in [["--user=me", "--password=secret"], ["--http-user", "me", "--http-passwd", "secret"]] {
            let directory = try TemporaryDirectory()
            let result = try await Segdl.run(["-q"] + words + [url], in: directory)
            #expect(result.status == 0, "\(result)")
            #expect(directory.names == ["f"])
        }
    }

    @Test(
        "shows the help of the queue for each form of the request, and all exit statuses in the first one"
    )
    func help() async throws {
        let directory = try TemporaryDirectory()
        let usual = try await Segdl.run(["queue", "--help"], in: directory)
        #expect(usual.status == 0 && usual.output.contains("segdl queue start"), "\(usual)")
        for words in [["queue", "help"], ["help", "queue"], ["queue", "-h"]] {
            let result = try await Segdl.run(words, in: directory)
            #expect(result.status == 0 && result.output == usual.output, "\(result)")
        }
        let verb = try await Segdl.run(["queue", "help", "add"], in: directory)
        #expect(verb.status == 0 && verb.output.contains("--front"), "\(verb)")
        let all = try await Segdl.run(["--help"], in: directory)
        let text = all.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("7 the file is complete, but --on-complete failed"), "\(text)")
    }

    @Test("suggests segdl mirror for a directory listing, and the suggestion works")
    func listing() async throws {
        let nginx = try await Nginx(server: "autoindex on;")
        try FileManager.default.createDirectory(
            atPath: nginx.root.file("tree"), withIntermediateDirectories: false)
        try nginx.root.write("text", to: "tree/f")
        let directory = try TemporaryDirectory()
        let url = nginx.url("tree/")
        let result = try await Segdl.run([url], in: directory)
        #expect(result.status == 64 && directory.names.isEmpty, "\(result)")
        #expect(result.errors.contains("(--output; for the files of a listing"), "\(result)")
        #expect(result.errors.contains("segdl mirror \(url) DIRECTORY)"), "\(result)")
        let mirrored = try await Segdl.run(["mirror", url, "out"], in: directory)
        #expect(mirrored.status == 0, "\(mirrored)")
        #expect(try directory.read("out/f") == Array("text".utf8))
    }

    @Test("explains how to use a list at a URL, and the suggestion works")
    func listAtURL() async throws {
        let server = try await SharedServer.scenario()
        let nginx = try await Nginx()
        try nginx.root.write(server.url("plain", 100, name: "f"), to: "list")
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(["-i", nginx.url("list")], in: directory)
        #expect(result.status == 64, "\(result)")
        #expect(result.errors.contains("segdl -qo - URL | segdl -i -"), "\(result)")
        let line = "'\(Segdl.path)' -qo - '\(nginx.url("list"))' | '\(Segdl.path)' -qi -"
        let piped = try await ChildProcess("/bin/sh", ["-c", line], directory: directory.path).result()
        #expect(piped.status == 0 && directory.names == ["f"], "\(piped)")
    }

    @Test("reports that a named pipe has no reader yet, and writes once it has one")
    func pipe() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let script = """
            mkfifo p && { "$0" fetch -o p "$1" 2> said & }
            for i in $(seq 600); do grep -q "until a program reads 'p'" said && break; sleep 0.05; done
            test "$i" -lt 600 || { kill $!; exit 1; }
            cat p > out && wait $!
            """
        let result = try await ChildProcess(
            "/bin/sh", ["-c", script, Segdl.path, server.url("plain", 3_000_000)], directory: directory.path
        ).result()
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["out", "p", "said"])
        let file = directory.file("out")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 3_000_000) == nil)
    }

    @Test("searches a netrc file, and reports a missing one")
    func netrc() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("default login me password secret\n", to: "credentials")
        let url = server.url("auth", 100, name: "f", "u=me&p=secret")
        let result = try await Segdl.run(["-q", "--netrc-file", "credentials", url], in: directory)
        #expect(result.status == 0, "\(result)")
        try directory.write(
            "machine 127.0.0.1 login a password other\nmachine 127.0.0.1 login me password secret\n",
            to: "two")
        let named = url.replacing("http://", with: "http://me@")
        let second = try await Segdl.run(["-q", "--netrc-file", "two", "-o", "g", named], in: directory)
        #expect(second.status == 0, "\(second)")
        let home = ["HOME": directory.path]
        for (options, says) in [(["--netrc"], ".netrc'"), (["--netrc-file", "missing"], "'missing'")] {
            let result = try await Segdl.run(options + [url], in: directory, environment: home)
            #expect(result.status == 64 && result.errors.contains(says), "\(result)")
        }
    }

    @Test("bypasses the proxy for the hosts of --no-proxy")
    func noProxy() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        for (name, option) in [("f", ["--no-proxy", "*"]), ("g", ["--noproxy", "localhost,127.0.0.1"])] {
            let result = try await Segdl.run(
                ["-q", "--retries", "0", "--proxy", "http://127.0.0.1:1"] + option
                    + [server.url("plain", 100, name: name)], in: directory)
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test("stops when --max-time expires, and resumes")
    func maxTime() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let slow = server.url("plain", 3_000_000, name: "f", "first-rate=100000")
        let stopped = try await Segdl.run(["--max-time", "1.5", "-s", "1", "-o", "f", slow], in: directory)
        #expect(stopped.status == 2 && stopped.errors.contains("--max-time has expired"), "\(stopped)")
        #expect(!directory.names.contains("f"))
        let again = try await Segdl.run(["-m", "600", "-o", "f", slow], in: directory)
        #expect(again.status == 0, "\(again)")
        let file = directory.file("f")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 3_000_000) == nil)
    }

    @Test(
        "refuses a file longer than --max-filesize, or one without a stated length",
        arguments: [("plain", "1M", 4), ("plain", "3000000", 0), ("chunked", "3000000", 4)]
            as [(String, String, Int32)])
    func maxFilesize(behaviour: String, most: String, status: Int32) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["--max-filesize", most, "-o", "f", server.url(behaviour, 3_000_000)], in: directory)
        #expect(result.status == status, "\(result)")
        #expect(directory.names == (status == 0 ? ["f"] : []))
    }

    @Test("stores encoded content unchanged with --encoded, and suggests that option")
    func encoded() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("encoded", 3_000_000, name: "f", "first=1")
        let refused = try await Segdl.run([url], in: directory)
        #expect(refused.status == 4 && refused.errors.contains("--encoded stores it"), "\(refused)")
        #expect(refused.errors.contains("--compressed decodes it"), "\(refused)")
        #expect(directory.names == [])
        let stored = try await Segdl.run(["--encoded", url], in: directory)
        #expect(stored.status == 0, "\(stored)")
        let file = directory.file("f")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 3_000_000) == nil)
    }

    @Test("decodes content that the server encodes with --compressed, and stops at --max-filesize")
    func compressed() async throws {
        let nginx = try await Nginx(server: "gzip on; gzip_types *; gzip_min_length 1; etag off;")
        let text = String(repeating: "a line that compresses well\n", count: 200_000)
        try nginx.root.write(text, to: "f")
        let directory = try TemporaryDirectory()
        let url = nginx.url("f")
        let stored = try await Segdl.run(["--compressed", url], in: directory)
        #expect(stored.status == 0, "\(stored)")
        #expect(try directory.read("f") == Array(text.utf8))
        let piped = try await Segdl.run(["--compressed", "-o", "-", url], in: directory)
        #expect(piped.status == 0 && piped.output == text)
        // The encoded bytes are a hundred times fewer.
        let long = try await Segdl.run(
            ["--compressed", "--max-filesize", "1M", "-o", "g", url], in: directory)
        #expect(long.status == 4 && long.errors.contains("more than 1048576 bytes"), "\(long)")
        let both = try await Segdl.run(["--compressed", "--encoded", url], in: directory)
        #expect(both.status == 64, "\(both)")
        #expect(directory.names == ["f"])
    }

    @Test(
        "names the option to remove if libcurl cannot decode: further members, trailing bytes",
        arguments: ["gzip -n < f; gzip -n < f", "gzip -n < f; echo tail", "echo nothing compressed"])
    func members(body: String) async throws {
        let nginx = try await Nginx(server: "location /z { add_header Content-Encoding gzip; }")
        try nginx.root.write("some text\n", to: "f")
        let made = try await ChildProcess(
            "/bin/sh", ["-c", "(\(body)) > z"], directory: nginx.root.path
        ).result()
        #expect(made.status == 0)
        let directory = try TemporaryDirectory()
        let decoded = try await Segdl.run(["--compressed", "-v", nginx.url("z")], in: directory)
        #expect(decoded.status == 2 && decoded.errors.contains("leave out --compressed"), "\(decoded)")
        #expect(!decoded.errors.contains("trying again"), "\(decoded)")
        #expect(directory.names == [])
    }

    @Test("refuses a cookie file without cookies")
    func cookies() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("a=b\n", to: "jar")
        let result = try await Segdl.run(["-b", "jar", "http://127.0.0.1:1/x"], in: directory)
        #expect(result.status == 64 && result.errors.contains("'jar' contains no cookies"), "\(result)")
        #expect(directory.names == ["jar"])
    }

    #if os(Linux)
        @Test("requires a password with the user if it has no terminal")
        func noTerminal() async throws {
            let directory = try TemporaryDirectory()
            let result = try await ChildProcess(
                "/usr/bin/setsid", ["-w", Segdl.path, "--user", "me", "http://127.0.0.1:1/x"],
                directory: directory.path
            ).result()
            #expect(result.status == 64 && result.errors.contains("user:password"), "\(result)")
        }

        @Test(
            "prompts for a missing password on a terminal without echoing it",
            arguments: [("secret\n", 0), ("secrex\u{7f}t\r", 0), ("sec\u{3}", 130), ("\u{4}", 64)]
                as [(String, Int32)])
        func password(typed: String, status: Int32) async throws {
            let server = try await SharedServer.scenario()
            let directory = try TemporaryDirectory()
            let terminal = try PseudoTerminal()
            // A new session gets the terminal.
            let script = "exec setsid -c -w \"$0\" fetch -q --user me \"$1\" < \"$2\""
            let process = try ChildProcess(
                "/bin/sh",
                [
                    "-c", script, Segdl.path, server.url("auth", 100, name: "f", "u=me&p=secret"),
                    "/proc/\(getpid())/fd/\(terminal.inside)",
                ], directory: directory.path)
            var shown = ""
            while process.isRunning, !shown.contains("Password for me") { shown += terminal.written() }
            terminal.type(typed)
            let result = await process.result()
            shown += terminal.written()
            #expect(result.status == status, "\(result)")
            #expect(!shown.contains("secret"), "\(shown)")
            #expect((try? directory.read("f").count) == (status == 0 ? 100 : nil))
            #expect(try await server.requests().isEmpty == (status != 0))
        }
    #endif
}

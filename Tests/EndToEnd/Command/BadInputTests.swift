import Foundation
import TestContent
import TestSupport
import Testing

@Suite("Invalid input gets a clear error, and nothing is written", .serialized)
struct BadInputTests {
    @Test(
        "in the arguments",
        arguments: [
            ([], 64, "fetch"),
            (["fetch", "--user-agent", "a\r\nb: c", "http://127.0.0.1:1/x"], 64, "line break"),
            (["fetch", "--referer", "a\nb: c", "http://127.0.0.1:1/x"], 64, "line break"),
            (["fetch"], 64, "Specify a URL"),
            (["fetch", "ftp://host/x"], 64, "http and https are (segdl fetch and segdl mirror also"),
            (["magnet:?xt=urn:btih:abc"], 64, "use another program for torrents"),
            (["queue", "add", "oci://host/name:1"], 64, "is an image, which consists of several files"),
            (["fetch", "host/x"], 64, "https://host/path"),
            (["fetch", "http://"], 64, "http://"),
            (["fetch", "http://host/\u{1}"], 64, "control character"),
            (["fetch", "-s", "0", "http://127.0.0.1:1/x"], 64, "0"),
            (["fetch", "-s", "-1", "http://127.0.0.1:1/x"], 64, "segments"),
            (["fetch", "-s", "many", "http://127.0.0.1:1/x"], 64, "many"),
            (["fetch", "-s", "1700", "http://127.0.0.1:1/x"], 64, "--limit-rate 1700"),
            (["fetch", "-x", "0", "http://127.0.0.1:1/x"], 64, "1 or more"),
            (["fetch", "-j", "0", "http://127.0.0.1:1/x"], 64, "1 or more"),
            (["fetch", "--limit-rate", "fast", "http://127.0.0.1:1/x"], 64, "fast"),
            (
                ["fetch", "--limit-rate", "3Mbps", "http://127.0.0.1:1/x"], 64,
                "such as 500000, 500k or 1.5MiB"
            ),
            (["fetch", "--limit-rate", "-1", "http://127.0.0.1:1/x"], 64, "1 or more"),
            (["fetch", "--min-segment-size", "3 MiB", "http://127.0.0.1:1/x"], 64, "512k or 1.5MiB"),
            (["fetch", "-s", "0", "http://127.0.0.1:1/x"], 64, "1 or more, or auto"),
            (["fetch", "-j", "few", "http://127.0.0.1:1/x"], 64, "1 or more, or auto"),
            (
                ["fetch", "--connect-timeout", "-1", "http://127.0.0.1:1/x"], 64,
                "-1.0 s; it must be more than 0"
            ),
            (["fetch", "--retries", "-1", "http://127.0.0.1:1/x"], 64, "-1; it must be 0 or more"),
            (["fetch", "--max-time", "-1", "http://127.0.0.1:1/x"], 64, "between 0 seconds and one year"),
            (["fetch", "--max-filesize", "big", "http://127.0.0.1:1/x"], 64, "512k or 1.5MiB"),
            (["mirror", "-x16", "-s1700", "-j5", "http://127.0.0.1:1/x/", "copy"], 64, "--limit-rate 1700"),
            (["fetch", "--limit-rate", "0.1", "http://127.0.0.1:1/x"], 64, "1 or more"),
            (["fetch", "--checksum", "sha256=12", "http://127.0.0.1:1/x"], 64, "64 hexadecimal digits"),
            (["fetch", "--checksum", "crc=12", "http://127.0.0.1:1/x"], 64, "sha256"),
            (["fetch", "-H", "no colon", "http://127.0.0.1:1/x"], 64, "Name: value"),
            (["fetch", "-H", "Range: bytes=0-1", "http://127.0.0.1:1/x"], 64, "Range"),
            (["fetch", "-4", "-6", "http://127.0.0.1:1/x"], 64, "cannot be combined"),
            (
                ["fetch", "-o", "a", "http://127.0.0.1:1/x", "http://127.0.0.1:1/y"], 64,
                "exactly one URL, but 2 URLs are given"
            ),
            (["fetch", "--cacert", "/nonexistent", "http://127.0.0.1:1/x"], 64, "/nonexistent"),
            (["fetch", "-i", "/nonexistent"], 64, "/nonexistent"),
            (
                ["fetch", "-o", "http://127.0.0.1:1/x"], 64,
                "-o took the URL http://127.0.0.1:1/x as its value"
            ),
            (["fetch", "-s", "http://127.0.0.1:1/x"], 64, "-s took the URL"),
            (["fetch", "-o", "http://127.0.0.1:1/x", "http://127.0.0.1:1/y"], 64, "-o took the URL"),
            (["fetch", "-d", "http://127.0.0.1:1/x", "http://127.0.0.1:1/y"], 64, "-d took the URL"),
            (["fetch", "-r", "-np", "http://127.0.0.1:1/x/"], 64, "`segdl mirror URL DIRECTORY`"),
            (["queue", "ls"], 64, "did you mean segdl queue list?"),
            (["queue", "add", "-"], 64, "--input -"),
            (["queue", "pause", "1-3"], 64, "use a number, a URL, key:NAME"),
            (["queue", "add", "-u", "a:b", "http://127.0.0.1:1/x"], 64, "Use it with segdl queue start"),
            (["mirror", "--bwlimit", "1M", "http://127.0.0.1:1/x/", "d"], 64, "Use --limit-rate"),
            (["mirror"], 64, "See 'segdl mirror --help'"),
            (["mirror", "http://127.0.0.1:1/x/", "http://127.0.0.1:1/y/"], 64, "A mirror has one source"),
            (["mirror", "http://127.0.0.1:1/x/", "s3://y/", "d"], 64, "A mirror has one source"),
            (["mirror", "d", "http://127.0.0.1:1/x/"], 64, "segdl mirror http://127.0.0.1:1/x/ d"),
            (["mirror", "-np", "-nH", "-P", "d", "http://127.0.0.1:1/x/"], 64, "-np is not an option"),
            (["mirror", "-n", "http://127.0.0.1:1/x/", "d"], 64, "-n is not an option of segdl mirror. U"),
            (["verify", "https://127.0.0.1:1/x"], 64, "`segdl fetch --checksum ALGO=HEX URL`"),
            (["inspect", "/nonexistent"], 5, "does not exist"),
        ] as [([String], Int32, String)])
    func arguments(arguments: [String], status: Int32, says: String) async throws {
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(arguments, in: directory)
        #expect(result.status == status, "\(result)")
        #expect(result.errors.contains(says), "\(result.errors)")
        #expect(directory.names == [])
    }

    @Test("in a list with an endless line, which is not read to its end", arguments: ["a file", "a pipe"])
    func endlessLine(source: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "x", count: 3 << 20), to: "list")
        let command = source == "a file" ? "\"$0\" fetch -i list" : "cat list | \"$0\" fetch -i -"
        let result = try await ChildProcess(
            "/bin/sh", ["-c", command, Segdl.path], directory: directory.path
        ).result()
        #expect(result.status == 64, "\(result)")
        #expect(result.errors.contains("longer than 1048576 bytes"), "\(result.errors)")
        #expect(directory.names == ["list"])
    }

    @Test(
        "in a list that is another kind of document, with a single error", arguments: ["fetch", "queue add"])
    func otherDocument(verb: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "a\0b\n", count: 1000), to: "binary")
        try directory.write((1...1000).map { "some words \($0)\n" }.joined(), to: "words")
        try directory.write(
            (1...1000).map { "\(String(repeating: "0", count: 64))  file \($0)\n" }.joined(), to: "sums")
        for list in ["binary", "words", "sums"] {
            let command = verb.split(separator: " ").map(String.init) + ["-i", list]
            let result = try await Segdl.run(
                command, in: directory, environment: ["SEGDL_QUEUE": directory.file("q")])
            #expect(result.status == 64, "\(result)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors.prefix(500))")
            #expect(result.errors.contains("segdl mirror --base URL sums DIR") == (list == "sums"))
        }
    }

    @Test("arguments survive a library that changes the environment before the program begins")
    func changedEnvironment() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            #include <stdlib.h>
            __attribute__((constructor)) static void change(void) { setenv("SEGDL_TEST", "1", 1); }
            """, to: "change.c")
        let library = directory.file("change.so")
        let compiled = try await ChildProcess(
            "/usr/bin/cc", ["-shared", "-fPIC", "-o", library, directory.file("change.c")]
        ).result()
        #expect(compiled.status == 0, "\(compiled.errors)")
        let result = try await Segdl.run(["--version"], environment: ["LD_PRELOAD": library])
        #expect(result.status == 0, "\(result)")
        #expect(result.output.hasPrefix("segdl "), "\(result)")
    }

    @Test("the maximum numbers are accepted", arguments: ["fetch", "mirror"])
    func greatestNumbers(command: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 3_000_000, name: "f")
        try directory.write("\(url)\n", to: "list.tsv")
        let most = "\(Int.max)"
        let what =
            command == "fetch"
            ? ["--mirror", server.url("plain", 3_000_000, name: "g"), url] : ["list.tsv", "copy"]
        let result = try await Segdl.run(
            [command, "-j", most, "-x", most, "--max-connections-per-host", most, "-q"] + what, in: directory)
        #expect(result.status == 0, "\(result)")
        let file = directory.file(command == "fetch" ? "f" : "copy/f")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 3_000_000) == nil)
    }

    @Test("in the destination: a directory, a file as a directory")
    func destinations() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("x", to: "file")
        try FileManager.default.createDirectory(
            atPath: directory.file("dir"), withIntermediateDirectories: false)
        let url = server.url("plain", 10, name: "dir")
        for (arguments, says) in [
            ([url], "is a directory"), (["-d", "file", url], "not a directory"),
            (["-o", "file/x", url], "directory"), (["-d", "dir", "-o", "../file/x", url], "directory"),
        ] {
            let result = try await Segdl.run(["fetch"] + arguments, in: directory)
            #expect(result.status == 5, "\(arguments): \(result)")
            #expect(result.errors.contains(says), "\(arguments): \(result.errors)")
            #expect(directory.names == ["dir", "file"])
        }
    }

    @Test("a missing file creates no directory, and an empty name is a usage error")
    func noDirectory() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let missing = server.url("status", 10, name: "x", "code=404")
        for destination in [["-d", "new"], ["-o", "new/x"]] {
            let result = try await Segdl.run(["fetch"] + destination + [missing], in: directory)
            #expect(result.status == 3, "\(result)")
        }
        let nameless = try await Segdl.run(
            ["fetch", "-d", "new", server.url("plain", 10, name: "")], in: directory)
        #expect(nameless.status == 64 && nameless.errors.contains("--output"), "\(nameless)")
        #expect(directory.names == [])
        let short = server.url("close-truncated", 1000, name: "x")
        #expect(
            try await Segdl.run(["fetch", "--retries", "0", "-o", "f", short], in: directory).status == 2)
    }

    @Test("in a finished file passed to inspect")
    func finished() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("x", to: "file")
        let result = try await Segdl.run(["inspect", "file"], in: directory)
        #expect(result.status == 5 && result.errors.contains("is not an unfinished download"), "\(result)")
        let several = try await Segdl.run(["inspect", "file", "missing"], in: directory)
        #expect(several.status == 1 && several.errors.contains("'file' is not an unfinished"), "\(several)")
        #expect(several.errors.contains("missing"), "\(several)")
    }

    @Test("in a directory without write permission")
    func unwritable() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        // Permissions do not restrict root; a file system mounted read-only restricts everyone.
        let result = try await Segdl.run(["fetch", "-o", "/proc/x", server.url("plain", 10)], in: directory)
        #expect(result.status == 5, "\(result)")
        #expect(result.errors.contains("/proc"))
    }

    @Test(
        "in a directory without search permission, by its name and by the file's", arguments: ["-o", "-d"])
    func closed(option: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        // Root can enter all directories, and the command may be in one that other users cannot enter.
        let script = """
            set -e
            cp "$0" segdl && chmod 755 . segdl && mkdir closed
            if test "$(id -u)" = 0
            then chmod 700 closed; as='setpriv --reuid 65534 --regid 65534 --clear-groups'
            else chmod 000 closed; as=env
            fi
            exec $as ./segdl --no-conf "$@"
            """
        let place = option == "-o" ? "closed/f" : "closed"
        let result = try await ChildProcess(
            "/bin/sh", ["-c", script, Segdl.path, option, place, server.url("plain", 10, name: "f")],
            directory: directory.path
        ).result()
        #expect(result.status == 5, "\(result)")
        #expect(
            result.errors
                == "failed: f: Cannot use the directory 'closed': permission denied; choose another directory.\n"
        )
    }

    @Test("no server: exit 2, and the message names the host")
    func noServer() async throws {
        let directory = try TemporaryDirectory()
        let refused = try await Segdl.run(
            ["fetch", "--retries", "1", "--retry-delay", "0.01", "http://127.0.0.1:1/x"], in: directory)
        #expect(refused.status == 2, "\(refused)")
        #expect(refused.errors.contains("127.0.0.1:1"))
        let unknown = try await Segdl.run(
            ["fetch", "--retries", "0", "http://no-such-host.invalid/x"], in: directory)
        #expect(unknown.status == 2, "\(unknown)")
        #expect(unknown.errors.contains("no-such-host.invalid"))
        #expect(directory.names == [])
    }

    @Test(
        "no certificate authorities: exit 2, and the message names the package and the option",
        arguments: ["missing", "list"])
    func noAuthorities(name: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("not a certificate", to: "list")
        let url = server.url("plain", 10).replacing("http://", with: "https://")
        let result = try await Segdl.run(
            ["fetch", "-o", "f", url], in: directory,
            environment: ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": directory.file(name)])
        #expect(result.status == 2, "\(result)")
        for part in [name, "install the package ca-certificates", "--cacert FILE"] {
            #expect(result.errors.contains(part), "\(result)")
        }
        #expect(directory.names == ["list"])
    }

    @Test("two processes on one destination: the second one exits with 6 and leaves the file intact")
    func twoProcesses() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let arguments = ["fetch", "-s", "1", "-o", "f", server.url("plain", 3_000_000, "first-rate=50000")]
        let first = try Segdl.start(arguments, in: directory)
        try await directory.waitFor("f.part.segdl")
        let second = try await Segdl.run(arguments, in: directory)
        #expect(second.status == 6, "\(second)")
        #expect(second.errors.contains("another"))
        first.send(SIGTERM)
        #expect(await first.result().status == 143)
        #expect(try await Segdl.run(arguments, in: directory).status == 0)
        #expect(directory.names == ["f"])
    }

    @Test("secrets appear in no message and no manifest")
    func secrets() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 3_000_000, "rate=20000&signature=hunter2")
            .replacingOccurrences(of: "http://", with: "http://me:hunter3@")
        let process = try Segdl.start(["fetch", "-s", "1", "-v", "-o", "f", url], in: directory)
        // A file without bytes is not kept.
        try await Segdl.waitUntilKept("f", atLeast: 1, in: directory)
        process.send(15)
        let result = await process.result()
        let manifest = String(decoding: try directory.read("f.part.segdl"), as: UTF8.self)
        for text in [result.errors, result.output, manifest] {
            #expect(!text.contains("hunter"), "\(text)")
        }
    }
}

import Foundation
import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("segdl fetch")
struct FetchTests {
    @Test("names the file, verifies its checksum and leaves no other files")
    func checksum() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 1_000_000, name: "disk.iso")
        let digest = try await Segdl.sha256(of: url)
        let result = try await Segdl.run(["fetch", "--checksum", "sha256=\(digest)", url], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(directory.names == ["disk.iso"])
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("disk.iso"), length: 1_000_000)
                == nil)
    }

    @Test("sets a file with a wrong checksum aside, shows both values and exits with 4")
    func wrongChecksum() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let wrong = String(repeating: "0", count: 64)
        let url = server.url("plain", 1000, name: "disk.iso")
        let result = try await Segdl.run(["fetch", "--checksum", "sha256=\(wrong)", url], in: directory)
        #expect(result.status == 4)
        #expect(result.errors.contains(wrong))
        #expect(result.errors.contains(try await Segdl.sha256(of: url)))
        #expect(directory.names == ["disk.iso.rejected"])
    }

    @Test("sets wrong bytes aside once, and never replaces another file or a directory")
    func rejectedTwice() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "f.rejected")
        try directory.makeDirectory("f.rejected.1")
        let wrong = String(repeating: "0", count: 64)
        let arguments = [
            "fetch", "-q", "-o", "f", "--checksum", "sha256=\(wrong)", server.url("plain", 1000),
        ]
        let result = try await Segdl.run(arguments, in: directory)
        #expect(result.status == 4)
        #expect(result.errors.contains("f.rejected.2"), "\(result.errors)")
        #expect(directory.names == ["f.rejected", "f.rejected.1", "f.rejected.2"])
        // Identical rejected bytes are not kept twice.
        let again = try await Segdl.run(arguments, in: directory)
        #expect(again.errors.contains("f.rejected.2"), "\(again.errors)")
        #expect(directory.names == ["f.rejected", "f.rejected.1", "f.rejected.2"])
        #expect(try directory.read("f.rejected") == Array("precious".utf8))
    }

    @Test("reveals no secret of a malformed header, of credentials or of a proxy")
    func secretsInErrors() async throws {
        let directory = try TemporaryDirectory()
        for arguments in [
            ["-H", "Authorization Bearer SECRET"], ["--user", ":SECRET"],
            ["--proxy", "bad://user:SECRET@127.0.0.1:1"],
        ] {
            let result = try await Segdl.run(
                ["fetch", "--retries", "0"] + arguments + ["http://127.0.0.1:1/x"], in: directory)
            #expect(result.status != 0)
            #expect(!result.errors.contains("SECRET"), "\(result.errors)")
        }
    }

    @Test("applies the policy for existing files", arguments: ["fail", "replace", "rename", "skip"])
    func existing(policy: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("old", to: "a.txt")
        let url = server.url("plain", 100, name: "a.txt")
        let result = try await Segdl.run(["fetch", "--if-exists", policy, url], in: directory)
        let content = TestContent(seed: 1).bytes(0..<100)
        switch policy {
        case "fail":
            #expect(result.status == 5)
            #expect(result.errors.contains("exists"))
            #expect(directory.names == ["a.txt"])
            #expect(try directory.read("a.txt") == Array("old".utf8))
        case "replace":
            #expect(result.status == 0)
            #expect(directory.names == ["a.txt"])
            #expect(try directory.read("a.txt") == content)
        case "rename":
            #expect(result.status == 0)
            #expect(directory.names == ["a.1.txt", "a.txt"])
            #expect(try directory.read("a.1.txt") == content)
        default:
            // Its length differs from that of the server's file.
            #expect(result.status == 4 && result.errors.contains("3 bytes"), "\(result)")
            #expect(try directory.read("a.txt") == Array("old".utf8))
        }
    }

    @Test("verifies all given digests, and refuses two of one kind")
    func severalDigests() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 100, name: "a")
        let right = "sha256=\(try await Segdl.sha256(of: url))"
        let zeros = "md5=" + String(repeating: "0", count: 32)
        let ones = "md5=" + String(repeating: "1", count: 32)
        func fetch(_ options: [String]) async throws -> ChildProcess.Result {
            try await Segdl.run(["fetch"] + options, in: directory)
        }
        let wrong = try await fetch(["--checksum", zeros, "--checksum", right, url])
        #expect(wrong.status == 4 && !directory.exists("a"), "\(wrong)")
        let both = try await fetch(["--checksum", zeros, "--checksum", ones, url])
        #expect(both.status == 64 && both.errors.contains("Two different md5 digests"), "\(both)")
        try directory.write("\(url)\n checksum=\(zeros)\n checksum=\(ones)\n", to: "list")
        let listed = try await fetch(["-i", "list"])
        #expect(listed.errors.contains("Two different md5 digests") && !directory.exists("a"), "\(listed)")
        let twice = try await fetch(["--checksum", right, "--checksum", right, url])
        #expect(twice.status == 0 && twice.errors.contains("sha256 verified"), "\(twice)")
    }

    @Test(
        "puts the file where cp would",
        arguments: [
            (["-o", "new/sub/f"], "new/sub/f"), (["-o", "dir/"], "dir/a"), (["-o", "there"], "there/a"),
            (["-d", "in", "-o", "f"], "in/f"), (["-d", "in", "-o", "sub/"], "in/sub/a"),
        ])
    func places(options: [String], expected: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("there")
        let result = try await Segdl.run(options + [server.url("plain", 100, name: "a")], in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(try directory.read(expected) == TestContent(seed: 1).bytes(0..<100))
    }

    @Test("discards the bytes for /dev/null, and accepts standard output by name")
    func devices() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 100_000)
        #expect(try await Segdl.run(["-o", "/dev/null", url], in: directory).status == 0)
        #expect(try await Segdl.run(["-o", "/dev/stdout", url], in: directory).status == 0)
        #expect(directory.names.isEmpty)
    }

    @Test("keeps the server's date unless disabled", arguments: [true, false])
    func date(keeps: Bool) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let options = keeps ? [] : ["--no-remote-time"]
        let result = try await Segdl.run(
            ["fetch", "-o", "a"] + options + [server.url("plain", 100)], in: directory)
        #expect(result.status == 0)
        let date = try SystemCalls.status(directory.filePath("a")).modified
        #expect((date == 1_735_689_600_000_000_000) == keeps)
    }

    @Test("numbers several files with the same name if renaming is requested")
    func sameNames() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let urls = (1...3).map { server.url("plain", 300_000, name: "same.bin", "seed=\($0)&rate=300000") }
        let result = try await Segdl.run(["fetch", "--if-exists", "rename"] + urls, in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(directory.names == ["same.1.bin", "same.2.bin", "same.bin"])
        let contents = try directory.names.map { try directory.read($0) }
        #expect(Set(contents) == Set((1...3).map { TestContent(seed: $0).bytes(0..<300_000) }))
    }

    @Test("does not let a server name a file like another download's part file")
    func intruder() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let process = try Segdl.start(
            ["fetch", "-o", "f8", server.url("plain", 4_000_000, "hold-tail=2000")], in: directory)
        try await directory.waitFor("f8.part.segdl")
        let intruder = try await Segdl.run(
            [
                "fetch", "--if-exists", "replace",
                server.url("plain", 5, name: "x", "disposition=attachment;filename=f8.part"),
            ], in: directory)
        #expect(intruder.status == 5, "\(intruder)")
        #expect(intruder.errors.contains("holds the bytes of the unfinished download of 'f8'"))
        try await server.release()
        let result = await process.result()
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["f8"])
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("f8"), length: 4_000_000) == nil)
    }

    @Test("replaces a symbolic link, keeps its target, and says so", arguments: [20, 2_000_000])
    func replacedLink(size: Int64) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "target")
        try directory.link("f", to: directory.file("target"))
        let arguments = ["fetch", "--if-exists", "replace", "-o", "f", server.url("plain", size)]
        for replacesLink in [true, false] {
            let result = try await Segdl.run(arguments + (replacesLink ? [] : ["--restart"]), in: directory)
            #expect(result.status == 0)
            #expect(result.errors.contains("'f' was a symbolic link") == replacesLink, "\(result)")
        }
        #expect(try directory.read("target") == Array("precious".utf8))
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: size) == nil)
    }

    @Test("does not publish a part file that another program replaced during the download")
    func replacedPart() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let process = try Segdl.start(
            ["fetch", "-s", "1", "-o", "f", server.url("plain", 4_000_000, "hold-tail=2000")], in: directory)
        try await directory.waitFor("f.part.segdl")
        try directory.write("other", to: "f.part.other")
        try directory.rename("f.part.other", to: "f.part")
        try await server.release()
        let result = await process.result()
        #expect(result.status == 5, "\(result)")
        #expect(!directory.names.contains("f"))
        #expect(try directory.read("f.part") == Array("other".utf8))
    }

    @Test("does not touch another program's part file unless told to start over")
    func foreignPart() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "f.part")
        let url = server.url("plain", 1000)
        let refused = try await Segdl.run(["fetch", "-o", "f", url], in: directory)
        #expect(refused.status == 5)
        #expect(refused.errors.contains("--restart"))
        #expect(directory.names == ["f.part"])
        #expect(try directory.read("f.part") == Array("precious".utf8))
        let told = try await Segdl.run(["fetch", "--restart", "-o", "f", url], in: directory)
        #expect(told.status == 0, "\(told.errors)")
        #expect(directory.names == ["f"])
    }

    @Test("does not replace a device", arguments: ["replace", "rename", "skip", "fail"])
    func device(policy: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let script = """
            mkfifo pipe && { cat pipe > copy 2> /dev/null & }
            "$0" fetch -q --if-exists "$1" -o pipe "$2" || { kill $!; exit 1; }
            wait && test -p pipe
            """
        let result = try await ChildProcess(
            "/bin/sh", ["-c", script, Segdl.path, policy, server.url("plain", 10)], directory: directory.path
        ).result()
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["copy", "pipe"])
        #expect(try directory.read("copy").count == 10)
    }

    @Test(
        "warns if only a closed connection marks the end of the file, unless a digest matches",
        arguments: [("no-length", false), ("plain", true)])
    func unprovenEnd(behaviour: String, isProven: Bool) async throws {
        let server = try await SharedServer.scenario()
        for (size, digest) in [(1_000, false), (300_000, false), (300_000, true)] {
            let directory = try TemporaryDirectory()
            let url = server.url(behaviour, Int64(size), name: "file")
            let checksum =
                digest
                ? ["--checksum", "sha256=\(try await Segdl.sha256(of: server.url("plain", Int64(size))))"]
                : []
            let plain = try await Segdl.run(["fetch"] + checksum + [url], in: directory)
            #expect(plain.status == 0, "\(plain.errors)")
            #expect(
                plain.errors.contains("completeness not verified") == !(isProven || digest), "\(plain.errors)"
            )
            let json = try await Segdl.run(
                ["fetch", "--progress", "json", "-o", "other"] + checksum + [url], in: directory)
            #expect((json.output + json.errors).contains(#""end_proven":\#(isProven || digest)"#), "\(json)")
        }
    }

    @Test("sends headers, credentials, user agent and referer")
    func headers() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            [
                "fetch", "-q", "-H", "X-One: 1", "-H", "X-Two: 2", "--user", "me:secret", "--user-agent",
                "ua/1",
                "--referer", "http://from/", server.url("auth", 100, "u=me&p=secret"),
            ], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        let sent = try #require(try await server.requests().first?.headers)
        #expect(sent["x-one"] == "1" && sent["x-two"] == "2")
        #expect(sent["user-agent"] == "ua/1" && sent["referer"] == "http://from/")
    }

    @Test("prints JSON lines for programs")
    func json() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["fetch", "--progress", "json", "-o", "f", server.url("plain", 1000)], in: directory)
        let lines = result.output.split(separator: "\n")
        #expect(lines.contains { $0.contains("\"event\":\"completed\"") && $0.contains("\"bytes\":1000") })
        #expect(lines.last?.contains("\"event\":\"summary\"") == true)
        #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    @Test("a Metalink as an argument or list is referred to segdl mirror")
    func metalink() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("<metalink/>", to: "x.meta4")
        for words in [["x.meta4"], ["fetch", "-i", "x.meta4"]] {
            let result = try await Segdl.run(words, in: directory)
            #expect(result.status == 64, "\(result)")
            #expect(result.errors.contains("segdl mirror x.meta4 DIRECTORY"), "\(result)")
        }
    }

    @Test("a trace of a small file includes its end")
    func shortTrace() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["fetch", "--trace", "t", server.url("plain", 1000, name: "a.bin")], in: directory)
        #expect(result.status == 0, "\(result)")
        let last = try String(decoding: directory.read("t"), as: UTF8.self).split(separator: "\n").last
        #expect(last?.contains("\"state\":\"completed\"") == true && last?.contains("1000") == true)
    }
}

import Foundation
import TestSupport
import Testing

@Suite("segdl mirror")
struct MirrorCommandTests {
    @Test("fetches a tree with its dates, and writes a proof that it and sha256sum check")
    func first() async throws {
        let fixture = try await MirrorFixture()
        let run = try await fixture.run()
        #expect(run.end.status == 0, "\(run.end.errors)")
        #expect(run.files.count == 9 && run.listings == 3)
        try fixture.expectExact()
        let path = "one/two dirs/b c.bin"
        let theirs = try #require(try MirrorFixture.modified(fixture.nginx.root.file("tree/" + path)))
        let ours = try #require(try MirrorFixture.modified(fixture.copy + "/" + path))
        #expect(Int(theirs.timeIntervalSince1970) == Int(ours.timeIntervalSince1970))
        let theirCheck = try await ChildProcess(
            "/usr/bin/sha256sum", ["-c", "--strict", "SHA256SUMS"], directory: fixture.copy
        ).result()
        #expect(theirCheck.status == 0)
        for proof in ["SHA256SUMS", "segdl-mirror.jsonl"] {
            let check = try await Segdl.run(["verify", fixture.copy + "/" + proof])
            #expect(check.status == 0, "\(check.errors)")
            #expect(check.errors.contains("9 of 9 files right"))
        }
        try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.copy + "/one/a.bin"))
        for proof in ["SHA256SUMS", "segdl-mirror.jsonl"] {
            let check = try await Segdl.run(["verify", fixture.copy + "/" + proof])
            #expect(check.status == 1 && check.errors.contains("one/a.bin"), "\(check.errors)")
        }
    }

    @Test("states the order of its arguments")
    func order() async throws {
        let result = try await Segdl.run(["mirror", "copy", "https://host.example/pub/"])
        #expect(result.status == 64, "\(result)")
        #expect(result.errors.contains("segdl mirror https://host.example/pub/ copy"), "\(result)")
    }

    @Test("names the option for a server that requires a password")
    func unauthorized() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("auth", 1000, name: "tree/", "u=me&p=secret")
        let result = try await Segdl.run(["mirror", "--format", "index", url, "copy"], in: directory)
        #expect(result.errors.contains("give credentials (-u USER:PASSWORD, or --netrc)"), "\(result)")
    }

    @Test("revalidates in the second run, and gets 304 for each file")
    func unchanged() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        let proof = try fixture.read("segdl-mirror.jsonl")
        let second = try await fixture.run()
        #expect(second.end.status == 0, "\(second.end.errors)")
        #expect(second.files.map(\.status) == Array(repeating: 304, count: 9))
        #expect(second.listings == 3)
        #expect(try fixture.read("segdl-mirror.jsonl") == proof)
        try fixture.expectExact()
    }

    @Test("works with few descriptors (ulimit -n)")
    func descriptors() async throws {
        let fixture = try await MirrorFixture()
        for directory in 0..<5 {
            try fixture.nginx.root.makeDirectory("tree/many\(directory)")
            for file in 0..<200 {
                try fixture.nginx.root.write("\(file)", to: "tree/many\(directory)/\(file)")
            }
        }
        let end = try await ChildProcess(
            "/bin/sh",
            [
                "-c", "ulimit -n 64; exec \"$0\" \"$@\"", Segdl.path, "mirror", "-q", "-j", "16", "-x", "64",
                "--max-connections-per-host", "64", fixture.url, fixture.copy,
            ], directory: fixture.directory.path
        ).result()
        #expect(end.status == 0, "\(end.errors.prefix(500))")
        try fixture.expectExact()
    }

    @Test("without ETags relies on the date")
    func byDate() async throws {
        let fixture = try await MirrorFixture(server: "etag off;")
        _ = try await fixture.run()
        let second = try await fixture.run()
        #expect(second.files.map(\.status) == Array(repeating: 304, count: 9))
    }

    @Test("transfers only files that changed on the server, or were changed or removed locally")
    func changed() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        try fixture.nginx.root.write("something else", to: "tree/a.bin")
        try fixture.nginx.root.write("new", to: "tree/one/new.bin")
        try fixture.directory.remove("copy/one/a.bin")
        try fixture.directory.write("spoilt", to: "copy/one/b c.bin")
        let run = try await fixture.run()
        #expect(run.end.status == 0, "\(run.end.errors)")
        let moved = Set(run.files.filter { $0.status != 304 }.map(\.path))
        #expect(
            moved == ["/tree/a.bin", "/tree/one/new.bin", "/tree/one/a.bin", "/tree/one/b%20c.bin"])
        // For all but the new one, a request first asks whether they have changed.
        #expect(run.files.count == 9 + 4)
        try fixture.expectExact()
    }

    @Test("keeps a changed file's old content until the new one is complete and correct")
    func failsToReplace() async throws {
        let fixture = try await MirrorFixture(
            server: "location = /tree/a.bin { if (-f $document_root/gone) { return 500; } }")
        _ = try await fixture.run()
        try fixture.nginx.root.write("", to: "gone")
        let run = try await fixture.run()
        #expect(run.end.status == 1)
        #expect(run.end.errors.contains("a.bin"))
        try fixture.expectExact()
        // A failed file is in no proof.
        #expect(try !fixture.read("SHA256SUMS").contains("  a.bin"))
        #expect(try fixture.read("SHA256SUMS").contains("  one/a.bin"))
    }

    // MARK: Deletion

    @Test("names failed files, and writes them as a list for a later run")
    func failed() async throws {
        let fixture = try await MirrorFixture()
        try fixture.nginx.root.remove("tree/one/a.bin")
        let lines = [
            #"{"url":"\#(fixture.url)one/a.bin?signature=s3cret","path":"x/a.bin","header":"X-Key: k"}"#,
            #"{"url":"\#(fixture.url)a.bin","path":"y/a.bin"}"#,
            #"{"url":"\#(fixture.url)a.bin","path":"../evil"}"#,
            #"{"url":"\#(fixture.url)a.bin","path":".segdl-mirror.sqlite"}"#,
            #"{"url":"\#(fixture.url)b%20c.bin","path":"y/a.bin"}"#,
        ]
        try fixture.directory.write(lines.joined(separator: "\n"), to: "list.jsonl")
        let run = try await fixture.run("--failed", "missing.jsonl", source: "list.jsonl")
        #expect(run.end.status == 1)
        #expect(try MirroredTree.files(fixture.copy).keys.sorted() == ["y/a.bin"])
        for text in ["x/a.bin", "../evil", "mirror's own state", "listed more than once"] {
            #expect(run.end.errors.contains(text), "\(run.end.errors)")
        }
        #expect(!run.end.errors.contains("s3cret"))
        #expect(try !fixture.read("segdl-mirror.jsonl").contains("s3cret"))
        let missing = String(decoding: try fixture.directory.read("missing.jsonl"), as: UTF8.self)
        #expect(missing.split(separator: "\n").count == 1 && missing.contains("s3cret"))
        try fixture.nginx.root.write("it is back", to: "tree/one/a.bin")
        let again = try await fixture.run("--failed", "none.jsonl", source: "missing.jsonl")
        #expect(again.end.status == 0, "\(again.end.errors)")
        #expect(try fixture.read("x/a.bin") == "it is back")
        #expect(try fixture.directory.read("none.jsonl").isEmpty)
    }

    @Test("fetches only files of the expected types, and names the others")
    func expectedTypes() async throws {
        let fixture = try await MirrorFixture(
            server: "location = /tree/one/a.bin { types { } default_type 'text/html; charset=utf-8'; }")
        let run = try await fixture.run("--expect-type", "text/plain", "--failed", "missing.jsonl")
        #expect(run.end.status == 1 && run.end.errors.contains("text/plain is expected"), "\(run.end.errors)")
        try fixture.expectExact(without: ["one/a.bin"])
        let missing = String(decoding: try fixture.directory.read("missing.jsonl"), as: UTF8.self)
        #expect(missing.contains("one/a.bin"), "\(missing)")
        // An entry's own types replace the job's.
        let list = "\(fixture.url)one/a.bin\n  expect-type=image/*\n\(fixture.url)a.bin\n"
        try fixture.directory.write(list, to: "list")
        let listed = try await fixture.run(
            "--expect-type", "text/*", "--failed", "types.jsonl", "--restart", source: "list")
        #expect(listed.end.errors.contains("image/* is expected"), "\(listed.end.errors)")
        let types = String(decoding: try fixture.directory.read("types.jsonl"), as: UTF8.self)
        #expect(types.contains(#""expect_type":["image/*"]"#), "\(types)")
        #expect(try await fixture.run().end.status == 0)
    }

    @Test("gives up after a number of failures, and resumes without listing again")
    func stops() async throws {
        // Those of the last directory fail: all listings have been read by then.
        let fixture = try await MirrorFixture(
            server: "location ~ \"/two dirs/.*bin$\" { if (-f $document_root/off) { return 404; } }")
        try fixture.nginx.root.write("", to: "off")
        let run = try await fixture.run("--max-failures", "2", "-j", "1")
        #expect(run.end.status == 1)
        #expect(run.files.count < 9)
        try fixture.nginx.root.remove("off")
        let next = try await fixture.run()
        #expect(next.end.status == 0, "\(next.end.errors)")
        #expect(next.end.errors.contains("continuing it, and listing the source again at the end"))
        #expect(next.end.errors.contains("9 files, ") && next.end.errors.contains(": 3 fetched ("))
        #expect(next.listings == 3)
        try fixture.expectExact()
        #expect(try await !fixture.run().end.errors.contains("listed again"))
    }

    @Test("a resumed run reflects the current source, and omits what no longer exists")
    func goesOn() async throws {
        let fixture = try await MirrorFixture(
            server: "location ~ /tree/one/.*bin$ { if (-f $document_root/off) { return 404; } }")
        try fixture.nginx.root.write("", to: "off")
        #expect(try await fixture.run("--max-failures", "1", "-j", "1").end.status == 1)
        try fixture.nginx.root.remove("off")
        try fixture.nginx.root.remove("tree/one/two dirs")
        try fixture.nginx.root.write("something else", to: "tree/a.bin")
        try fixture.nginx.root.write("new", to: "tree/one/new.bin")
        let run = try await fixture.run("-q", "--delete")
        #expect(run.end.status == 0 && run.end.errors.isEmpty, "\(run.end.errors)")
        try fixture.expectExact()
        let check = try await Segdl.run(["verify", fixture.copy + "/SHA256SUMS"])
        #expect(check.status == 0 && check.errors.contains("7 of 7"), "\(check.errors)")
    }

    @Test("an unavailable source ends it with that failure's status")
    func noSource() async throws {
        let fixture = try await MirrorFixture()
        #expect(try await fixture.run(source: fixture.nginx.url("none/")).end.status == 3)
        #expect(try await fixture.run(source: "http://127.0.0.1:9/").end.status == 2)
        #expect(try await fixture.run(source: "no-such-list").end.status == 5)
        #expect(try await fixture.run("--format", "s3", source: "no-such-list").end.status == 64)
        #expect(try await fixture.run("--include", "[", source: nil).end.status == 64)
        #expect(try await fixture.run("--delete", "--delete-all", source: nil).end.status == 64)
    }

    @Test("a login page is not an empty directory")
    func login() async throws {
        let fixture = try await MirrorFixture()
        try fixture.nginx.root.makeDirectory("login")
        try fixture.nginx.root.write(
            "<html><form><input name=user><input type=password></form>", to: "login/index.html")
        let run = try await fixture.run(source: fixture.nginx.url("login/"))
        #expect(run.end.status == 3 && run.end.errors.contains("requires a password"), "\(run.end)")
        #expect(!run.end.errors.contains("0 files"), "\(run.end)")
    }

    // MARK: Sources

    @Test("a list of checksums needs no request for existing files")
    func checksums() async throws {
        let fixture = try await MirrorFixture()
        let sums = try await ChildProcess(
            "/bin/sh", ["-c", "sha256sum a.bin one/*.bin > SHA256SUMS"],
            directory: fixture.nginx.root.file("tree")
        ).result()
        #expect(sums.status == 0)
        let first = try await fixture.run("--proof", "proofs", source: fixture.url + "SHA256SUMS")
        #expect(first.end.status == 0 && first.files.count == 5, "\(first.end.errors)")
        let second = try await fixture.run("--proof", "proofs", source: fixture.url + "SHA256SUMS")
        #expect(second.end.status == 0 && second.requests.count == 1)
        let check = try await Segdl.run(
            ["verify", "-d", fixture.copy, fixture.directory.file("proofs/SHA256SUMS")])
        #expect(check.status == 0 && check.errors.contains("4 of 4"), "\(check.errors)")
        #expect(!fixture.directory.exists("copy/SHA256SUMS"))
    }

    @Test("takes a list from standard input, in any format")
    func standardInput() async throws {
        let fixture = try await MirrorFixture()
        let result = try await Segdl.run(
            ["mirror", "--format", "urls", "-", fixture.copy], in: fixture.directory,
            input: "\(fixture.url)a.bin\n  dir=deep\n  out=er\n")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try fixture.read("deep/er") == "content of a.bin")
    }

    @Test("a source's own SHA256SUMS keeps its name and content")
    func ownName() async throws {
        let fixture = try await MirrorFixture()
        try fixture.nginx.root.write("theirs", to: "tree/SHA256SUMS")
        for _ in 0..<2 {
            let run = try await fixture.run()
            #expect(run.end.status == 0, "\(run.end.errors)")
            #expect(try fixture.read("SHA256SUMS") == "theirs")
            let check = try await Segdl.run(["verify", fixture.copy + "/SHA256SUMS.segdl"])
            #expect(check.status == 0 && check.errors.contains("10 of 10"), "\(check.errors)")
        }
        #expect(
            try TemporaryDirectory.names(of: fixture.copy).filter { $0.contains("SUMS") }.sorted()
                == ["SHA256SUMS", "SHA256SUMS.segdl"])
    }

    // MARK: Output

    @Test("a dry run reports its plan, queries the server, and writes nothing")
    func dryRun() async throws {
        let fixture = try await MirrorFixture()
        let first = try await fixture.run("--dry-run")
        #expect(first.end.status == 0)
        #expect(
            first.end.output.split(separator: "\n").count == 9
                && first.end.output.contains("fetch one/a.bin\n"))
        #expect(fixture.directory.names.isEmpty)
        _ = try await fixture.run()
        try fixture.nginx.root.write("something else", to: "tree/a.bin")
        let before = try MirroredTree.files(fixture.copy)
        let second = try await fixture.run("--dry-run")
        let lines = second.end.output.split(separator: "\n")
        #expect(lines == ["replace a.bin"])
        let all = try await fixture.run("--dry-run", "-v").end.output.split(separator: "\n")
        #expect(all.count { $0.hasPrefix("keep ") } == 8 && all.contains("replace a.bin"))
        #expect(second.end.errors.contains("fetch 1, keep 8, delete 0"), "\(second.end)")
        let json = try await fixture.run("--dry-run", "--progress", "json").end.output
        #expect(json.contains(#""action":"fetch","name":"a.bin","replaces":true"#), "\(json)")
        #expect(try MirroredTree.files(fixture.copy) == before)
        #expect(second.files.filter { $0.status == 304 }.count == 8)
    }

    @Test("reports everything as JSON lines")
    func json() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run("--include", "a.bin")
        try fixture.nginx.root.remove("tree/a.bin")
        let run = try await fixture.run("--progress", "json", "--delete")
        let events = try run.end.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let names = events.compactMap { $0["event"] as? String }
        #expect(names.filter { $0 == "completed" }.count == 8)
        #expect(events.filter { $0["outcome"] as? String == "unchanged" }.count == 2)
        #expect(names.contains("deleted"))
        let summary = try #require(events.last)
        #expect(summary["event"] as? String == "summary" && summary["ending"] as? String == "finished")
        #expect(summary["fetched"] as? Int == 6 && summary["kept"] as? Int == 2)
        #expect(summary["deleted"] as? Int == 1 && summary["failed"] as? Int == 0)
    }

    @Test("reports what is left when it is stopped", arguments: [SIGINT, SIGTERM])
    func stopped(signal: Int32) async throws {
        let fixture = try await MirrorFixture(server: "location = /tree/slow.bin { limit_rate 1k; }")
        try fixture.nginx.root.write(String(repeating: "x", count: 4_000_000), to: "tree/slow.bin")
        let mirror = try Segdl.start(["mirror", "--progress", "plain", fixture.url, fixture.copy])
        try await fixture.directory.waitFor("copy/a.bin")
        mirror.send(signal)
        let result = await mirror.result()
        #expect(
            result.signal == (signal == SIGINT ? SIGINT : nil)
                && result.status == (signal == SIGINT ? nil : 143))
        #expect(result.errors.contains("not complete, run it again to resume"), "\(result.errors)")
    }

    @Test("counts what it has received and kept when it is stopped")
    func received() async throws {
        let fixture = try await MirrorFixture(server: "location = /tree/slow.bin { limit_rate 500k; }")
        try fixture.nginx.root.write(String(repeating: "x", count: 60_000_000), to: "tree/slow.bin")
        // The first run keeps more than the second one receives.
        var kept: [Int64] = []
        for _ in 1...2 {
            let mirror = try Segdl.start(
                ["mirror", "--progress", "json", "--include", "slow.bin", fixture.url, fixture.copy])
            try await Segdl.waitUntilKept(
                "copy/slow.bin", atLeast: (kept.last ?? 0) + 1_000_000, in: fixture.directory)
            mirror.send(SIGINT)
            let end = await mirror.result()
            kept.append(try Segdl.kept("copy/slow.bin", in: fixture.directory))
            let last = try #require(end.output.split(separator: "\n").last)
            let summary = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
            let received = try #require(summary?["bytes_received"] as? Int64)
            #expect(received == kept[kept.count - 1] - (kept.dropLast().last ?? 0), "\(end.output)")
        }
    }

    @Test("a second mirror to the same directory is refused")
    func locked() async throws {
        let fixture = try await MirrorFixture(server: "location = /tree/slow.bin { limit_rate 1k; }")
        try fixture.nginx.root.write(String(repeating: "x", count: 4_000_000), to: "tree/slow.bin")
        let first = try Segdl.start(["mirror", "--progress", "none", fixture.url, fixture.copy])
        try await fixture.directory.waitFor("copy/a.bin")
        let second = try await fixture.run()
        #expect(second.end.status == 6, "\(second.end.errors)")
        first.send(SIGINT)
        #expect(await first.result().signal == SIGINT)
    }
}

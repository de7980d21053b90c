import TestContent
import TestSupport
import Testing

@Suite("An existing file with -nc")
struct KeptFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(
        "is kept without a request, whatever it contains",
        arguments: [
            ["-nc"], ["-c", "-nc"], ["-nc", "-c"], ["--no-clobber", "-o", "f"], ["-nc", "-d", "."],
        ])
    func unasked(options: [String]) async throws {
        try directory.write("part", to: "f")
        // No server listens there.
        let result = try await Segdl.run(options + ["http://127.0.0.1:1/dir/f"], in: directory)
        #expect(result.status == 0 && result.errors.contains("f: exists, skipped"), "\(result)")
        #expect(directory.names == ["f"])
        #expect(try directory.read("f") == Array("part".utf8))
    }

    @Test("is kept in a list, whose other files are fetched")
    func listed() async throws {
        let server = try await SharedServer.scenario()
        let kept = (0..<40).map { "f\($0)" }
        for name in kept { try directory.write("", to: name) }
        let lines = (kept.map { "http://127.0.0.1:1/\($0)" } + [server.url("plain", 100, name: "new")])
        try directory.write(lines.joined(separator: "\n") + "\n", to: "list")
        let result = try await Segdl.run(["-nc", "-i", "list"], in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(try directory.read("new") == TestContent(seed: 1).bytes(0..<100))
        #expect(directory.names == (kept + ["list", "new"]).sorted())
    }

    @Test("is compared if it may come from another query, has a digest, or is unfinished")
    func asked() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("plain", 100, name: "f")
        #expect(try await Segdl.run(["-q", url], in: directory).status == 0)
        let before = try await server.peak().requests
        #expect(try await Segdl.run(["-nc", url], in: directory).status == 0)
        #expect(try await server.peak().requests == before)
        let wrong = "md5=" + String(repeating: "0", count: 32)
        #expect(try await Segdl.run(["-nc", "--checksum", wrong, url], in: directory).status == 4)
        let other = try await Segdl.run(["-nc", server.url("plain", 200, name: "f")], in: directory)
        #expect(other.status == 4 && other.errors.contains("100 bytes"), "\(other)")
        try directory.write("", to: "g.aria2")
        try directory.write("part", to: "g")
        let unfinished = try await Segdl.run(["-nc", server.url("plain", 4, name: "g")], in: directory)
        #expect(unfinished.status == 4 && unfinished.errors.contains("aria2"), "\(unfinished)")
    }

    @Test("is not resumed by -c --if-exists skip, and a policy that replaces it is refused")
    func unchanged() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("plain", 100_000, name: "f")
        try TestContent(seed: 1).write(to: directory.file("f"), length: 40_000)
        let result = try await Segdl.run(["-c", "--if-exists", "skip", url], in: directory)
        #expect(result.status == 4 && result.errors.contains("40000 bytes"), "\(result)")
        for words in [["-nc", "-N"], ["--if-exists", "replace", "-nc"]] {
            let refused = try await Segdl.run(words + [url], in: directory)
            #expect(refused.status == 64 && refused.errors.contains("--no-clobber"), "\(refused)")
        }
        #expect(directory.names == ["f"])
        #expect(try directory.read("f").count == 40_000)
    }
}

import Foundation
import TestSupport
import Testing

/// The programs of `Examples` for one file, a mirror and a model.
@Suite("The small example programs", .withExamples)
struct SmallProgramTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Returns the lines printed by a program.
    private func run(
        _ program: ExampleProgram, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> [String] {
        let result = try await ChildProcess(
            program.path, arguments, directory: directory.path, environment: environment
        ).result()
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test("a file interrupted midway is completed by the next run, which fetches only the rest")
    func oneFile() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 2_000_000
        let arguments = [fixture.server.url("plain", size, "hold-tail=2000"), fixture.directory.path]
        let stopped = try await run(.oneFile, arguments + ["50"])
        #expect(stopped.last == "Stopped; the next run continues from here.")
        fixture.expectNoFinalFile()
        try await fixture.server.release()

        let last = try #require(try await run(.oneFile, arguments).last)
        let bytes = try #require(last.wholeMatch(of: /2000000 bytes, (\d+) of them in this run/)).output.1
        #expect(try #require(Int64(bytes)) <= size / 2, "\(last)")
        try fixture.expectExact(size)
    }

    @Test("a mirror is fetched, kept, checked by its proof, and repaired")
    func mirror() async throws {
        let nginx = try await Nginx(server: "autoindex on;")
        for number in 1...50 { try nginx.root.write("content of \(number)", to: "\(number).txt") }
        let arguments = [nginx.url(""), directory.file("copy")]
        #expect(try await run(.mirrorAgain, arguments) == ["50 fetched, 0 kept, 0 failed"])
        #expect(try await run(.mirrorAgain, arguments) == ["0 fetched, 50 kept, 0 failed"])

        try directory.write("content of 8", to: "copy/7.txt")
        try FileManager.default.removeItem(atPath: directory.file("copy/9.txt"))
        let mended = try await run(.mirrorAgain, arguments)
        #expect(Set(mended) == ["7.txt: damaged", "9.txt: missing", "2 fetched, 48 kept, 0 failed"])
        for number in 1...50 {
            #expect(try directory.read("copy/\(number).txt") == Array("content of \(number)".utf8))
        }
        let sums = try await ChildProcess(
            "/usr/bin/env", ["sha256sum", "--check", "--quiet", "SHA256SUMS"],
            directory: directory.file("copy")
        ).result()
        #expect(sums.status == 0, "\(sums.output)")
    }

    @Test("a model has a known total from the start, from a hub that alone receives the token")
    func model() async throws {
        let weights = String(repeating: "weights ", count: 100_000)
        let hub = try await HubServer(
            """
            {"repositories": {"models/org/model": {"commit": "0123456789abcdef0123456789abcdef01234567",
            "gated": true, "files": {"config.json": {"text": "{}"}, "b/model.gguf": {"text": "\(weights)"}}}},
            "large": 100000, "token": "hf_secret"}
            """)
        try directory.makeDirectory("models")
        let lines = try await run(
            .modelDownloader, ["hf://org/model", "models"],
            environment: ["HF_ENDPOINT": hub.endpoint, "HF_TOKEN": "hf_secret"])
        #expect(Set(lines.suffix(2)) == ["config.json completed ", "model.gguf completed "])
        #expect(lines.dropLast(2).allSatisfy { $0.hasSuffix(" of 800002 bytes") }, "\(lines)")
        #expect(lines.dropLast(2).last == "800002 of 800002 bytes")
        #expect(try directory.read("models/config.json") == Array("{}".utf8))
        #expect(try directory.read("models/b/model.gguf") == Array(weights.utf8))
        let requests = try hub.requests()
        let isSent = Dictionary(grouping: requests, by: \.host).mapValues { Set($0.map(\.authorization)) }
        #expect(isSent == ["hub": ["Bearer hf_secret"], "store": [nil]])

        let again = try await run(
            .modelDownloader, ["hf://org/model", "models"],
            environment: ["HF_ENDPOINT": hub.endpoint, "HF_TOKEN": "hf_secret"])
        #expect(again.first == "800002 of 800002 bytes")
        #expect(try hub.requests().dropFirst(requests.count).allSatisfy { $0.target.contains("/api/") })
    }

    @Test("the model downloader's tests pass: an invalid line, wrong bytes, no Wi-Fi")
    func faults() async throws {
        let result = try await ChildProcess(
            ExampleProgram.tests.path, ["--testing-library", "swift-testing"]
        ).result()
        let text = result.output + result.errors
        #expect(result.status == 0 && text.contains("Test run with 1 test in 1 suite passed"), "\(text)")
    }
}

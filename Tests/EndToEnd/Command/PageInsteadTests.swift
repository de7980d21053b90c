import Foundation
import TestContent
import TestSupport
import Testing

/// Servers that answer later requests with a page and status 200: a login form, or a message about a limit.
@Suite("A web page instead of the file")
struct PageInsteadTests {
    private static let size: Int64 = 4_000_000

    @Test("does not replace the connection that receives the file", arguments: ["4", "auto"])
    func within(segments: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("status", Self.size, "code=200&later=1&rate=1000000")
        let result = try await Segdl.run(
            ["-s", segments, "--min-segment-size", "64k", "-o", "f", url], in: directory)
        #expect(result.status == 0 && !result.errors.contains("starting over"), "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: Self.size) == nil)
        #expect(try await server.requests().count > 1)
    }

    @Test("is not taken for a new version of the file on resume", arguments: ["f", "f.html"])
    func resumed(name: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let arguments = ["-o", name, server.url("status", Self.size, "code=200&later=1")]
        let process = try Segdl.start(["-s", "1", "--limit-rate", "800k"] + arguments, in: directory)
        try await Segdl.waitUntilKept(name, atLeast: 1_000_000, in: directory)
        process.send(SIGINT)
        #expect(await process.result().signal == SIGINT)
        let kept = try Segdl.kept(name, in: directory)
        let again = try await Segdl.run(arguments, in: directory)
        // A page may differ each time.
        if name == "f.html" {
            #expect(again.status == 0 && again.errors.contains("starting over"), "\(again)")
            return
        }
        // This server sends the file for a request without an offset, which is sent before a page is
        // accepted.
        #expect(again.status == 0 && kept >= 1_000_000, "\(again)")
        #expect(directory.names == ["f"])
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: Self.size) == nil)
    }

    @Test("in response to each later request, it leaves the bytes, and the error names --restart")
    func lasting() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("changing", Self.size, "by=total&grows=-3999955&ctype=text/html&lm=none")
        let arguments = ["-o", "f", url]
        let process = try Segdl.start(["-s", "1", "--limit-rate", "800k"] + arguments, in: directory)
        try await Segdl.waitUntilKept("f", atLeast: 1_000_000, in: directory)
        process.send(SIGINT)
        #expect(await process.result().signal == SIGINT)
        let kept = try Segdl.kept("f", in: directory)
        let again = try await Segdl.run(arguments, in: directory)
        #expect(again.status == 4 && again.errors.contains("is a web page now"), "\(again)")
        #expect(again.errors.contains("--restart"), "\(again)")
        #expect(try Segdl.kept("f", in: directory) == kept)
        #expect(Set(directory.names) == ["f.part", "f.part.segdl"])
    }

    /// filecxx/FileCentipede #463: a service's message about a limit, as JSON with status 200.
    @Test("nor is a short message", arguments: ["f", "f.json"])
    func message(name: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url(
            "changing", Self.size, "by=total&grows=-3999955&ctype=application/json&lm=none")
        let arguments = ["-o", name, url]
        let process = try Segdl.start(["-s", "1", "--limit-rate", "800k"] + arguments, in: directory)
        try await Segdl.waitUntilKept(name, atLeast: 1_000_000, in: directory)
        process.send(SIGINT)
        #expect(await process.result().signal == SIGINT)
        let again = try await Segdl.run(arguments, in: directory)
        if name == "f.json" {
            #expect(again.status == 0 && again.errors.contains("starting over"), "\(again)")
            return
        }
        #expect(again.status == 4 && again.errors.contains("is a short message now"), "\(again)")
        #expect(Set(directory.names) == ["f.part", "f.part.segdl"])
    }
}

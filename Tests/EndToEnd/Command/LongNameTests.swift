import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

@Suite("Names of up to 255 bytes")
struct LongNameTests {
    private static let name = String(repeating: "n", count: 251) + ".bin"

    private let server: TestServerProcess.Scenario
    private let directory: TemporaryDirectory

    init() async throws {
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
    }

    private func expectExact(_ file: String, _ length: Int64) throws {
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file(file), length: length) == nil)
    }

    @Test(
        "are fetched, whether chosen by a user or a server",
        arguments: [name, String(repeating: "é", count: 125) + ".bin"])
    func fetch(name: String) async throws {
        for size: Int64 in [3_000_000, 500] {
            let chosen = ["-s", "4", "-o", name, server.url("plain", size, name: "x")]
            let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            for arguments in [chosen, [server.url("plain", size, name: encoded)]] {
                let result = try await Segdl.run(["fetch"] + arguments, in: directory)
                #expect(result.status == 0, "\(result)")
                #expect(directory.names == [name])
                try expectExact(name, size)
                try directory.remove(name)
            }
        }
    }

    @Test("are resumed after an interruption, and shown by segdl inspect")
    func interrupted() async throws {
        let url = server.url("plain", 3_000_000, name: Self.name, "hold-tail=2000")
        let process = try Segdl.start(["fetch", "-q", "-s", "1", url], in: directory)
        try await Segdl.waitUntilKept(Self.name, atLeast: 500_000, in: directory)
        process.send(SIGINT)
        #expect(await process.result().signal == SIGINT)
        #expect(directory.names.count == 2)
        let shown = try await Segdl.run(["inspect", Self.name], in: directory)
        #expect(shown.status == 0 && shown.output.contains("/plain/3000000/"), "\(shown)")
        let sent = try await server.peak().bytesSent
        try await server.release()
        let again = try await Segdl.run(["fetch", url], in: directory)
        #expect(again.status == 0, "\(again)")
        #expect(directory.names == [Self.name])
        try expectExact(Self.name, 3_000_000)
        #expect(try await server.peak().bytesSent - sent < 3_000_000)
    }

    @Test("of files with a wrong digest are set aside")
    func rejected() async throws {
        let digest = "sha256=" + String(repeating: "0", count: 64)
        let url = server.url("plain", 500, name: Self.name)
        for _ in 1...2 {
            let result = try await Segdl.run(["fetch", "--checksum", digest, url], in: directory)
            #expect(result.status == 4, "\(result)")
            #expect(directory.names.count == 1 && directory.names[0].hasSuffix(".rejected"))
        }
    }

    @Test("are replaced and numbered", arguments: ["replace", "rename"])
    func existing(policy: String) async throws {
        try directory.write("old", to: Self.name)
        let url = server.url("plain", 500, name: "x")
        let result = try await Segdl.run(
            ["fetch", "--if-exists", policy, "-o", Self.name, url], in: directory)
        #expect(result.status == 0, "\(result)")
        let number = String(repeating: "n", count: 249) + ".1.bin"
        #expect(directory.names == (policy == "replace" ? [Self.name] : [number, Self.name]))
        try expectExact(policy == "replace" ? Self.name : number, 500)
    }

    @Test("are in lists, mirrors and queues")
    func others() async throws {
        let urls = [500, 3_000_000].map { [server] in server.url("plain", $0, name: "x\($0)") }
        let names = ["a", "b"].map { $0 + Self.name.dropFirst() }
        try directory.write(zip(urls, names).map { "\($0)\n  out=\($1)\n" }.joined(), to: "list")
        let list = try await Segdl.run(["fetch", "-d", "fetched", "-i", "list"], in: directory)
        #expect(list.status == 0, "\(list)")
        let lines = zip(urls, names).map { "{\"url\": \"\($0)\", \"path\": \"d/\($1)\"}\n" }
        try directory.write(lines.joined(), to: "list.jsonl")
        for fetched in ["2 fetched", "0 fetched"] {
            let mirror = try await Segdl.run(["mirror", "list.jsonl", "tree"], in: directory)
            #expect(mirror.status == 0 && mirror.errors.contains(fetched), "\(mirror)")
        }
        for (url, name) in zip(urls, names) {
            let added = try await Segdl.run(
                ["queue", "add", "--queue", "q", "-o", "queued/" + name, url], in: directory)
            #expect(added.status == 0, "\(added)")
        }
        let queue = try await Segdl.run(["queue", "start", "--queue", "q"], in: directory)
        #expect(queue.status == 0, "\(queue)")
        for place in ["fetched/", "tree/d/", "queued/"] {
            for (size, name) in zip([500, 3_000_000] as [Int64], names) {
                try expectExact(place + name, size)
            }
        }
    }

    @Test("longer ones are refused before anything is fetched")
    func tooLong() async throws {
        let result = try await Segdl.run(
            ["fetch", "-o", "n" + Self.name, server.url("plain", 500)], in: directory)
        #expect(result.status == 5 && result.errors.contains("file name too long"), "\(result)")
        #expect(directory.names == [])
    }
}

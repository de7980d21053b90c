import Foundation
import TestContent
import TestSupport
import Testing

/// The commands that resume a file. None may mistake a part for the whole file.
@Suite("A range under status 200, after an interruption", .timeLimit(.minutes(10)))
struct ResumeDoorTests {
    enum Door: String, CaseIterable, Sendable {
        case fetch, list, sources, mirror, queue, aria2c

        /// The path of the file.
        var file: String { self == .mirror ? "tree/f.bin" : "f.bin" }

        func arguments(_ url: String, other: String) -> [String] {
            switch self {
            case .fetch: ["fetch", "-s", "1", url]
            case .list: ["fetch", "-s", "1", "-i", "list"]
            case .sources: ["fetch", "-s", "2", "--mirror", other, url]
            case .mirror: ["mirror", "-s", "1", "list.jsonl", "tree"]
            case .queue: ["queue", "start", "--queue", "q"]
            case .aria2c: ["aria2c", "--no-conf", "-s1", "-k1M", url]
            }
        }
    }

    private static let size: Int64 = 3_000_000

    @Test(
        "ends with the exact file at every entrance",
        arguments: Door.allCases,
        ["", "silent=1", "silent=1&later=1", "silent=1&etag=none&lm=none", "etag=weak&lm=none"])
    func exact(door: Door, query: String) async throws {
        let (server, directory) = (try await SharedServer.scenario(), try TemporaryDirectory())
        let details = query.isEmpty ? "hold-tail=1000" : query + "&hold-tail=1000"
        let url = server.url("ranges-under-200", Self.size, name: "f.bin", details)
        let arguments = door.arguments(url, other: server.url("plain", Self.size, name: "f.bin", details))
        try directory.write(url + "\n", to: "list")
        try directory.write("{\"url\": \"\(url)\", \"path\": \"f.bin\"}\n", to: "list.jsonl")
        if door == .queue {
            let added = try await Segdl.run(["queue", "add", "--queue", "q", "-s", "1", url], in: directory)
            #expect(added.status == 0, "\(added)")
        }
        let process = try Segdl.start(arguments, in: directory)
        try await Segdl.waitUntilKept(door.file, atLeast: 500_000, in: directory)
        process.send(SIGINT)
        _ = await process.result()
        #expect(!directory.exists(door.file))
        try await server.release()
        let result = try await Segdl.run(arguments, in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file(door.file), length: Self.size)
                == nil)
    }
}

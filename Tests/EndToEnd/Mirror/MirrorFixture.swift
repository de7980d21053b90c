import Foundation
import TestSupport
import Testing

/// A real nginx with a tree, and the real command, which mirrors it to `copy`.
struct MirrorFixture {
    /// One run, as reported by the command and the server.
    struct Run {
        var end: ChildProcess.Result
        /// The requests logged by the server: status and path.
        var requests: [(status: Int, path: String)]

        /// Requests for files.
        var files: [(status: Int, path: String)] { requests.filter { !$0.path.hasSuffix("/") } }
        /// Requests for listings.
        var listings: Int { requests.count - files.count }
    }

    let nginx: Nginx
    let directory: TemporaryDirectory
    var url: String { nginx.url("tree/") }
    var copy: String { directory.file("copy") }

    init(server: String = "") async throws {
        nginx = try await Nginx(server: "autoindex on; \(server)")
        directory = try TemporaryDirectory()
        for place in ["", "one/", "one/two dirs/"] {
            try nginx.root.makeDirectory("tree/" + place)
            for name in ["a.bin", "b c.bin", "#d.bin"] {
                try nginx.root.write("content of \(place)\(name)", to: "tree/\(place)\(name)")
            }
        }
    }

    func run(_ arguments: String..., source: String? = nil) async throws -> Run {
        let before = nginx.accessLog.count
        let end = try await Segdl.run(
            ["mirror", "--retries", "1", "--retry-delay", "0.01"] + arguments + [source ?? url, copy],
            in: directory)
        return Run(end: end, requests: nginx.accessLog.dropFirst(before).compactMap(Self.request))
    }

    /// `… "GET /tree/a HTTP/1.1" 304 0 …`
    private static func request(_ line: String) -> (status: Int, path: String)? {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count > 2, let status = parts[2].split(separator: " ").first.flatMap({ Int($0) }) else {
            return nil
        }
        return (status, String(parts[1].split(separator: " ").dropFirst().first ?? ""))
    }

    func expectExact(
        without: Set<String> = [], with more: Set<String> = [], location: SourceLocation = #_sourceLocation
    ) throws {
        let there = try MirroredTree.files(copy)
        let wanted = try MirroredTree.files(nginx.root.file("tree")).filter { !without.contains($0.key) }
        #expect(
            Set(there.keys) == Set(wanted.keys).union(more), sourceLocation: location)
        for (path, content) in wanted { #expect(there[path] == content, "\(path)", sourceLocation: location) }
    }

    func read(_ name: String) throws -> String {
        String(decoding: try directory.read("copy/" + name), as: UTF8.self)
    }

    static func modified(_ path: String) throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
}

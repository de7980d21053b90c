import Foundation
import TestSupport
import Testing

@Suite("A mirror of what Apache, Caddy and lighttpd list")
struct WebServerMirrorTests {
    private static let directories = ["", "one/", "one/two dirs/", "ümlaut/"]
    private static let names = [
        "a.bin", "b c.bin", "#d.bin", "e?.bin", "50%25.bin", "h:i.bin", "j+k&l;m.bin", "<n>'.bin",
    ]

    @Test(
        "is exact, revalidates in the second run, transfers changes, and deletes removed files",
        arguments: WebServer.Program.allCases)
    func mirror(program: WebServer.Program) async throws {
        let server = try await WebServer(program)
        let directory = try TemporaryDirectory()
        for place in Self.directories {
            try server.root.makeDirectory("tree/" + place)
            for name in Self.names {
                try server.root.write("content of \(place)\(name)", to: "tree/\(place)\(name)")
            }
        }
        // For a file modified within the last second, Apache sends a weak ETag, and later a different one.
        for path in try FileManager.default.subpathsOfDirectory(atPath: server.root.path) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
                ofItemAtPath: server.root.file(path))
        }
        func run(_ agent: String, _ more: String...) async throws {
            let end = try await Segdl.run(
                ["mirror", "--retries", "1", "--user-agent", agent] + more + [server.url + "tree/", "copy"],
                in: directory)
            #expect(end.status == 0, "\(agent): \(end.errors)")
            #expect(
                try MirroredTree.files(directory.file("copy"))
                    == MirroredTree.files(server.root.file("tree")),
                "\(agent)")
        }
        try await run("first")
        try await run("second")
        try server.root.remove("tree/one/two dirs")
        try server.root.write("longer than what was there before", to: "tree/ümlaut/a.bin")
        try server.root.write("new", to: "tree/ümlaut/new.bin")
        try await run("third", "--delete")

        let requests = try await server.stop()
        let count = Self.directories.count * Self.names.count
        let left = count - Self.names.count
        for (agent, listings, asked, unchanged, moved) in [
            ("first", 4, 0, 0, count), ("second", 4, count, count, 0), ("third", 3, left, left - 1, 2),
        ] {
            let its = requests.filter { $0.agent == agent }
            #expect(its.count(where: \.isListing) == listings, "\(agent)")
            #expect(its.count { $0.status == 304 } == unchanged, "\(agent)")
            #expect(its.count { $0.method == "HEAD" } == asked, "\(agent)")
            #expect(its.count { !$0.isListing && $0.method == "GET" } == moved, "\(agent)")
        }
    }
}

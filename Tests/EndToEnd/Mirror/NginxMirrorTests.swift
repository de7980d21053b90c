import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("A mirror of a real server")
struct NginxMirrorTests {
    private static let directories = ["", "one/", "one/two dirs/", "one/two dirs/drei/", "ümlaut/"]
    private static let names = ["a.bin", "b c.bin", "#d.bin", "e?.bin", "f%20g.bin", "h:i.bin", "j+k&l.bin"]

    private let nginx: Nginx
    private let directory: TemporaryDirectory
    private let downloader: Downloader

    init() async throws {
        nginx = try await Nginx(server: "autoindex on; location = /moved { return 302 /tree/; }")
        directory = try TemporaryDirectory()
        for place in Self.directories {
            try nginx.root.makeDirectory("tree/" + place)
            for name in Self.names {
                try nginx.root.write("content of \(place)\(name)", to: "tree/\(place)\(name)")
            }
        }
        try TestContent(seed: 1).write(to: nginx.root.file("tree/large.bin"), length: 3_000_000)
        var configuration = Configuration()
        configuration.retry.retries = 1
        downloader = try Downloader(configuration)
    }

    private func mirror(
        _ source: MirrorSource, filter: PathFilter = PathFilter(), to name: String = "copy"
    ) async -> MirrorReport {
        let entries = downloader.entries(of: source, filter: filter)
        return await downloader.mirror(MirrorJob(root: directory.filePath(name)), of: entries).report()
    }

    private func expectExact() throws {
        for place in Self.directories {
            for name in Self.names {
                #expect(
                    try directory.read("copy/\(place)\(name)") == Array("content of \(place)\(name)".utf8))
            }
        }
        #expect(try directory.read("copy/large.bin") == nginx.root.read("tree/large.bin"))
    }

    @Test("reads listings that are compressed unasked, or in UTF-16")
    func unasked() async throws {
        let nginx = try await Nginx(server: "location = /z/index.html { add_header Content-Encoding gzip; }")
        let page = "<title>Index of</title><h1>Index of</h1><a href=\"../\">up</a><a href=\"a.bin\">a.bin</a>"
        for place in ["z/", "w/"] {
            try nginx.root.makeDirectory(place)
            try nginx.root.write("content", to: place + "a.bin")
            try nginx.root.write(page, to: place + "page")
        }
        let script = "gzip -n < z/page > z/index.html && iconv -f UTF-8 -t UTF-16 w/page > w/index.html"
        let made = try await ChildProcess("/bin/sh", ["-c", script], directory: nginx.root.path).result()
        #expect(made.status == 0)
        for place in ["z/", "w/"] {
            let report = await mirror(.index(try Source(nginx.url(place))), to: place + "copy")
            #expect(report.isComplete && report.completed == 1, "\(report)")
        }
    }

    @Test("fetches a tree exactly", arguments: ["tree/", "tree", "moved"])
    func tree(start: String) async throws {
        let report = await mirror(.index(try Source(nginx.url(start))))
        #expect(report.isComplete, "\(report.failures)")
        #expect(report.completed == Self.directories.count * Self.names.count + 1)
        try expectExact()
        await downloader.shutdown()
    }

    @Test("fetches what a list of checksums names, and the second time nothing")
    func checksums() async throws {
        var list = ""
        for place in Self.directories {
            for name in Self.names {
                let digest = try await FileDigest.compute(
                    [.sha256], of: nginx.root.filePath("tree/\(place)\(name)"))
                list += "\(digest[0].hexadecimal)  ./\(place)\(name)\n"
            }
        }
        try nginx.root.write(list, to: "tree/SHA256SUMS")
        let source = MirrorSource.list(try Source(nginx.url("tree/SHA256SUMS")), .checksums)
        let first = await mirror(source)
        #expect(
            first.isComplete && first.completed == Self.directories.count * Self.names.count,
            "\(first.failures)")
        let requests = nginx.accessLog.count
        let second = await mirror(source)
        #expect(second.isComplete && second.skipped == first.completed && second.completed == 0)
        #expect(nginx.accessLog.count == requests + 1)
        await downloader.shutdown()
    }

    @Test("requests only directories that can contain selected files")
    func filtered() async throws {
        let filter = PathFilter(include: [try Glob("one/*.bin")], exclude: [try Glob("*:*")])
        let report = await mirror(.index(try Source(nginx.url("tree/"))), filter: filter)
        #expect(report.isComplete && report.completed == Self.names.count - 1)
        #expect(!nginx.accessLog.contains { $0.contains("two") || $0.contains("mlaut") })
        await downloader.shutdown()
    }
}

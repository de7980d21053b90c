import Foundation
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("segdl verify --repair", .timeLimit(.minutes(10)))
struct RepairTests {
    private let size: Int64 = 2_000_000
    private let length: Int64 = 100_000

    private func digest(_ range: Range<Int64>) async throws -> String {
        let directory = try TemporaryDirectory()
        try Data(TestContent(seed: 1).bytes(range)).write(to: URL(fileURLWithPath: directory.file("bytes")))
        return try #require(try await FileDigest.compute([.sha256], of: directory.filePath("bytes")).first)
            .hexadecimal
    }

    private func metalink(_ urls: [String]) async throws -> String {
        var hashes = ""
        for start in stride(from: 0, to: size, by: Int64.Stride(length)) {
            hashes += "<hash>\(try await digest(start..<min(start + length, size)))</hash>"
        }
        let sources = urls.map { "<url>\($0.replacingOccurrences(of: "&", with: "&amp;"))</url>" }.joined()
        return """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file.bin"><size>\(size)</size>
            <pieces type="sha-256" length="\(length)">\(hashes)</pieces>\(sources)</file></metalink>
            """
    }

    /// Overwrites bytes of a file.
    private func damage(_ directory: TemporaryDirectory, at offsets: [Int]) throws {
        var bytes = try directory.read("file.bin")
        for offset in offsets { bytes[offset] ^= 0xff }
        try Data(bytes).write(to: URL(fileURLWithPath: directory.file("file.bin")))
    }

    @Test("fetches only the wrong pieces")
    func wrongPieces() async throws {
        let fixture = try await DownloadFixture()
        let directory = fixture.directory
        try await directory.write(
            metalink([fixture.server.url("plain", size, "rate=1000000")]), to: "x.meta4")
        try TestContent(seed: 1).write(to: directory.file("file.bin"), length: size)
        let arguments = ["verify", "--repair", "x.meta4"]
        let intact = try await Segdl.run(arguments, in: directory)
        #expect(intact.status == 0, "\(intact.errors)")
        #expect(try await fixture.server.peak().requests == 0)
        try damage(directory, at: [5, 700_123, 700_124, 1_999_999])
        let repaired = try await Segdl.run(arguments, in: directory)
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(directory.names == ["file.bin", "x.meta4"])
        try fixture.expectBytes(size)
        // Three pieces, plus the bytes sent before a cut takes effect.
        #expect(try await fixture.server.peak().bytesSent < size / 2)
        let ranges = Set(try await fixture.server.requests().compactMap(\.range))
        #expect(ranges.contains { $0.hasPrefix("bytes=700000-799999") })
    }

    @Test("leaves the damaged file under its name, with nothing beside it, if no source responds")
    func unreachable() async throws {
        let directory = try TemporaryDirectory()
        try await directory.write(metalink(["http://127.0.0.1:9/file.bin"]), to: "x.meta4")
        try TestContent(seed: 1).write(to: directory.file("file.bin"), length: size)
        try damage(directory, at: [5])
        let before = try directory.read("file.bin")
        let end = try await Segdl.run(
            ["verify", "--repair", "--retries", "0", "x.meta4"], in: directory)
        #expect(end.status == 2, "\(end.errors)")
        #expect(directory.names == ["file.bin", "x.meta4"])
        #expect(try directory.read("file.bin") == before)
    }

    @Test("is suggested by a check of a wrong file, if the Metalink has piece digests")
    func proposed() async throws {
        let directory = try TemporaryDirectory()
        let whole = "<hash type=\"sha-256\">\(try await digest(0..<size))</hash><pieces"
        let text = try await metalink(["http://127.0.0.1:9/file.bin"]).replacingOccurrences(
            of: "<pieces", with: whole)
        try directory.write(text, to: "x.meta4")
        try TestContent(seed: 1).write(to: directory.file("file.bin"), length: size)
        let right = try await Segdl.run(["verify", "x.meta4"], in: directory)
        #expect(right.status == 0, "\(right)")
        try damage(directory, at: [5])
        let wrong = try await Segdl.run(["verify", "x.meta4"], in: directory)
        #expect(wrong.status == 4 && wrong.errors.contains("`segdl verify --repair x.meta4`"), "\(wrong)")
    }

    @Test("of a file that is too long can start again by a fetch after a kill at its start")
    func killedAtStart() async throws {
        let fixture = try await DownloadFixture()
        let directory = fixture.directory
        let url = fixture.server.url("plain", size)
        try await directory.write(metalink([url]), to: "x.meta4")
        let content = TestContent(seed: 1).bytes(0..<size)
        try Data(content + [0]).write(to: URL(fileURLWithPath: directory.file("file.bin")))
        let source = try Source(url)
        let manifest = Manifest(
            url: source.description, urlDigest: source.digest, total: size,
            inode: try SystemCalls.status(directory.filePath("file.bin")).inode, boot: BootIdentity.current,
            written: [[0, size]], durable: [], updated: 0)
        try ManifestStore(DownloadPaths(directory.filePath("file.bin"))).save(manifest, durably: false)
        let fetched = try await Segdl.run(["fetch", "-o", "file.bin", url], in: directory)
        #expect(fetched.status == 5 && !directory.exists("file.bin.part"), "\(fetched.errors)")
        let repaired = try await Segdl.run(["verify", "--repair", "x.meta4"], in: directory)
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(directory.names == ["file.bin", "x.meta4"])
        #expect(try directory.read("file.bin") == content)
    }

    @Test("removes the leftovers of a repair killed at its end if the file is correct")
    func leftover() async throws {
        let directory = try TemporaryDirectory()
        try await directory.write(metalink(["http://127.0.0.1:9/file.bin"]), to: "x.meta4")
        try TestContent(seed: 1).write(to: directory.file("file.bin"), length: size)
        let status = try SystemCalls.status(directory.filePath("file.bin"))
        let manifest = Manifest(
            url: "http://127.0.0.1:9/file.bin", urlDigest: "", total: size, inode: status.inode, boot: "",
            written: [], durable: [], updated: 0)
        try ManifestStore(DownloadPaths(directory.filePath("file.bin"))).save(manifest, durably: false)
        let end = try await Segdl.run(["verify", "--repair", "x.meta4"], in: directory)
        #expect(end.status == 0, "\(end.errors)")
        #expect(directory.names == ["file.bin", "x.meta4"])
    }

    @Test("completes a file that is too short or too long, from a correct source")
    func lengths() async throws {
        let fixture = try await DownloadFixture()
        let directory = fixture.directory
        let urls = [fixture.server.url("plain", size, "seed=2"), fixture.server.url("plain", size)]
        try await directory.write(metalink(urls), to: "x.meta4")
        for length in [size - 250_000, size + 250_000] {
            try TestContent(seed: 1).write(to: directory.file("file.bin"), length: length)
            let repaired = try await Segdl.run(["verify", "--repair", "x.meta4"], in: directory)
            #expect(repaired.status == 0, "\(repaired.errors)")
            try fixture.expectBytes(size)
            try directory.remove("file.bin")
        }
    }

    @Test("counts each file once, whether it was correct, repaired or failed")
    func counts() async throws {
        let fixture = try await DownloadFixture()
        let directory = fixture.directory
        let sources = [
            "right": "plain", "damaged": "plain", "failing": "close-truncated", "gone": "status",
        ]
        for (name, behaviour) in sources {
            let url = fixture.server.url(behaviour, size, "code=404")
            try directory.makeDirectory(name)
            try await directory.write(metalink([url]), to: "\(name)/x.meta4")
            try TestContent(seed: 1).write(to: directory.file("file.bin"), length: size)
            if name != "right" { try damage(directory, at: [5]) }
            try directory.rename("file.bin", to: "\(name)/file.bin")
        }
        let run = try await Segdl.run(
            ["verify", "--repair", "--retries", "0"] + sources.keys.sorted().map { "\($0)/x.meta4" },
            in: directory)
        #expect(run.status == 1, "\(run)")
        #expect(run.errors.contains("2 of 4 files completed, 2 failed"), "\(run.errors)")
        #expect(run.errors.contains("right/file.bin: exists"), "\(run.errors)")
    }

    @Test("keeps correct pieces if no source is left after the first response")
    func noSource() async throws {
        let fixture = try await DownloadFixture()
        let directory = fixture.directory
        try await directory.write(
            metalink([fixture.server.url("status", size, "code=404&later=1")]), to: "x.meta4")
        try TestContent(seed: 1).write(to: directory.file("file.bin"), length: size)
        // The first response, from the first byte on, is cut where correct bytes follow.
        try damage(directory, at: [5, 1_500_000])
        let failed = try await Segdl.run(["verify", "--repair", "x.meta4"], in: directory)
        #expect(failed.status == 3, "\(failed.errors)")
        #expect(try Segdl.kept("file.bin", in: directory) >= size - 2 * length)
        #expect(!directory.exists("file.bin"))
        try await directory.write(metalink([fixture.server.url("plain", size)]), to: "x.meta4")
        let repaired = try await Segdl.run(["verify", "--repair", "x.meta4"], in: directory)
        #expect(repaired.status == 0, "\(repaired.errors)")
        try fixture.expectBytes(size)
    }
}

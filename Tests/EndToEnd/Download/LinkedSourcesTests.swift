import Foundation
import SegmentedDL
import SegmentedDLMirror
import TestContent
import TestSupport
import Testing

@Suite(
    "Mirrors that servers name in Link headers",
    .timeLimit(.minutes(10)))
struct LinkedSourcesTests {
    private let size: Int64 = 8_000_000
    private let fixture: DownloadFixture
    private let process: TestServerProcess
    private let other: TestServerProcess.Scenario

    init() async throws {
        fixture = try await DownloadFixture()
        process = try await TestServerProcess.start()
        other = process.scenario()
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// A parameter that makes the server link to the other one.
    private func link(_ url: String? = nil) -> String {
        "header=" + Self.encoded("Link:<\(url ?? other.url("plain", size))>; rel=duplicate; pri=1")
    }

    private func checksum() async throws -> Checksum {
        let directory = try TemporaryDirectory()
        try TestContent(seed: 1).write(to: directory.file("content"), length: size)
        let found = try await FileDigest.compute([.sha256], of: directory.filePath("content"))
        return try #require(found.first)
    }

    /// A parameter that makes the server send the file's digest.
    private func digest() async throws -> String {
        let digits = Array(try await checksum().hexadecimal)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        return "&header=" + Self.encoded("Digest:SHA-256=" + Data(bytes).base64EncodedString())
    }

    private func fetch(_ query: String, _ change: (inout DownloadRequest) throws -> Void = { _ in })
        async throws -> [TestServerProcess.Request]
    {
        var request = try fixture.request(fixture.server.url("plain", size, "rate=2000000&" + query))
        request.followsLinks = true
        request.headers = [HTTPHeader("X-Secret", "yes")]
        try change(&request)
        _ = try await fixture.download(request)
        try fixture.expectExact(size)
        return try await other.requests()
    }

    @Test("contribute their part when the server also sends a digest, and get no header of the caller")
    func duplicates() async throws {
        let requests = try await fetch(link() + digest())
        #expect(!requests.isEmpty)
        #expect(requests.allSatisfy { $0.headers["x-secret"] == nil && $0.headers["want-digest"] == nil })
        let first = try #require(try await fixture.server.requests().first)
        #expect(first.headers["want-digest"] != nil && first.headers["want-repr-digest"] != nil)
    }

    @Test("are used if the caller knows the digest")
    func known() async throws {
        let checksum = try await checksum()
        #expect(try await !fetch(link()) { $0.checksums = [checksum] }.isEmpty)
    }

    @Test("are not used unless requested")
    func unwanted() async throws {
        #expect(try await fetch(link() + digest()) { $0.followsLinks = false }.isEmpty)
    }

    @Test("are not used without a digest")
    func withoutDigest() async throws {
        #expect(try await fetch(link()).isEmpty)
    }

    /// Returns a server with a Metalink, and a parameter that makes the file's server link to it as a
    /// description.
    private func described(
        sha256: String? = nil, piece: String? = nil
    ) async throws -> (nginx: Nginx, parameter: String) {
        let nginx = try await Nginx()
        let hashes = try await pieces(of: size, length: 500_000)
        let pieces = (0..<hashes.count).map { "<hash>\(piece ?? hashes[$0].hexadecimal)</hash>" }.joined()
        let digest = if let sha256 { sha256 } else { try await checksum().hexadecimal }
        try nginx.root.write(
            """
            <?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">
            <file name="other.bin"><size>1</size><url>\(other.url("plain", 1))</url></file>
            <file name="file.bin"><size>\(size)</size><hash type="sha-256">\(digest)</hash>
            <pieces length="500000" type="sha-256">\(pieces)</pieces>
            <url>\(other.url("plain", size))</url></file></metalink>
            """, to: "file.meta4")
        return (nginx, Self.description(nginx.url("file.meta4")))
    }

    private static func description(_ url: String) -> String {
        "&header=" + encoded("Link:<\(url)>; rel=describedby; type=\"application/metalink4+xml\"")
    }

    @Test(
        "a Metalink that describes the file supplies piece digests and sources", arguments: [1, 6])
    func description(connections: Int) async throws {
        let (nginx, parameter) = try await described()
        var fixture = fixture
        fixture.configuration.limits.connections = connections
        // Honest at first, then other bytes with the same validators: the digest of the whole file alone
        // would not help.
        let query = "after=1&by=none&rate=4000000" + parameter
        var request = try await fixture.request(fixture.server.url("changing", size, query) + digest())
        request.followsLinks = true
        _ = try await fixture.download(request, segments: min(4, connections))
        try fixture.expectExact(size)
        #expect(nginx.accessLog.count == 1)
        #expect(try await !other.requests().isEmpty)
    }

    @Test(
        "a description of another version, or an unavailable one, is ignored",
        arguments: [true, false])
    func otherDescription(isThere: Bool) async throws {
        let (nginx, parameter) = try await described(sha256: String(repeating: "0", count: 64))
        let missing = Self.description(nginx.url("none.meta4"))
        #expect(try await fetch(digest() + (isThere ? parameter : missing)).isEmpty)
        #expect(nginx.accessLog.count == 1)
    }

    @Test("a description with wrong piece digests does no harm")
    func wrongPieces() async throws {
        let (nginx, parameter) = try await described(piece: String(repeating: "0", count: 64))
        var request = try await fixture.request(
            fixture.server.url("plain", size, "rate=4000000" + parameter) + digest())
        request.followsLinks = true
        let result = try await fixture.download(request)
        #expect(result.verified.count == 1)
        try fixture.expectExact(size)
        #expect(nginx.accessLog.count == 1)
    }

    @Test("a description is not fetched unless links are followed, or without a digest")
    func unwantedDescription() async throws {
        let (nginx, parameter) = try await described()
        #expect(try await fetch(digest() + parameter) { $0.followsLinks = false }.isEmpty)
        try fixture.directory.remove("file.bin")
        #expect(try await fetch(parameter).isEmpty)
        #expect(nginx.accessLog.isEmpty)
    }

    @Test("are not asked for bytes if they have another file")
    func otherFile() async throws {
        let wrong = other.url("plain", size, "seed=2")
        let requests = try await fetch(link(wrong) + digest())
        // No more than samples for a comparison.
        #expect(requests.allSatisfy { $0.bytesSent < 2_000_000 })
    }
}

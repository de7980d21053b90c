import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

@Suite("Mirrors that servers name in Link fields", .timeLimit(.minutes(1)))
struct LinkedSourcesTests {
    private let size: Int64 = 8_000_000
    private let bench: Bench
    private let process: TestServerProcess
    private let other: TestServerProcess.Scenario

    init() async throws {
        bench = try await Bench()
        process = try await TestServerProcess.start()
        other = process.scenario()
    }

    private func encoded(_ text: String) -> String {
        text.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// A parameter that makes the server name the other one.
    private func link(_ url: String? = nil) -> String {
        "header=" + encoded("Link:<\(url ?? other.url("plain", size))>; rel=duplicate; pri=1")
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
        return "&header=" + encoded("Digest:SHA-256=" + Data(bytes).base64EncodedString())
    }

    private func fetch(_ query: String, _ change: (inout DownloadRequest) throws -> Void = { _ in })
        async throws -> [TestServerProcess.Request]
    {
        var request = try bench.request(bench.server.url("plain", size, "rate=2000000&" + query))
        request.followsLinks = true
        request.headers = [HTTPHeader("X-Secret", "yes")]
        try change(&request)
        _ = try await bench.download(request)
        try bench.expectExact(size)
        return try await other.requests()
    }

    @Test("deliver their part when the server sends a digest too, and see no header of the caller's")
    func duplicates() async throws {
        let requests = try await fetch(link() + digest())
        #expect(!requests.isEmpty)
        #expect(requests.allSatisfy { $0.headers["x-secret"] == nil && $0.headers["want-digest"] == nil })
        let first = try #require(try await bench.server.requests().first)
        #expect(first.headers["want-digest"] != nil && first.headers["want-repr-digest"] != nil)
    }

    @Test("count when the caller knows the digest")
    func known() async throws {
        let checksum = try await checksum()
        #expect(try await !fetch(link()) { $0.checksum = checksum }.isEmpty)
    }

    @Test("are not asked unless that is wanted")
    func unwanted() async throws {
        #expect(try await fetch(link() + digest()) { $0.followsLinks = false }.isEmpty)
    }

    @Test("are not asked without a digest")
    func withoutDigest() async throws {
        #expect(try await fetch(link()).isEmpty)
    }

    @Test("are not asked for bytes if they have another file")
    func otherFile() async throws {
        let wrong = other.url("plain", size, "seed=2")
        let requests = try await fetch(link(wrong) + digest())
        // No more than samples to compare.
        #expect(requests.allSatisfy { $0.bytesSent < 2_000_000 })
    }
}

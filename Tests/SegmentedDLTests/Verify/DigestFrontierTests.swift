import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Hashing behind the writes")
struct DigestFrontierTests {
    private let directory: ScratchDirectory
    private let part: PartFile
    private static let content = (0..<2_600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    private let bytes = Self.content

    init() throws {
        directory = try ScratchDirectory()
        part = try PartFile(DownloadPaths(directory.file("x")))
    }

    private func write(_ range: Range<Int>) throws {
        try bytes[range].withUnsafeBytes { try part.write($0, at: Int64(range.lowerBound)) }
    }

    @Test("covers exactly the stated length", arguments: [0, 1, 1000, 262_144, 262_145, 2_500_000])
    func length(length: Int) async throws {
        try write(0..<bytes.count)
        let frontier = try DigestFrontier(part, [.sha256])
        #expect(
            try await frontier.finish(at: Int64(length)).map(\.hexadecimal)
                == [Digest.sha256(bytes.prefix(length))])
    }

    @Test("reads the file at its end for a digest that includes its length", arguments: [0, 1, 300_000])
    func length(ofLast length: Int) async throws {
        let frontier = try DigestFrontier(part, [.gitsha1, .sha256])
        #expect(frontier.isHashing)
        try write(0..<200_000)
        frontier.reach(200_000)
        frontier.startOver()
        try write(0..<length)
        frontier.reach(Int64(length))
        let found = try await frontier.finish(at: Int64(length))
        #expect(Set(found.map(\.algorithm)) == [.gitsha1, .sha256])
        for digest in found {
            #expect(digest.hexadecimal == Digest.text(of: bytes.prefix(length), digest.algorithm))
        }
    }

    @Test("follows writes in any order, with several algorithms at once")
    func anyOrder() async throws {
        let frontier = try DigestFrontier(part, [.sha256, .md5])
        try write(1_000_000..<2_600_000)
        frontier.reach(0)
        try write(0..<400_000)
        frontier.reach(400_000)
        try write(400_000..<1_000_000)
        frontier.reach(2_600_000)
        frontier.reach(1_000_000)
        let found = try await frontier.finish(at: 2_600_000)
        #expect(found.map(\.algorithm) == [.sha256, .md5])
        #expect(found.first?.hexadecimal == Digest.sha256(bytes))
    }

    @Test("resets for a stream that restarts", arguments: [0, 1_000_000])
    func startsOver(length: Int) async throws {
        let frontier = try DigestFrontier(part, [.sha256])
        let old = [UInt8](repeating: 7, count: 1_500_000)
        try old.withUnsafeBytes { try part.write($0, at: 0) }
        frontier.reach(1_500_000)
        frontier.startOver()
        try write(0..<1_000_000)
        frontier.reach(Int64(length))
        #expect(
            try await frontier.finish(at: Int64(length)).map(\.hexadecimal)
                == [Digest.sha256(bytes.prefix(length))])
    }

    @Test("skips an end that was read before bytes were freed")
    func staleEnd() async throws {
        let frontier = try DigestFrontier(part, [.sha256])
        try write(0..<400_000)
        let changed = [UInt8](repeating: 7, count: 1_100_000)
        try changed.withUnsafeBytes { try part.write($0, at: 400_000) }
        // As by a writer delayed between the plan and the call, in parallel with the check of resumed bytes.
        frontier.startOver()
        frontier.reach(1_500_000) { 400_000 }
        frontier.reach(1_500_000) { 0 }
        try write(400_000..<1_500_000)
        frontier.reach(1_500_000) { 1_500_000 }
        #expect(
            try await frontier.finish(at: 1_500_000).map(\.hexadecimal)
                == [Digest.sha256(bytes.prefix(1_500_000))])
    }

    @Test("reports that the file was truncated, and returns no digest of the rest")
    func cut() async throws {
        try write(0..<1_000_000)
        let frontier = try DigestFrontier(part, [.sha256])
        let error = await #expect(throws: DownloadError.self) { try await frontier.finish(at: 2_000_000) }
        #expect(error?.code == .badPath)
    }

    @Test("stops before the file is closed, repeatedly")
    func stops() async throws {
        try write(0..<bytes.count)
        let frontier = try DigestFrontier(part, [.sha512])
        frontier.reach(2_600_000)
        await frontier.stop()
        await frontier.stop()
        await #expect(throws: CancellationError.self) { try await frontier.finish(at: 2_600_000) }
    }
}

@Suite("The expectations for a finished file")
struct ExpectationsTests {
    private let sha256 = try? Checksum(.sha256, String(repeating: "ab", count: 32))
    private let md5 = try? Checksum(.md5, String(repeating: "cd", count: 16))
    private let otherMD5 = try? Checksum(.md5, String(repeating: "ef", count: 16))

    @Test("each algorithm is computed once")
    func algorithms() throws {
        let (md5, otherMD5) = (try #require(md5), try #require(otherMD5))
        let sha256 = try #require(sha256)
        #expect(Expectations().algorithms == [])
        #expect(
            Expectations(checksums: [sha256], server: ServerDigest(field: "Digest", checksum: md5)).algorithms
                == [.sha256, .md5])
        #expect(
            Expectations(checksums: [otherMD5], server: ServerDigest(field: "Digest", checksum: md5))
                .algorithms
                == [.md5])
    }

    @Test("a mismatch shows both digests, and the origin of the expected one")
    func mismatches() throws {
        let (md5, otherMD5) = (try #require(md5), try #require(otherMD5))
        #expect(Expectations(checksums: [md5]).mismatch([md5]) == nil)
        let callers = try #require(Expectations(checksums: [md5]).mismatch([otherMD5])).description
        #expect(callers.contains(md5.hexadecimal) && callers.contains(otherMD5.hexadecimal))
        let server = ServerDigest(field: "Repr-Digest", checksum: md5)
        let servers = try #require(Expectations(checksums: [otherMD5], server: server).mismatch([otherMD5]))
        #expect(servers.description.contains("Repr-Digest") && servers.description.contains(md5.hexadecimal))
        #expect(servers.remedy == .ignoredServerDigest)
    }

    @Test("a proof states the origin of the digest; a merely computed one proves nothing")
    func proofs() throws {
        let (md5, sha256) = (try #require(md5), try #require(sha256))
        let both = Expectations(checksums: [md5], server: ServerDigest(field: "Repr-Digest", checksum: md5))
        #expect(both.proofs([md5]) == [DigestProof(md5, isRequested: true, field: "Repr-Digest")])
        let each = Expectations(checksums: [sha256], server: ServerDigest(field: "Digest", checksum: md5))
        #expect(
            each.proofs([sha256, md5]) == [
                DigestProof(sha256, isRequested: true),
                DigestProof(md5, isRequested: false, field: "Digest"),
            ])
        #expect(Expectations(wantsSHA256: true).proofs([sha256]) == [])
    }

    @Test("a mismatch is wrong content")
    func error() {
        let error = Expectations.error(
            "x.iso", Expectations.Mismatch(description: "bad"), kept: "they are kept as 'x'")
        #expect(error.code == .checksumMismatch)
        #expect(error.exitStatus == 4)
        #expect(error.message == "x.iso: bad; they are kept as 'x'.")
    }
}

extension DigestFrontier {
    /// Hashes up to an end that is never taken back.
    func reach(_ end: Int64) { reach(end) { end } }
}

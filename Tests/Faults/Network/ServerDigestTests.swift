import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

@Suite("A digest sent by the server")
struct ServerDigestTests {
    private static let size: Int64 = 2_000_000

    /// The digest of the test server's file, in Base64 and as a value.
    private static func digest(
        _ algorithm: Checksum.Algorithm, seed: UInt64 = 1, size: Int64 = size
    ) async throws -> (String, Checksum) {
        let fixture = try await DownloadFixture()
        _ = try await fixture.download(fixture.request(fixture.server.url("plain", size, "seed=\(seed)")))
        let found = try await FileDigest.compute([algorithm], of: fixture.directory.filePath("file.bin"))
        let checksum = try #require(found.first)
        let bytes = stride(from: 0, to: checksum.hexadecimal.count, by: 2).compactMap { index in
            UInt8(checksum.hexadecimal.dropFirst(index).prefix(2), radix: 16)
        }
        return (Data(bytes).base64EncodedString(), checksum)
    }

    private static func field(_ name: String, _ value: String) throws -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-:")
        let field =
            try "header=" + #require(
                "\(name):\(value)".addingPercentEncoding(withAllowedCharacters: allowed))
        // As sent by Amazon's store for an object that was not uploaded in parts.
        return name.hasPrefix("x-amz") ? field + "&header=x-amz-checksum-type:FULL_OBJECT" : field
    }

    /// A field for each form of digest; `%` stands for the digest in Base64.
    static let forms: [(name: String, algorithm: Checksum.Algorithm, value: String)] = [
        ("Repr-Digest", .sha256, "sha-256=:%:"),
        ("Content-Digest", .sha512, "sha-512=:%:"),
        ("Digest", .sha1, "SHA=%"),
        ("Content-MD5", .md5, "%"),
        ("x-goog-hash", .md5, "crc32c=n03x6A==,md5=%"),
        ("x-goog-hash", .crc32c, "crc32c=%"),
        ("x-amz-checksum-sha256", .sha256, "%"),
        ("x-amz-checksum-crc64nvme", .crc64nvme, "%"),
        ("x-amz-checksum-crc32c", .crc32c, "%"),
        ("x-amz-checksum-crc32", .crc32, "%"),
    ]

    @Test("is verified and reported", arguments: forms)
    func right(name: String, algorithm: Checksum.Algorithm, value: String) async throws {
        let fixture = try await DownloadFixture()
        let (base64, checksum) = try await Self.digest(algorithm)
        let field = try Self.field(name, value.replacingOccurrences(of: "%", with: base64))
        let result = try await fixture.download(
            fixture.request(fixture.server.url("plain", Self.size, field)))
        #expect(result.verified == [checksum])
        try fixture.expectExact(Self.size)
    }

    @Test("of other bytes sets the file aside and names both", arguments: forms)
    func wrong(name: String, algorithm: Checksum.Algorithm, value: String) async throws {
        let fixture = try await DownloadFixture()
        let (base64, checksum) = try await Self.digest(algorithm)
        let field = try Self.field(name, value.replacingOccurrences(of: "%", with: base64))
        let url = fixture.server.url("plain", Self.size, "seed=2&\(field)")
        let error = try await fixture.failure(fixture.request(url))
        #expect(error.code == .checksumMismatch)
        let (_, found) = try await Self.digest(algorithm, seed: 2)
        for part in [name, checksum.hexadecimal, found.hexadecimal, "file.bin.rejected"] {
            #expect(error.message.contains(part), "\(error)")
        }
        #expect(fixture.directory.names == ["file.bin.rejected"])

        var request = try fixture.request(url)
        request.verifiesServerDigest = false
        #expect(try await fixture.download(request).verified == [])
    }

    @Test("may be that of the response's part only, which proves nothing", arguments: forms)
    func ofPart(name: String, algorithm: Checksum.Algorithm, value: String) async throws {
        let fixture = try await DownloadFixture()
        let (base64, _) = try await Self.digest(algorithm, size: 100_000)
        let field = try Self.field(name, value.replacingOccurrences(of: "%", with: base64))
        let result = try await fixture.download(
            fixture.request(fixture.server.url("short-ranges", Self.size, "most=100000&\(field)")))
        #expect(result.verified == [])
        try fixture.expectExact(Self.size)
    }

    @Test("of other bytes ends a stream into a pipe with the same error")
    func stream() async throws {
        let fixture = try await DownloadFixture()
        let (base64, _) = try await Self.digest(.sha256)
        let field = try Self.field("Repr-Digest", "sha-256=:\(base64):")
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["fetch", "-q", "-o", "-", fixture.server.url("plain", 1000, "seed=2&\(field)")], in: directory)
        #expect(result.status == 4)
        #expect(result.errors.contains("Repr-Digest"))
    }

    @Test("that changed between two runs indicates another file, although the validators agree")
    func changed() async throws {
        let fixture = try await DownloadFixture()
        let (old, _) = try await Self.digest(.sha256)
        let (new, checksum) = try await Self.digest(.sha256, seed: 2)
        let before = try Self.field("Repr-Digest", "sha-256=:\(old):")
        let after = try Self.field("Repr-Digest", "sha-256=:\(new):")
        // Both have the same validator, and the same URL except for the test server's parameters.
        let url = fixture.server.url("plain", Self.size, "etag=none&\(before)&rate=60000")
        let process = try Segdl.start(
            ["fetch", "-q", "-s", "4", "--min-segment-size", "64k", "-o", "file.bin", url],
            in: fixture.directory)
        try await Segdl.waitUntilKept("file.bin", atLeast: 200_000, in: fixture.directory)
        process.send(9)
        _ = await process.result()

        var request = try fixture.request(
            fixture.server.url("plain", Self.size, "etag=none&seed=2&\(after)"))
        let failure = try await fixture.failure(request)
        #expect(failure.code == .badPath && failure.message.contains("digest"), "\(failure)")
        request.startsOver = true
        let result = try await fixture.download(request)
        #expect(result.bytesWritten == Self.size)
        #expect(result.verified == [checksum])
        try fixture.expectExact(Self.size, seed: 2)
    }

    @Test("is remembered by a run killed after its last byte")
    func leftover() async throws {
        var fixture = try await DownloadFixture()
        // Fingerprints would detect the changed bytes first.
        fixture.configuration.checksResumedBytes = false
        let (base64, _) = try await Self.digest(.sha256)
        let field = try Self.field("Repr-Digest", "sha-256=:\(base64):")
        let url = fixture.server.url("plain", Self.size, "\(field)&rate=60000")
        let process = try Segdl.start(
            ["fetch", "-q", "-s", "4", "--min-segment-size", "64k", "-o", "file.bin", url],
            in: fixture.directory)
        try await Segdl.waitUntilKept("file.bin", atLeast: 200_000, in: fixture.directory)
        // Another program takes the name: all bytes are received, but cannot be stored under it.
        try fixture.directory.write("theirs", to: "file.bin")
        #expect(await process.result().status == 5)
        #expect(fixture.directory.names == ["file.bin", "file.bin.part", "file.bin.part.segdl"])
        let requests = try await fixture.server.requests().count

        try fixture.directory.remove("file.bin")
        let part = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.directory.file("file.bin.part")))
        try part.seek(toOffset: 1_234_567)
        try part.write(contentsOf: Data([0, 0]))
        try part.close()
        // Like a disk that loses bytes: without a trace in the date.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)],
            ofItemAtPath: fixture.directory.file("file.bin.part"))
        let error = try await fixture.failure(fixture.request(url))
        #expect(error.code == .checksumMismatch)
        #expect(error.message.contains("Repr-Digest"))
        #expect(fixture.directory.names == ["file.bin.rejected"])
        #expect(try await fixture.server.requests().count == requests)
    }
}

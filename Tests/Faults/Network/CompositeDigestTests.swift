import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

@Suite("A checksum of the parts of an upload")
struct CompositeDigestTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let size = 12 * mebibyte

    /// The composite checksum of the test server's file, in Base64 and as a value.
    private static func composite(
        _ algorithm: Checksum.Algorithm, partLength: Int64, size: Int64 = size
    ) async throws -> (String, Checksum) {
        let directory = try TemporaryDirectory()
        func digest(_ bytes: Data) async throws -> Checksum {
            try bytes.write(to: URL(fileURLWithPath: directory.file("part")))
            let found = try await FileDigest.compute([algorithm], of: directory.filePath("part"))
            return try #require(found.first)
        }
        var digests = Data()
        for start in stride(from: 0, to: size, by: Int(partLength)) {
            let part = TestContent(seed: 1).bytes(start..<min(start + partLength, size))
            digests += raw(try await digest(Data(part)))
        }
        let checksum = try await digest(digests)
        return (raw(checksum).base64EncodedString(), checksum)
    }

    private static func raw(_ checksum: Checksum) -> Data {
        Data(
            stride(from: 0, to: checksum.hexadecimal.count, by: 2).compactMap { index in
                UInt8(checksum.hexadecimal.dropFirst(index).prefix(2), radix: 16)
            })
    }

    /// The query for a response with the field.
    private static func query(
        _ algorithm: Checksum.Algorithm, _ value: String, type: String? = "COMPOSITE"
    ) throws -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-:_")
        let fields =
            ["x-amz-checksum-\(algorithm.rawValue):\(value)"]
            + [type.map { "x-amz-checksum-type:\($0)" }].compactMap(\.self)
        return try fields.map {
            try "header=" + #require($0.addingPercentEncoding(withAllowedCharacters: allowed))
        }.joined(separator: "&")
    }

    @Test(
        "proves a file, and is not stated as the file's own digest",
        arguments: [
            (.crc32c, 8), (.crc32c, 5), (.crc32, 7), (.crc32c, 12), (.sha256, 5), (.sha1, 8),
        ] as [(Checksum.Algorithm, Int64)])
    func right(algorithm: Checksum.Algorithm, mebibytes: Int64) async throws {
        let fixture = try await DownloadFixture()
        let (base64, checksum) = try await Self.composite(algorithm, partLength: mebibytes * Self.mebibyte)
        let parts = Int((12 + mebibytes - 1) / mebibytes)
        let field = try Self.query(algorithm, "\(base64)-\(parts)")
        var request = try fixture.request(fixture.server.url("plain", Self.size, field))
        let result = try await fixture.download(request)
        var proof = DigestProof(checksum, isRequested: false, field: "x-amz-checksum-\(algorithm.rawValue)")
        proof.parts = parts
        #expect(result.proofs == [proof])
        #expect(result.verified == [])
        try fixture.expectExact(Self.size)

        request.destination = .file(fixture.directory.filePath("unverified.bin"))
        request.verifiesServerDigest = false
        #expect(try await fixture.download(request).proofs == [])
    }

    @Test("of other bytes, or of other parts, proves nothing and is no error")
    func wrong() async throws {
        let fixture = try await DownloadFixture()
        let (base64, _) = try await Self.composite(.crc32c, partLength: 8 * Self.mebibyte)
        for (number, query) in [
            "seed=2&" + (try Self.query(.crc32c, "\(base64)-2")), try Self.query(.crc32c, "\(base64)-3"),
            try Self.query(.crc32c, "\(base64)-1000000000"),
            try Self.query(.crc32c, "\(base64)-2", type: "NEW"),
        ].enumerated() {
            let result = try await fixture.download(
                fixture.request(fixture.server.url("plain", Self.size, query), to: "\(number)"))
            #expect(result.proofs == [])
            try fixture.expectBytes(Self.size, seed: number == 0 ? 2 : 1, name: "\(number)")
        }
        #expect(fixture.directory.names == ["0", "1", "2", "3"])
    }

    @Test(
        "proves a file without the number of parts, as in a response to a range",
        arguments: [nil, "COMPOSITE"])
    func withoutNumber(type: String?) async throws {
        let fixture = try await DownloadFixture()
        let (base64, _) = try await Self.composite(.crc32, partLength: 8 * Self.mebibyte)
        let field = try Self.query(.crc32, base64, type: type)
        let result = try await fixture.download(
            fixture.request(fixture.server.url("plain", Self.size, field)))
        #expect(result.proofs.map(\.parts) == [2])
    }

    @Test("proves a small file, and one that is written to standard output")
    func smallAndPiped() async throws {
        let fixture = try await DownloadFixture()
        let (small, _) = try await Self.composite(.crc32c, partLength: 1000, size: 1000)
        let one = try Self.query(.crc32c, "\(small)-1")
        let result = try await fixture.download(fixture.request(fixture.server.url("plain", 1000, one)))
        #expect(result.proofs.map(\.parts) == [1])
        try fixture.expectExact(1000)

        let directory = try TemporaryDirectory()
        let end = try await Segdl.run(
            ["fetch", "-o", "-", fixture.server.url("plain", 1000, one)], in: directory)
        #expect(end.status == 0)
        #expect(end.errors.contains("crc32c of 1 uploaded part verified"), "\(end.errors)")
    }
}

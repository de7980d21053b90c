import Testing

@testable import SegmentedDL

@Suite("The digest of a part file")
struct VerifierTests {
    @Test(
        "covers exactly the length that is stated",
        arguments: [0, 1, 1000, 1024 * 1024, 1024 * 1024 + 1, 2_500_000])
    func length(length: Int) throws {
        let directory = try TemporaryDirectory()
        let part = try PartFile(for: directory.file("x"))
        let bytes = (0..<2_600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        try bytes.withUnsafeBytes { try part.write($0, at: 0) }
        let found = try Verifier.digest(part, length: Int64(length), .sha256)
        #expect(found == Digest.sha256(bytes.prefix(length)))
    }

    @Test("a mismatch names both digests and the file")
    func mismatch() throws {
        let expected = try Checksum(.md5, "900150983cd24fb0d6963f7d28e17f72")
        let error = Verifier.mismatch("x.iso", found: "abc", expected: expected, kept: "they are kept as 'x'")
        #expect(error.code == .checksumMismatch)
        #expect(error.exitStatus == 4)
        for part in ["x.iso", "abc", expected.hexadecimal, "kept as 'x'"] {
            #expect(error.message.contains(part))
        }
    }
}

import Testing

@testable import SegmentedDL

@Suite("A fingerprint")
struct FingerprintTests {
    private let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }

    private func fingerprint(_ bytes: [UInt8], pieces: [Int] = []) throws -> UInt64 {
        let fingerprint = try #require(Fingerprint())
        var rest = bytes[...]
        for count in pieces + [rest.count] {
            rest.prefix(count).withUnsafeBytes { fingerprint.update($0) }
            // The value may be read between two pieces.
            _ = fingerprint.value
            rest = rest.dropFirst(count)
        }
        return fingerprint.value
    }

    @Test("is the same for any division of the bytes, and in each version: manifests store it")
    func pieces() throws {
        let whole = try fingerprint(bytes)
        #expect(whole == 0xb679_a90b_af61_2ebd)
        for pieces in [[1], [15, 1, 17], [16, 16], [10_000, 9_999], [0, 3]] {
            #expect(try fingerprint(bytes, pieces: pieces) == whole)
        }
    }

    @Test("differs for each flipped bit, for another number of zeros, and for exchanged blocks")
    func changes() throws {
        let whole = try fingerprint(bytes)
        for index in stride(from: 0, to: bytes.count, by: 397) {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(try fingerprint(changed) != whole, "byte \(index)")
        }
        let zeros = try (0..<64).map { try fingerprint([UInt8](repeating: 0, count: $0)) }
        #expect(Set(zeros).count == zeros.count)
        #expect(try fingerprint(Array(bytes[10_000...] + bytes[..<10_000])) != whole)
    }
}

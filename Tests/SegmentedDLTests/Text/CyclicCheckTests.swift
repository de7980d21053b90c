import CSegSystem
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Cyclic checks")
struct CyclicCheckTests {
    private static let kinds = [SEG_CRC32, SEG_CRC32C, SEG_CRC64NVME]

    @Test(
        "have the values of the catalogue of CRCs",
        arguments: [
            (.crc32, "cbf43926"), (.crc32c, "e3069283"), (.crc64nvme, "ae8b14860a799888"),
        ] as [(Checksum.Algorithm, String)])
    func catalogue(algorithm: Checksum.Algorithm, value: String) {
        #expect(Digest.text(of: "123456789".utf8, algorithm) == value)
    }

    /// The definition, computed bit by bit.
    private static func slowly(_ kind: seg_crc_kind, _ bytes: some Sequence<UInt8>) -> UInt64 {
        let (polynomial, all): (UInt64, UInt64) =
            switch kind {
            case SEG_CRC32: (0xedb8_8320, 0xffff_ffff)
            case SEG_CRC32C: (0x82f6_3b78, 0xffff_ffff)
            default: (0x9a6c_9329_ac4b_c9b5, .max)
            }
        var value = all
        for byte in bytes {
            value ^= UInt64(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? polynomial : 0) }
        }
        return value ^ all
    }

    @Test("are equal by tables, by folding, in pieces, and combined, at any offset and of any length")
    func agree() {
        var random = SplitMix64(seed: 11)
        let bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
        for length in Array(0...260) + [1023, 2048, 4000] {
            let start = Int.random(in: 0...(bytes.count - length), using: &random)
            let cut = Int.random(in: 0...length, using: &random)
            bytes[start..<start + length].withUnsafeBytes { bytes in
                let head = UnsafeRawBufferPointer(rebasing: bytes[..<cut])
                let tail = UnsafeRawBufferPointer(rebasing: bytes[cut...])
                for kind in Self.kinds {
                    let expected = Self.slowly(kind, bytes)
                    #expect(seg_crc_update(kind, 0, bytes.baseAddress, length) == expected)
                    #expect(seg_crc_update_portable(kind, 0, bytes.baseAddress, length) == expected)
                    let first = seg_crc_update(kind, 0, head.baseAddress, head.count)
                    #expect(seg_crc_update(kind, first, tail.baseAddress, tail.count) == expected)
                    let second = seg_crc_update(kind, 0, tail.baseAddress, tail.count)
                    #expect(seg_crc_combine(kind, first, second, UInt64(tail.count)) == expected)
                }
            }
        }
    }

    @Test("of a list are not identified by length, because two of them share one")
    func lists() {
        #expect(ChecksumList("cbf43926  a\nCRC32 (a) = cbf43926\n").entries.isEmpty)
        #expect(Checksum.Algorithm.hashes.count == 6)
    }
}

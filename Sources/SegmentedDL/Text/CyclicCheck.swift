internal import CSegSystem

/// Computes a CRC.
struct CyclicCheck {
    private let kind: seg_crc_kind
    private let length: Int
    private var value: UInt64 = 0

    /// - Returns: `nil` for an algorithm other than a CRC.
    init?(_ algorithm: Checksum.Algorithm) {
        switch algorithm {
        case .crc32: kind = SEG_CRC32
        case .crc32c: kind = SEG_CRC32C
        case .crc64nvme: kind = SEG_CRC64NVME
        case .md5, .sha1, .sha224, .sha256, .sha384, .sha512, .gitsha1: return nil
        }
        length = algorithm.length
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        value = seg_crc_update(kind, value, bytes.baseAddress, bytes.count)
    }

    /// The value in big-endian order, as stores send it.
    var bytes: [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}

/// Digests of a file's pieces of equal length (RFC 5854, section 4.1.3): they tell which bytes are wrong.
public struct PieceHashes: Sendable, Hashable {
    /// How the pieces are hashed.
    public let algorithm: Checksum.Algorithm

    /// The length of each piece but the last in bytes; 1 or more.
    public let length: Int64

    /// The digests one after the other, `algorithm.length` bytes each.
    package let digests: [UInt8]

    /// Pieces from their digests, in the file's order.
    ///
    /// - Parameter length: The length of each piece but the last in bytes.
    /// - Throws: `DownloadError` with code `invalidSetting` if the length is less than 1, there is no digest, or one is
    ///   of another algorithm.
    public init(length: Int64, _ checksums: [Checksum]) throws(DownloadError) {
        guard length >= 1, let algorithm = checksums.first?.algorithm,
            checksums.allSatisfy({ $0.algorithm == algorithm })
        else {
            throw DownloadError(
                .invalidSetting, "Pieces need a length of 1 byte or more, and digests of one algorithm.")
        }
        self.init(algorithm, length: length, digests: checksums.flatMap(\.bytes))
    }

    package init(_ algorithm: Checksum.Algorithm, length: Int64, digests: [UInt8]) {
        self.algorithm = algorithm
        self.length = length
        self.digests = digests
    }

    /// How many pieces there are.
    public var count: Int { digests.count / algorithm.length }

    /// The digest of one piece.
    ///
    /// - Parameter index: From 0 to below `count`.
    public subscript(index: Int) -> Checksum {
        let start = index * algorithm.length
        return Checksum(algorithm, digest: Array(digests[start..<(start + algorithm.length)]))
    }

    /// How many pieces a file of this size has.
    func expectedCount(size: Int64) -> Int64 { size / length + (size % length == 0 ? 0 : 1) }
}

extension Checksum {
    /// The digest's bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(algorithm.length)
        var high: UInt8?
        for digit in hexadecimal.utf8 {
            let value =
                digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The checksum of the concatenated checksums of the parts in which an object was uploaded (Amazon S3 User
/// Guide, "Checking object integrity").
///
/// It cannot disprove a file, because no response states where the parts end: usual part lengths are tried,
/// one of which may match.
struct CompositeDigest: Equatable, Sendable {
    /// The header field that contained it.
    let field: String
    let checksum: Checksum
    /// The number of parts; `nil` if the server does not state it.
    let parts: Int?
    /// The file's length in bytes.
    let length: Int64

    init(field: String, checksum: Checksum, parts: Int?, length: Int64) {
        (self.field, self.checksum, self.parts, self.length) = (field, checksum, parts, length)
    }

    /// Returns the composite checksum in a response's head; `nil` for none.
    ///
    /// - Parameter length: The file's length in bytes; `nil` if unknown.
    init?(_ head: ResponseHead, length: Int64?) {
        guard let length, length > 0 else { return nil }
        for (algorithm, field) in Self.fields {
            guard let value = head[field], !ServerDigest.isTransformed(head) else { continue }
            let words = value.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            let parts = words.count == 2 ? Int(words[1]) : nil
            guard words.count == 2 ? parts != nil : Self.mayLackNumber(head), Self.mayBeComposite(head),
                let bytes = Data(base64Encoded: String(words[0])), bytes.count == algorithm.length
            else { continue }
            let digest = CompositeDigest(
                field: field, checksum: Checksum(algorithm, digest: Array(bytes)), parts: parts,
                length: length)
            if !digest.partLengths.isEmpty {
                self = digest
                return
            }
        }
        return nil
    }

    /// The strongest first. CRC-64/NVME has no composite values.
    private static let fields = [Checksum.Algorithm.sha256, .sha1, .crc32c, .crc32].map {
        ($0, "x-amz-checksum-\($0.rawValue)")
    }

    private static func mayBeComposite(_ head: ResponseHead) -> Bool {
        head["x-amz-checksum-type"].map { $0.uppercased() == "COMPOSITE" } ?? true
    }

    /// Returns true if a value without a number of parts may be composite. In response to a range that is the
    /// whole object, Amazon's store omits the number, and may omit the type (boto/botocore#3346).
    private static func mayLackNumber(_ head: ResponseHead) -> Bool {
        if head["x-amz-checksum-type"] != nil { return true }
        return head.status == 206 && head["x-amz-mp-parts-count"] == nil
    }

    // The limits of the store; the last part may be shorter.
    private static let maximumParts: Int64 = 10_000
    private static let mebibytes: ClosedRange<Int64> = 5...5120

    /// The part lengths in MiB that clients use by default, powers of two, and other round numbers.
    private static let usualMebibytes: [Int64] = [
        8, 5, 16, 64, 10, 50, 32, 100, 128, 256, 512, 1024, 15, 20, 25, 200, 250, 500,
    ]

    /// The number of lengths to try. Each costs as much as hashing the file.
    private var mostLengths: Int { CyclicCheck(checksum.algorithm) == nil ? 3 : 6 }

    /// The lengths in bytes that a part other than the last one may have, the most usual ones first:
    /// multiples of 1 MiB, or the file's length.
    var partLengths: [Int64] {
        if parts == 1 { return [length] }
        var found: [Int64] = []
        for partLength in Self.usualMebibytes.map({ min($0 << 20, length) }) + unusualLengths {
            guard found.count < mostLengths else { break }
            let count = quotient(by: partLength)
            if count <= Self.maximumParts, parts.map({ $0 == count }) ?? true, !found.contains(partLength) {
                found.append(partLength)
            }
        }
        return found
    }

    /// The shortest lengths that a stated number of parts requires.
    private var unusualLengths: [Int64] {
        guard let parts, (2...Self.maximumParts).contains(Int64(parts)) else { return [] }
        let shortest = (quotient(by: Int64(parts)) + (1 << 20) - 1) >> 20
        let first = max(shortest, Self.mebibytes.lowerBound)
        return (first..<first + Int64(mostLengths)).filter(Self.mebibytes.contains).map { $0 << 20 }
    }

    /// Returns the quotient of the file's length and a divisor, rounded up.
    private func quotient(by divisor: Int64) -> Int64 { (length - 1) / divisor + 1 }
}

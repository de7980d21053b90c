/// Computes a composite checksum of a file's bytes, in order. Not `Sendable`: only one thread at a time may
/// use it.
final class PartsDigest {
    /// The file in parts of one length.
    private struct Division {
        let partLength: Int64
        /// The digest of the current part; `nil` before the first byte, or if libcrypto lacks the algorithm.
        var part: Digest?
        /// The missing bytes of the current part.
        var missing: Int64 = 0
        /// The digests of the complete parts.
        var digests: [UInt8] = []

        mutating func update(_ bytes: UnsafeRawBufferPointer, _ algorithm: Checksum.Algorithm) {
            var rest = bytes[...]
            while !rest.isEmpty {
                if missing == 0 {
                    endPart()
                    part = try? Digest(algorithm)
                    missing = partLength
                }
                let piece = rest.prefix(Int(min(missing, Int64(rest.count))))
                part?.update(UnsafeRawBufferPointer(rebasing: piece))
                missing -= Int64(piece.count)
                rest = rest[piece.endIndex...]
            }
        }

        mutating func endPart() {
            if let part { digests += part.finish() }
            part = nil
        }
    }

    private let expected: CompositeDigest
    private var divisions: [Division]

    init(_ expected: CompositeDigest) {
        self.expected = expected
        divisions = expected.partLengths.map { Division(partLength: $0) }
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        for index in divisions.indices { divisions[index].update(bytes, expected.checksum.algorithm) }
    }

    /// Returns the proof; `nil` if the checksum does not match for any of the part lengths. Call this once,
    /// at the end.
    func finish() -> DigestProof? {
        let algorithm = expected.checksum.algorithm
        for index in divisions.indices {
            divisions[index].endPart()
            let digests = divisions[index].digests
            guard !digests.isEmpty, Digest.text(of: digests, algorithm) == expected.checksum.hexadecimal
            else { continue }
            var proof = DigestProof(expected.checksum, isRequested: false, field: expected.field)
            proof.parts = digests.count / algorithm.length
            return proof
        }
        return nil
    }
}

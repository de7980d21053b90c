#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A signature in the format of minisign (https://jedisct1.github.io/minisign/#signature-format).
struct MinisignSignature: Sendable, Equatable {
    /// True if it signs the file's BLAKE2b-512 hash instead of the file.
    let isPrehashed: Bool
    /// The identifier of the key, 8 bytes.
    let keyID: [UInt8]
    let signature: [UInt8]
    /// The trusted comment, which the second signature covers together with the first one.
    let comment: [UInt8]
    let commentSignature: [UInt8]

    private static let untrusted = Array("untrusted comment: ".utf8)
    private static let trusted = Array("trusted comment: ".utf8)

    /// - Returns: `nil` if the format is different.
    init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        guard lines.count == 4, lines[0].starts(with: Self.untrusted), lines[2].starts(with: Self.trusted),
            let first = Self.decoded(lines[1], count: 74), let second = Self.decoded(lines[3], count: 64)
        else { return nil }
        switch String(decoding: first[..<2], as: UTF8.self) {
        case "Ed": isPrehashed = false
        case "ED": isPrehashed = true
        default: return nil
        }
        keyID = Array(first[2..<10])
        signature = Array(first[10...])
        comment = Array(lines[2].dropFirst(Self.trusted.count))
        commentSignature = second
    }

    /// Returns true for the bytes of a signature in this format, which may be damaged.
    static func isLike(_ bytes: [UInt8]) -> Bool { bytes.starts(with: untrusted.dropLast()) }

    /// Returns the identifier of a key as minisign prints it: a little-endian 64-bit number.
    static func shown(_ keyID: some Collection<UInt8>) -> String {
        Hexadecimal.text(Array(keyID).reversed()).uppercased()
    }

    /// - Parameter key: `Ed`, the key identifier, and the key.
    func isValid(of document: [UInt8], by key: [UInt8]) -> Bool {
        guard key.count == 42, key[2..<10].elementsEqual(keyID),
            let known = VerifyingKey(ed25519: key[10...]),
            let message = isPrehashed ? VerifyingKey.blake2b(document) : document
        else { return false }
        return known.verifies(signature, of: message)
            && known.verifies(commentSignature, of: signature + comment)
    }

    private static func decoded(_ line: some Collection<UInt8>, count: Int) -> [UInt8]? {
        guard let data = Data(base64Encoded: Data(line)), data.count == count else { return nil }
        return Array(data)
    }
}

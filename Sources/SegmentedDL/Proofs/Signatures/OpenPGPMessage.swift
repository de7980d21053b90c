/// The forms of OpenPGP signatures (RFC 9580, sections 6 and 7), as far as they can be distinguished without
/// parsing packets.
enum OpenPGPMessage {
    private static let begin = "-----BEGIN PGP SIGNED MESSAGE-----"
    private static let middle = "-----BEGIN PGP SIGNATURE-----"
    private static let end = "-----END PGP SIGNATURE-----"

    /// Returns true for an inline signed message, which may be damaged.
    static func isInline(_ bytes: [UInt8]) -> Bool {
        bytes.drop { $0.isBlankOrLineEnd }.starts(with: begin.utf8)
    }

    /// Returns true for an inline signed message without text before or after it, which would be unsigned.
    static func isOnlyInline(_ bytes: [UInt8]) -> Bool {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
            line[...(line.lastIndex { !$0.isBlankOrLineEnd } ?? line.startIndex)]
        }
        .filter { !$0.allSatisfy { $0.isBlankOrLineEnd } }
        let marks = lines.filter { $0.starts(with: "-----".utf8) }
        return marks.map { String(decoding: $0, as: UTF8.self) } == [begin, middle, end]
            && lines.first == marks.first && lines.last == marks.last
    }

    /// Returns true for a detached signature, armored or not.
    static func isDetached(_ bytes: [UInt8]) -> Bool {
        if bytes.drop(while: { $0.isBlankOrLineEnd }).starts(with: middle.utf8) { return true }
        // A packet of the type "signature" (RFC 9580, section 4.2).
        guard let first = bytes.first, first & 0x80 != 0 else { return false }
        return (first & 0x40 != 0 ? first & 0x3f : (first >> 2) & 0x0f) == 2
    }
}

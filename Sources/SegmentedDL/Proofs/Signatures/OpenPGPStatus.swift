/// The lines that `gpgv --status-fd` prints (GnuPG, doc/DETAILS).
struct OpenPGPStatus: Sendable, Equatable {
    /// The fingerprint of the primary key that made a valid signature; `nil` if none is valid.
    let key: String?
    /// A clause with the reason why no signature is valid; `nil` if one is.
    let reason: String?
    /// True if a trusted key made the signature, but not of these bytes.
    let isForged: Bool
    /// True if a trusted key made the signature, which is not valid.
    let isOfTrustedKey: Bool

    /// - Parameters:
    ///   - text: The printed lines.
    ///   - isInline: True for an inline signature. A detached one must contain no text, because that text
    ///     would be verified instead of the document.
    init(_ text: String, isInline: Bool) {
        let lines = text.split(whereSeparator: \.isNewline).compactMap { line -> [Substring]? in
            let words = line.split(separator: " ")
            return words.count > 1 && words[0] == "[GNUPG:]" ? Array(words.dropFirst()) : nil
        }
        let names = Set(lines.map { $0[0] })
        let texts = lines.filter { $0[0] == "PLAINTEXT" }.count
        isForged = names.contains("BADSIG")
        isOfTrustedKey =
            !names.isDisjoint(with: ["BADSIG", "EXPSIG", "EXPKEYSIG", "REVKEYSIG"])
            || lines.contains { Self.rejection($0) == Self.badAlgorithm }
        let valid = Self.validKey(lines)
        if let valid, !isForged, !names.contains("ERROR"), texts == (isInline ? 1 : 0) {
            (key, reason) = (valid, nil)
        } else {
            key = nil
            reason = isForged ? "is not a signature of this list" : Self.reason(lines)
        }
    }

    /// Returns the key of a good signature of a document (types 0x00 and 0x01, RFC 9580, section 5.2.1).
    private static func validKey(_ lines: [[Substring]]) -> String? {
        var isGood = false
        for line in lines {
            switch line[0] {
            case "NEWSIG": isGood = false
            case "GOODSIG": isGood = true
            case "VALIDSIG" where isGood && line.count > 9 && ["00", "01"].contains(line[9]):
                return String(line.count > 10 ? line[10] : line[1])
            default: break
            }
        }
        return nil
    }

    /// The code of a rejected digest algorithm (libgpg-error, GPG_ERR_DIGEST_ALGO).
    private static let badAlgorithm: Substring = "5"

    /// Returns the code of a line that reports an unverified signature; `nil` for other lines.
    private static func rejection(_ line: [Substring]) -> Substring? {
        line[0] == "ERRSIG" && line.count > 6 ? line[6] : nil
    }

    private static func reason(_ lines: [[Substring]]) -> String {
        func word(_ name: String) -> String? {
            lines.first { $0[0] == name && $0.count > 1 }.map { Printable.text(String($0[1])) }
        }
        if word("EXPKEYSIG") != nil { return "was made by a key that has expired" }
        if word("REVKEYSIG") != nil { return "was made by a key that was revoked" }
        if word("EXPSIG") != nil { return "has expired" }
        if lines.contains(where: { rejection($0) == badAlgorithm }) {
            return "uses an algorithm that gpgv does not accept, such as SHA-1"
        }
        if let key = word("NO_PUBKEY") ?? word("ERRSIG") {
            return "was made by the OpenPGP key \(key), which is not one of the given keys"
        }
        return "is not a usable OpenPGP signature"
    }
}

internal import CSegCrypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A public key that the caller trusts to sign lists of digests.
///
///     request.proofPolicy = .require(.signature, keys: [try ProofKey(text)])
///
/// A queue stores the keys together with its downloads.
public struct ProofKey: Sendable, Hashable {
    /// The format of a key and of its signatures.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A minisign key: Ed25519, with signatures in `NAME.minisig`.
        case minisign
        /// An OpenPGP key or key ring (RFC 9580). The program `gpgv` verifies its signatures.
        case openPGP = "openpgp"
        /// A public key in PEM (RFC 7468), as cosign writes it. The signature is one made by `cosign
        /// sign-blob`: ECDSA or RSA over SHA-256, or Ed25519, in Base64. No transparency log is consulted.
        case cosign
    }

    /// The format.
    public let kind: Kind

    /// minisign: `Ed`, the 8-byte key identifier, and the 32-byte key. OpenPGP: a key ring without armor.
    /// cosign: SubjectPublicKeyInfo in DER.
    let bytes: [UInt8]

    /// The maximum size of a key file in bytes.
    package static let maximumBytes = 256 * 1024

    /// Reads a public key.
    ///
    /// - Parameter contents: The contents of the key file.
    /// - Throws: `DownloadError` with code `invalidSetting` for a private key or an unknown format.
    public init(_ contents: [UInt8]) throws(DownloadError) {
        try require(
            contents.count <= Self.maximumBytes,
            "A public key may have at most \(Self.maximumBytes) bytes; export only the key that signed the list."
        )
        let text = String(validating: contents, as: UTF8.self) ?? ""
        try require(
            !["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"].contains { text.contains($0) },
            "This is a private key; a signature is verified with the public one.")
        let found =
            Self.minisign(text) ?? Self.block("PGP PUBLIC KEY BLOCK", in: text, .openPGP)
            ?? Self.block("PUBLIC KEY", in: text, .cosign) ?? (Kind.openPGP, contents)
        try require(
            Self.isKey(found.1, found.0),
            "This is not a minisign, OpenPGP or PEM public key.")
        (kind, bytes) = found
    }

    /// Reads a public key.
    ///
    /// - Parameter text: The contents of the key file, or the Base64 line of a minisign key file.
    /// - Throws: The errors of `init(_:)` for contents.
    public init(_ text: String) throws(DownloadError) { try self.init(Array(text.utf8)) }

    private static func minisign(_ text: String) -> (Kind, [UInt8])? {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("untrusted comment:") }
        guard lines.count == 1, let data = Data(base64Encoded: String(lines[0])) else { return nil }
        return isKey(Array(data), .minisign) ? (.minisign, Array(data)) : nil
    }

    private static func block(_ label: String, in text: String, _ kind: Kind) -> (Kind, [UInt8])? {
        guard let blocks = Armor.blocks(label, in: text), !blocks.isEmpty else { return nil }
        return kind == .openPGP || blocks.count == 1 ? (kind, Array(blocks.joined())) : nil
    }

    private static func isKey(_ bytes: [UInt8], _ kind: Kind) -> Bool {
        switch kind {
        case .minisign: return bytes.count == 42 && bytes.starts(with: "Ed".utf8)
        case .openPGP:
            // GnuPG's own key ring format.
            if bytes.dropFirst(8).starts(with: "KBXf".utf8) { return true }
            // A packet of the type "public key" (RFC 9580, section 4.2).
            guard let first = bytes.first, first & 0x80 != 0 else { return false }
            return (first & 0x40 != 0 ? first & 0x3f : (first >> 2) & 0x0f) == 6
        case .cosign:
            return bytes.withUnsafeBufferPointer { buffer in
                var next = buffer.baseAddress
                guard let key = d2i_PUBKEY(nil, &next, buffer.count) else { return false }
                EVP_PKEY_free(key)
                return next == buffer.baseAddress?.advanced(by: buffer.count)
            }
        }
    }
}

extension ProofKey: Codable {
    private enum CodingKeys: String, CodingKey { case kind, bytes }

    /// Decodes a key.
    ///
    /// - Throws: `DecodingError` if the bytes are not a key of that kind.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        kind = try values.decode(Kind.self, forKey: .kind)
        bytes = Array(Data(base64Encoded: try values.decode(String.self, forKey: .bytes)) ?? Data())
        guard Self.isKey(bytes, kind), bytes.count <= Self.maximumBytes else {
            throw DecodingError.dataCorruptedError(
                forKey: .bytes, in: values, debugDescription: "The bytes are not a key of this format.")
        }
    }

    /// Encodes the key, with its bytes in Base64.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(Data(bytes).base64EncodedString(), forKey: .bytes)
    }
}

/// A verified digest of a file, and its origin.
public struct DigestProof: Sendable, Hashable, Codable {
    /// A valid signature of a document by a key of ``ProofPolicy/keys``.
    public struct Signature: Sendable, Hashable, Codable {
        /// The format.
        public var kind: ProofKey.Kind
        /// The key, in hexadecimal: minisign's identifier, the fingerprint of an OpenPGP key, or the SHA-256
        /// of a PEM key's DER encoding.
        public var key: String

        /// Creates a signature from its parts.
        public init(kind: ProofKey.Kind, key: String) {
            self.kind = kind
            self.key = key
        }
    }

    /// A document that lists the digest.
    public struct Document: Sendable, Hashable, Codable {
        /// The document's URL, without its query.
        public var url: String
        /// True if its host served none of the file's bytes.
        public var isOfOtherHost: Bool
        /// Its signature; `nil` if it has no valid one, or none was requested.
        public var signature: Signature?

        /// Creates a document from its parts.
        public init(url: String, isOfOtherHost: Bool, signature: Signature? = nil) {
            self.url = url
            self.isOfOtherHost = isOfOtherHost
            self.signature = signature
        }
    }

    /// The digest, as it was computed from the file's bytes; not that of the file itself if it has ``parts``.
    public var checksum: Checksum
    /// True if the request listed the digest.
    public var isRequested: Bool
    /// The header field in which the server sent the digest; `nil` if it did not send it.
    public var field: String?
    /// The number of parts in which the file was uploaded to a store, if the digest is that of the
    /// concatenated digests of these parts: a composite checksum (Amazon S3 User Guide, "Checking object
    /// integrity"). `nil` for the digest of the file itself.
    public var parts: Int?
    /// The document that a search found (``DownloadRequest/proofPolicy``); `nil` if none lists the digest.
    public var document: Document?
    /// True if the host that sent the field, or a mirror's listing, sent none of the file's bytes; `nil` if
    /// unknown.
    package var isStatedByOtherHost: Bool?

    /// Creates a proof from its parts.
    public init(_ checksum: Checksum, isRequested: Bool, field: String? = nil, document: Document? = nil) {
        self.checksum = checksum
        self.isRequested = isRequested
        self.field = field
        self.document = document
    }

    /// True if a host that sent none of the file's bytes vouches for the digest.
    package var isOfOtherHost: Bool { document?.isOfOtherHost ?? false || isStatedByOtherHost ?? false }

    /// Returns true if the proof is as strong as a level requires.
    package func meets(_ level: ProofPolicy.Level) -> Bool {
        switch level {
        case .digest: true
        case .otherHost: isRequested || isOfOtherHost || document?.signature != nil
        case .signature: document?.signature != nil
        }
    }
}

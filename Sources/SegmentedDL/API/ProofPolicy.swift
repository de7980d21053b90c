/// The search for a file's digest as listed by its publisher: in `NAME.sha256`, `SHA256SUMS` or similar files
/// next to the file, or in the index of a host that is known to publish one.
///
///     request.proofPolicy = .require(.otherHost)
///
/// The search runs in parallel with the first segments. It sends at most two requests for each directory, and
/// one more for each file with its own document; with ``keys`` it also requests the signature of a document.
/// A download does not wait for it, unless a proof is required. A document that is missing, unreadable or
/// does not list the file has no effect; a document with a wrong signature counts as unsigned. A digest that
/// does not match the file fails the download.
public struct ProofPolicy: Sendable, Hashable {
    /// The strength of a proof.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Level: String, Sendable, Hashable, Codable, CaseIterable {
        /// A digest from any document, the server's fields or the caller.
        case digest
        /// A digest from a host that served none of the file's bytes, from a signed document, or from the
        /// caller.
        case otherHost = "other-host"
        /// A digest from a document with a valid signature by one of the ``ProofPolicy/keys``.
        case signature
    }

    /// True to search for documents.
    public var searches: Bool

    /// The minimum proof without which the download fails; `nil` for none.
    public var required: Level?

    /// The keys that are trusted to sign documents; empty to request no signatures.
    public var keys: [ProofKey]

    /// Does not search.
    public static let none = ProofPolicy(searches: false)

    /// Searches for the digests of files of 4 MiB or more.
    public static let search = ProofPolicy(searches: true)

    /// Searches for the digest of each file, and fails without a proof of this level.
    ///
    /// - Parameters:
    ///   - level: The weakest accepted proof.
    ///   - keys: The keys that are trusted to sign documents.
    /// - Returns: The policy.
    public static func require(_ level: Level, keys: [ProofKey] = []) -> ProofPolicy {
        ProofPolicy(searches: true, required: level, keys: keys)
    }

    private init(searches: Bool, required: Level? = nil, keys: [ProofKey] = []) {
        self.searches = searches
        self.required = required
        self.keys = keys
    }
}

extension ProofPolicy: Codable {
    private enum CodingKeys: String, CodingKey { case searches, required, keys }

    /// Decodes a policy; a missing member gets its default.
    ///
    /// - Throws: `DecodingError` for a member of the wrong type, an unknown level, or bytes that are not a
    ///   key.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        searches = try values.decode(Bool.self, forKey: .searches)
        required = try values.decodeIfPresent(Level.self, forKey: .required)
        keys = try values.decodeIfPresent([ProofKey].self, forKey: .keys) ?? []
    }

    /// Encodes the policy.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(searches, forKey: .searches)
        try values.encodeIfPresent(required, forKey: .required)
        if !keys.isEmpty { try values.encode(keys, forKey: .keys) }
    }
}

/// The search for a file's digest as listed by its publisher: in `NAME.sha256`, `SHA256SUMS` or similar files
/// next to the file, or in the index of a host that is known to have one.
///
///     request.proofPolicy = .require(.otherHost)
///
/// The search runs in parallel with the first segments. It sends at most two requests for each directory, and
/// one more for each file with its own document. A download does not wait for it, unless a proof is required.
/// A document that is missing, unreadable or does not list the file has no effect; a digest that does not
/// match the file's bytes fails the download.
public struct ProofPolicy: Sendable, Hashable, Codable {
    /// The strength of a proof.
    public enum Level: String, Sendable, Hashable, Codable, CaseIterable {
        /// A digest from any document, the server's fields or the caller.
        case digest
        /// A digest from a host that served none of the file's bytes, or from the caller.
        case otherHost = "other-host"
    }

    /// True to search for documents.
    public var searches: Bool

    /// The minimum proof without which the download fails; `nil` for none.
    public var required: Level?

    /// Does not search.
    public static let none = ProofPolicy(searches: false)

    /// Searches for the digests of files of 4 MiB or more.
    public static let search = ProofPolicy(searches: true)

    /// Searches for the digest of each file, and fails without a proof of this level.
    ///
    /// - Parameter level: The weakest accepted proof.
    /// - Returns: The policy.
    public static func require(_ level: Level) -> ProofPolicy { ProofPolicy(searches: true, required: level) }

    private init(searches: Bool, required: Level? = nil) {
        self.searches = searches
        self.required = required
    }
}

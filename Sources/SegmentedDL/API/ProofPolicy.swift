/// The search for a digest of a file that its publisher lists: in `NAME.sha256`, in `SHA256SUMS` and the like
/// beside the file, or in the index of a host that is known to have one.
///
///     request.proofPolicy = .require(.otherHost)
///
/// The search runs beside the first segments. It sends at most two requests for each directory, and one more
/// for each file that has a document of its own. A download does not wait for it, unless a proof is required.
/// A document that is missing, unreadable or silent about the file changes nothing; a digest that contradicts
/// the file's bytes fails the download.
public struct ProofPolicy: Sendable, Hashable, Codable {
    /// The strength of a proof.
    public enum Level: String, Sendable, Hashable, Codable, CaseIterable {
        /// A digest from any document, the server's fields or the caller.
        case digest
        /// A digest from a host that sent none of the file's bytes, or from the caller.
        case otherHost = "other-host"
    }

    /// True if documents are searched for.
    public var searches: Bool

    /// The weakest proof without which the download fails; `nil` for none.
    public var required: Level?

    /// Searches for nothing.
    public static let none = ProofPolicy(searches: false)

    /// Searches for the digests of files of 4 MiB or more.
    public static let search = ProofPolicy(searches: true)

    /// Searches for the digest of each file, and fails without one.
    public static func require(_ level: Level) -> ProofPolicy { ProofPolicy(searches: true, required: level) }

    private init(searches: Bool, required: Level? = nil) {
        self.searches = searches
        self.required = required
    }
}

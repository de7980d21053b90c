/// A file that a mirror's run has changed, or has failed to.
struct MirrorChange: Sendable, Equatable, Codable {
    enum Kind: String, Sendable, Codable, CaseIterable {
        /// The directory did not have it.
        case new
        /// It took the place of an earlier version.
        case changed
        /// The source no longer has it, and the mirror has removed it.
        case removed
        /// It is missing, or still the earlier version.
        case failed
    }

    var kind: Kind
    /// Below the mirror's directory; the URL if there is none.
    var path: String
    /// A sentence about a failure.
    var message: String?
}

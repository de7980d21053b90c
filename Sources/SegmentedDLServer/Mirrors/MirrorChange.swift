/// A file that a mirror's run has changed, or failed to change.
struct MirrorChange: Sendable, Equatable, Codable {
    enum Kind: String, Sendable, Codable, CaseIterable {
        /// The directory did not contain it.
        case new
        /// It replaced an earlier version.
        case changed
        /// The source no longer contains it, and the mirror has removed it.
        case removed
        /// It is missing, or still the earlier version.
        case failed
    }

    var kind: Kind
    /// Below the mirror's directory; the URL if it has no path.
    var path: String
    /// A sentence about a failure.
    var message: String?
}

/// A file that a run of a mirror has changed, or failed to change.
struct MirrorChange: Sendable, Equatable, Codable {
    enum Kind: String, Sendable, Codable, CaseIterable {
        /// It is new in the directory.
        case new
        /// It replaced an earlier version.
        case changed
        /// The source no longer contains it, and the mirror has removed it.
        case removed
        /// It is missing, or still the earlier version.
        case failed
    }

    var kind: Kind
    /// The path below the mirror's directory; the URL if it has no path.
    var path: String
    /// A sentence about the failure, if any.
    var message: String?
}

internal import SegmentedDL

/// The progress of a listing since it was last requested.
struct ListingNotes: Sendable {
    /// The final URL of the start after redirects.
    var root: String?
    /// Directories that still have to be listed.
    var found: [ListingWalk.Directory] = []
    /// Paths of listed directories; the start's is empty.
    var finished: [String] = []
    /// The token that continues a bucket's listing.
    var token: String?
}

/// The stored progress of the listings of a resumed run.
struct ListingState: Sendable {
    struct Directory: Sendable {
        /// `nil` for the start.
        var path: RelativePath?
        var url: String
        var isListed: Bool
    }

    var root: String?
    var token: String?
    var directories: [Directory] = []
}

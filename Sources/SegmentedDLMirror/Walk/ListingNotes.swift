internal import SegmentedDL

/// The progress of a listing since it was last requested.
struct ListingNotes: Sendable {
    /// The final URL of the first directory, after redirects.
    var root: String?
    /// Directories that still have to be listed.
    var found: [ListingWalk.Directory] = []
    /// Paths of listed directories; that of the first one is empty.
    var finished: [String] = []
    /// The continuation token of a bucket's listing.
    var token: String?
}

/// The stored progress of the listings of a resumed run.
struct ListingState: Sendable {
    struct Directory: Sendable {
        /// `nil` for the first page.
        var path: RelativePath?
        var url: String
        var isListed: Bool
    }

    var root: String?
    var token: String?
    var directories: [Directory] = []
}

internal import SegmentedDL

/// How far a listing is since it was asked last.
struct ListingNotes: Sendable {
    /// Where the start was found in the end.
    var root: String?
    /// Directories that are to be listed.
    var found: [ListingWalk.Directory] = []
    /// Paths of directories that are listed; the start's is empty.
    var finished: [String] = []
    /// Where a bucket's listing goes on.
    var token: String?
}

/// How far the listings of a run that goes on were.
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

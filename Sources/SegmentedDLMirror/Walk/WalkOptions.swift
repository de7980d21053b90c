internal import SegmentedDL

/// The limits of a walk over a tree of listings.
public struct WalkOptions: Sendable, Hashable {
    /// The maximum number of levels of directories below the start, 0 or more; `nil` for all.
    public var depth: Int?

    /// The maximum size of one listing in bytes, 1 or more. Up to four listings are in memory at a time.
    public var listingSize = 64 * 1024 * 1024

    /// The maximum number of directories, or of pages of a bucket's listing; 1 or more. Stops endless
    /// listings.
    public var directories = 1_000_000

    /// Creates the default limits.
    public init() {}

    /// Checks all limits.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` that names the setting and its range.
    func validate() throws(DownloadError) {
        try require(depth ?? 0 >= 0, "The depth is \(depth ?? 0); it must be 0 or more.")
        try require(
            listingSize >= 1, "The maximum listing size is \(listingSize) bytes; it must be 1 or more.")
        try require(directories >= 1, "The number of directories is \(directories); it must be 1 or more.")
    }
}

public import SegmentedDL

/// An event of a mirror.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum MirrorEvent: Sendable {
    /// The download of a file was submitted; the handle reports its progress. Not sent for copies that are
    /// kept without a download, or for small files that are fetched together.
    case started(MirrorItem, DownloadHandle)
    /// A file is complete and verified, or was already present (`DownloadResult.outcome`).
    case completed(MirrorItem, DownloadResult)
    /// A file failed, or an entry is unusable.
    case failed(MirrorReport.Failure)
    /// The progress of the source's listing.
    case listed(MirrorListing)
    /// A resumed run has processed the listing of an earlier start, and lists the source again, because it
    /// may have changed since. Listed and kept files are counted from zero again.
    case listedAgain
    /// A dry run has decided the action for a file, with its path as in a failure.
    case planned(RelativePath, MirrorAction)
    /// A file that the source no longer has was removed.
    case deleted(RelativePath)
    /// A file that the source no longer has was kept, with the reason as a sentence.
    case kept(RelativePath, String)
    /// The last event.
    case ended(MirrorReport)
}

/// The progress of a source's listing.
public struct MirrorListing: Sendable, Hashable {
    /// The number of files listed so far.
    public var files: Int
    /// The number of files that the run had completed before it was killed or stopped. They have no events
    /// before the source is listed again.
    public var earlier: Int
    /// True if all files are listed.
    public var isComplete: Bool

    /// Creates a listing from its parts.
    public init(files: Int, earlier: Int = 0, isComplete: Bool) {
        self.files = files
        self.earlier = earlier
        self.isComplete = isComplete
    }
}

/// The action for a file.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum MirrorAction: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fetch a missing file.
    case fetch
    /// Replace a file that has changed.
    case replace
    /// Keep a file that has not changed.
    case keep
    /// Delete a file that the source no longer has.
    case delete
}

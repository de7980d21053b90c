public import SegmentedDL

/// An event of a mirror.
public enum MirrorEvent: Sendable {
    /// The download of a file was submitted; the handle has its progress. A known copy has no event before it
    /// is known to be unchanged.
    case started(MirrorItem, DownloadHandle)
    /// A file is complete and verified, or was already there (`DownloadResult.outcome`).
    case completed(MirrorItem, DownloadResult)
    /// A file failed, or an entry cannot be used.
    case failed(MirrorReport.Failure)
    /// The progress of the source's listing.
    case listed(MirrorListing)
    /// A run that went on with the listing of an earlier start has gone through it, and lists the source
    /// again, because it may have changed since. Listed and kept files are counted from the beginning.
    case listedAgain
    /// A dry run has decided the action for a file.
    case planned(RelativePath, MirrorAction)
    /// A file that the source no longer has was removed.
    case deleted(RelativePath)
    /// A file that the source no longer has stays, with the reason as a sentence.
    case kept(RelativePath, String)
    /// The last event.
    case ended(MirrorReport)
}

/// The progress of a source's listing.
public struct MirrorListing: Sendable, Hashable {
    /// The number of listed files so far.
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
public enum MirrorAction: String, Sendable, Hashable, Codable, CaseIterable {
    /// The file is missing.
    case fetch
    /// The file has changed: another one is there, which it replaces.
    case replace
    /// The file is there and has not changed.
    case keep
    /// The source no longer has the file.
    case delete
}

public import SegmentedDL

/// What happens in a mirror.
public enum MirrorEvent: Sendable {
    /// A file's download was handed over; the handle tells how far it is. Nothing tells of copies before they are known not to
    /// have changed.
    case started(MirrorItem, DownloadHandle)
    /// A file is complete and verified, or was there already (`DownloadResult.outcome`).
    case completed(MirrorItem, DownloadResult)
    /// A file failed, or an entry cannot be used.
    case failed(MirrorReport.Failure)
    /// So much of the source is listed.
    case listed(MirrorListing)
    /// A dry run has found out what would be done with a file.
    case planned(RelativePath, MirrorAction)
    /// A file that the source no longer has was removed.
    case deleted(RelativePath)
    /// A file that the source no longer has was left, and why, as a sentence.
    case left(RelativePath, String)
    /// The last event.
    case ended(MirrorReport)
}

/// How far a source is listed.
public struct MirrorListing: Sendable, Hashable {
    /// Files that the source has, as far as it is known.
    public var files: Int
    /// Those of them that the run had completed before it was killed or stopped; no event tells of them.
    public var earlier: Int
    /// Whether these are all.
    public var isComplete: Bool

    /// A listing from its parts.
    public init(files: Int, earlier: Int = 0, isComplete: Bool) {
        self.files = files
        self.earlier = earlier
        self.isComplete = isComplete
    }
}

/// What is to be done with a file.
public enum MirrorAction: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is missing or has changed.
    case fetch
    /// It is there and has not changed.
    case keep
    /// The source no longer has it.
    case delete
}

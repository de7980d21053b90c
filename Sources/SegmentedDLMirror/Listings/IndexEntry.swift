internal import SegmentedDL

/// An entry of a directory's listing.
enum IndexEntry: Equatable, Sendable {
    /// A file, and its path below the root.
    case file(Source, RelativePath)
    /// A directory, whose URL ends in a slash, and its path below the root.
    case directory(Source, RelativePath)
    /// A name below the directory that cannot be a file's.
    case unusable(UnusableEntry)
}

internal import SegmentedDL

/// What a directory's listing names below it.
enum IndexEntry: Equatable, Sendable {
    /// A file, and its path below the root.
    case file(Source, RelativePath)
    /// A directory, whose URL ends in a slash, and its path below the root.
    case directory(Source, RelativePath)
    /// A name below the directory that cannot be a file's.
    case unusable(UnusableEntry)
}

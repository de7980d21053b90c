public import SegmentedDL

/// An existing file with the name of a download's file that is not known to be its result.
public struct ExistingFile: Sendable, Hashable {
    /// The download; `nil` if it is being added.
    public var id: Receipt.ID?
    /// The caller's name for the download; `nil` if it has none.
    public var key: String?
    /// The source of the download.
    public var source: Source
    /// The path of the file.
    public var path: FilePath
    /// The length of the file in bytes.
    public var length: Int64

    /// Creates a description from its parts, for use in tests.
    public init(
        id: Receipt.ID? = nil, key: String? = nil, source: Source, path: FilePath, length: Int64
    ) {
        self.id = id
        self.key = key
        self.source = source
        self.path = path
        self.length = length
    }
}

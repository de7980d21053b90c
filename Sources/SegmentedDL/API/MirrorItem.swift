/// One file of a mirror: where it can be had, where it goes, and what is known of it beforehand.
public struct MirrorItem: Sendable, Hashable {
    /// URLs of the same file, the preferred one first; at least one.
    public var sources: [Source]

    /// Where it goes below the mirror's root.
    public var path: RelativePath

    /// Its length in bytes, 0 or more; `nil` if that is not known.
    public var size: Int64?

    /// Digests of the whole file; it must have the strongest one to get its final name.
    public var checksums: [Checksum] = []

    /// Its entity tag as the server sends it, quotes included (RFC 9110, section 8.8.3).
    public var etag: String?

    /// When it was last modified, in seconds since 1970 (UTC).
    public var modified: Int64?

    /// Digests of its pieces.
    public var pieces: PieceHashes?

    /// Header fields to send to the host of the first source; other hosts never see them.
    public var headers: [HTTPHeader] = []

    /// A file from one or several sources.
    public init(_ sources: [Source], path: RelativePath, size: Int64? = nil) {
        self.sources = sources
        self.path = path
        self.size = size
    }
}

/// What a list or listing holds at one place.
public enum MirrorEntry: Sendable, Hashable {
    /// A file to mirror.
    case item(MirrorItem)
    /// Something that cannot be mirrored: a mirror with one of these is not complete.
    case unusable(UnusableEntry)
}

/// A line, link or key that names no file which could be mirrored.
public struct UnusableEntry: Sendable, Hashable, Codable {
    /// Where it stands, as `line 12` or a URL without credentials and query.
    public var place: String

    /// One sentence that says what is wrong and what can be done.
    public var reason: String

    /// An entry from its parts.
    public init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }
}

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One file of a mirror: its sources, its path, and its known properties.
///
///     var item = MirrorItem([source], path: try RelativePath("isos/disk.iso"))
///     item.sources.append(other)
///     item.checksums = [expected]
public struct MirrorItem: Sendable, Hashable {
    /// URLs of the same file, the preferred one first; at least one.
    public var sources: [Source]

    /// The path below the mirror's root.
    public var path: RelativePath

    /// The file's path at the source, if `path` identifies only its content; otherwise `nil`.
    package var pathAtSource: RelativePath?

    /// The location of the first source in a hub, which lists contain in place of its URL; `nil` for none.
    package var hubLocation: HubLocation?

    /// True if the file has just been stored by the listing of its source, which had to read it.
    package var isStoredByListing = false

    /// The length in bytes, 0 or more; `nil` if unknown.
    public var size: Int64?

    /// Digests of the whole file, at most one for each algorithm. The file must match all of them; the
    /// strongest one decides whether an existing file is the correct one.
    public var checksums: [Checksum] = []

    /// The entity tag as sent by the server, including quotes (RFC 9110, section 8.8.3).
    public var etag: String?

    /// `modificationDate` in seconds since 1970, as in lists.
    package var modified: Int64?

    /// Digests of the file's pieces.
    public var pieces: PieceHashes?

    /// The accepted media types; if empty, those of the job apply.
    public var expectedTypes: [String] = []

    /// Header fields for the host of the first source; they are sent to no other host.
    public var headers: [HTTPHeader] = []

    /// Settings of this file only, by their aria2 names.
    package var options: [String: [String]] = [:]

    /// Creates a file with one or several sources.
    public init(_ sources: [Source], path: RelativePath, size: Int64? = nil) {
        self.sources = sources
        self.path = path
        self.size = size
    }

    /// The path in reports.
    package var shownPath: RelativePath { pathAtSource ?? path }

    /// The digest that decides whether an existing copy is correct.
    package var strongestChecksum: Checksum? {
        checksums.max { $0.algorithm.length < $1.algorithm.length }
    }
}

/// One entry of a list or listing.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum MirrorEntry: Sendable, Hashable {
    /// A file to mirror.
    case item(MirrorItem)
    /// An entry that cannot be mirrored. A mirror with such an entry is incomplete.
    case unusable(UnusableEntry)
}

/// A line, link or key that does not name a file for a mirror.
public struct UnusableEntry: Sendable, Hashable, Codable {
    /// The location of the entry, such as `line 12` or a URL without credentials and query.
    public var place: String

    /// A sentence for users: the problem and a remedy.
    public var reason: String

    /// The unusable path, with a trailing slash for a directory; `nil` for none. It is not encoded.
    package var path: String?

    private enum CodingKeys: String, CodingKey { case place, reason }

    /// Creates an entry from its parts.
    public init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    /// Creates the entry that an error describes.
    package init(place: String, _ error: DownloadError, isDirectory: Bool = false) {
        self.init(place: place, reason: error.message)
        path = (error.cause as? UnusablePath).map { $0.text + (isDirectory ? "/" : "") }
    }
}

extension MirrorItem {
    /// The date of the last modification, in whole seconds; `nil` if unknown.
    public var modificationDate: Date? {
        get { modified.map { Date(timeIntervalSince1970: Double($0)) } }
        // An impossible date counts as unknown.
        set { modified = newValue.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } }
    }
}

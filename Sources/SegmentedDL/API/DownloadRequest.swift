public import SystemPackage

/// A request for one file.
///
///     var request = try DownloadRequest("https://example.com/disk.iso", to: .directory("isos"))
///     request.checksums = [try Checksum(parsing: "sha256=\(digest)")]
///     request.ifExists = .rename
public struct DownloadRequest: Sendable, Hashable {
    /// The place for the file.
    public enum Destination: Sendable, Hashable {
        /// A file with this path.
        case file(FilePath)
        /// A directory, created if it is missing; the file's name comes from the server or the URL.
        case directory(FilePath)
        /// An open descriptor, such as a pipe or standard output. The bytes are written in order. Bytes that
        /// arrive before their turn wait in an unnamed file of at most 64 MiB in the directory for temporary
        /// files; while it is full, nothing more is fetched. A wrong digest is an error at the end, when the
        /// bytes have been written. No later download resumes this one. The descriptor is not closed.
        case descriptor(FileDescriptor)
    }

    /// The file's source.
    public var source: Source

    /// Further sources of the same file, the preferred one first. Faster sources get more bytes to deliver,
    /// and the others take over if one fails. Headers and credentials of the request go only to the scheme,
    /// host and port of `source`.
    public var mirrors: [Source] = []

    /// True if links that the server sends are followed (Metalink over HTTP, RFC 6249). Sources in Link
    /// fields (`rel=duplicate`) become mirrors, and a Metalink (`rel=describedby`) gives digests of pieces
    /// and more mirrors. They count only if the file's digest is known, from the server or the caller. The
    /// default is false, because the links lead to hosts that the caller has not named.
    public var followsLinks = false

    /// The place for the file.
    public var destination: Destination

    /// Header fields for the source's host; they are sent to no other host.
    public var headers: [HTTPHeader] = []

    /// Credentials for HTTP authentication with the source's host, or to sign requests to it. Neither
    /// they nor a signature are sent to another host.
    public var credentials: Credentials?

    /// The digests that the file must have to get its final name, at most one for each algorithm.
    public var checksums: [Checksum] = []

    /// Digests of the file's pieces, checked as the pieces arrive. A wrong piece is fetched again, and its
    /// source gets no further requests.
    public var pieces: PieceHashes?

    /// True if the file must also have the digest that the server sends with it: in Repr-Digest or, where it
    /// covers the whole file, Content-Digest (RFC 9530), in Digest (RFC 3230), x-goog-hash,
    /// x-amz-checksum-sha256 and -sha1, or Content-MD5. The strongest one counts.
    public var verifiesServerDigest = true

    /// The search for digests that the file's publisher lists. The default is ``ProofPolicy/none``, because a
    /// search sends requests of its own. It has no effect on a file that goes to a descriptor.
    public var proofPolicy = ProofPolicy.none

    /// The media types that the file may have by the server's first answer (Content-Type), such as
    /// `application/gzip` or `image/*`; empty for any. A file of another type is not fetched.
    public var expectedTypes: [String] = []

    /// The rule that names a file in a directory.
    public var naming = FileNaming.server

    /// The number of connections that fetch the file; `nil` for ``Configuration/segments``.
    public var segments: SegmentCount?

    /// The order in which the connections fetch the file's bytes.
    public var order = SegmentOrder.fastest

    /// The action if the final name is taken.
    public var ifExists = ExistingFilePolicy.fail

    /// True if the file gets the date of the remote file (Last-Modified), if the server sends one.
    public var keepsRemoteDate = true

    /// True if the bytes of an earlier run are discarded. An existing file is not recognized then, either.
    public var startsOver = false

    /// True if a file of the final name, or a part file, that another program left is continued.
    ///
    /// Samples of its bytes are compared with the server's first. That is evidence, and not a proof as
    /// ``checksums`` are. A file whose samples differ stays as it is, and the download fails.
    public var takesOver = false

    /// The action for a file that the server sends encoded.
    package var ifEncoded = EncodedContentPolicy.fail

    /// Bytes per second for this file, 1 or more; `nil` for ``Configuration/ratePerFile``.
    public var rate: Int64?

    /// The tries of this file; `nil` for ``Configuration/retry``.
    package var tries: FileTries?

    /// The priority among waiting files; higher ones go first.
    public var priority = 0

    /// True if missing parent directories of a `.file` destination are created.
    public var makesDirectory = false

    /// The length that the file must have in bytes, 0 or more; `nil` for any. A queue counts it in its totals
    /// before the server has answered.
    public var expectedLength: Int64?

    /// The length in bytes of the longest file that is fetched; `nil` for any.
    package var maximumLength: Int64?

    /// The header fields and credentials for the mirrors of one host that is not the first source's.
    package var mirrorAccess = MirrorAccess()

    /// A request for a source.
    public init(_ source: Source, to destination: Destination) {
        self.source = source
        self.destination = destination
    }

    /// All sources, the preferred one first, each once.
    package var sources: [Source] {
        var sources: [Source] = []
        for source in [source] + mirrors where !sources.contains(source) { sources.append(source) }
        return sources
    }

    /// True if the bytes go to a descriptor.
    var isPiped: Bool { if case .descriptor = destination { true } else { false } }

    package func validate() throws(DownloadError) {
        try segments?.validate()
        switch destination {
        case .file(let path): try require(path.lastComponent != nil, "'\(path)' names no file.")
        case .directory(let path):
            try require(!path.isEmpty, "An empty path names no directory; write '.' for the present one.")
        case .descriptor: break
        }
        for type in expectedTypes { try MediaRange.checked(type) }
        var agreed: [Checksum] = []
        for checksum in checksums { try agreed.add(checksum) }
        try require(
            proofPolicy.required == nil || !isPiped,
            "A proof can be required of a file only, because the bytes that a pipe gets cannot be taken back.")
        try require(rate ?? 1 >= 1, "The rate limit is \(rate ?? 0) bytes per second; it must be 1 or more.")
        try require(
            expectedLength ?? 0 >= 0, "The expected length is \(expectedLength ?? 0); it must be 0 or more.")
        for header in headers {
            try require(
                HTTPHeader(parsing: "\(header.name): \(header.value)")?.name == header.name,
                "The header '\(header.name)' is not a valid HTTP field.")
            try require(
                !Self.ownHeaders.contains(header.name.lowercased()),
                "The header '\(header.name)' is set by the download itself; leave it out.")
        }
    }

    /// Fields that the segments depend on.
    package static let ownHeaders: Set<String> = [
        "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection",
    ]
}

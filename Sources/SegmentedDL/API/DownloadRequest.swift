public import SystemPackage

/// A request for one file.
///
///     var request = try DownloadRequest("https://example.com/disk.iso", to: .directory("isos"))
///     request.checksums = [try Checksum(parsing: "sha256=\(digest)")]
///     request.ifExists = .rename
public struct DownloadRequest: Sendable, Hashable {
    /// The destination of the file.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Destination: Sendable, Hashable {
        /// A file with this path.
        case file(FilePath)
        /// A directory, created if it is missing; the file's name comes from the server or the URL.
        case directory(FilePath)
        /// An open descriptor, such as a pipe or standard output. The bytes are written in order. Bytes that
        /// arrive early are kept in an unnamed file of at most 64 MiB in the directory for temporary files;
        /// the download pauses while it is full. A wrong digest is reported only at the end, after the bytes
        /// have been written. This download cannot be resumed. The descriptor is not closed.
        case descriptor(FileDescriptor)
    }

    /// The file's source.
    public var source: Source

    /// Further sources of the same file, the preferred one first. Faster sources deliver more bytes, and if
    /// one fails, the others replace it. Headers and credentials of the request are sent only to the scheme,
    /// host and port of `source`.
    public var mirrors: [Source] = []

    /// True to follow links that the server sends (Metalink over HTTP, RFC 6249). Sources in Link fields
    /// (`rel=duplicate`) become mirrors, and a Metalink (`rel=describedby`) gives digests of pieces and more
    /// mirrors. They are used only if the file's digest is known, from the server or the caller. The default
    /// is false, because the links lead to hosts that the caller has not named.
    public var followsLinks = false

    /// The destination of the file.
    public var destination: Destination

    /// Header fields for the source's host; they are sent to no other host.
    public var headers: [HTTPHeader] = []

    /// Credentials for HTTP authentication with the source's host, or to sign requests to it. Neither they
    /// nor a signature is sent to another host.
    public var credentials: Credentials?

    /// The digests that the file must have, at most one for each algorithm. Checked before the file is
    /// renamed to its final name.
    public var checksums: [Checksum] = []

    /// The origin of ``checksums``, which a daemon shows; `nil` if a person or a program supplied them.
    package var checksumOrigin: ChecksumOrigin?

    /// Digests of the file's pieces, checked as the pieces arrive. A wrong piece is fetched again, and its
    /// source gets no further requests.
    public var pieces: PieceHashes?

    /// True to also verify the digest that the server sends with the file, in Repr-Digest or, where it covers
    /// the whole file, Content-Digest (RFC 9530), in Digest (RFC 3230), x-goog-hash, x-amz-checksum-sha256
    /// and -sha1, or Content-MD5. The strongest one is used.
    public var verifiesServerDigest = true

    /// The search for digests that the file's publisher lists. The default is ``ProofPolicy/none``, because a
    /// search sends additional requests. It has no effect on a file that is written to a descriptor.
    public var proofPolicy = ProofPolicy.none

    /// The media types that the file may have, such as `application/gzip` or `image/*`; empty for any. If the
    /// server's first response has a different Content-Type, the file is not fetched, and an existing copy is
    /// not accepted.
    public var expectedTypes: [String] = []

    /// The rule that names a file in a directory.
    public var naming = FileNaming.server

    /// The number of connections that fetch the file; `nil` for ``Configuration/segments``.
    public var segments: SegmentCount?

    /// The order in which the connections fetch the file's bytes.
    public var order = SegmentOrder.fastest

    /// The action if a file with the final name exists.
    public var ifExists = ExistingFilePolicy.fail

    /// True to set the file's modification date to the remote file's (Last-Modified), if the server sends
    /// one.
    public var keepsRemoteDate = true

    /// True to discard the bytes of an earlier run. An existing file is then not recognized either.
    public var startsOver = false

    /// True to resume a file that another program left, under the final name or as a part file.
    ///
    /// Samples of its bytes are first compared with the server's. This is evidence, but not a proof like
    /// ``checksums``. If the samples differ, the file is left unchanged and the download fails.
    public var takesOver = false

    /// The action if the server sends the file encoded.
    package var ifEncoded = EncodedContentPolicy.fail

    /// Bytes per second for this file, 1 or more; `nil` for ``Configuration/ratePerFile``.
    public var rate: Int64?

    /// The retries of this file; `nil` for ``Configuration/retry``.
    package var tries: FileTries?

    /// The priority among waiting files; higher ones start first.
    public var priority = 0

    /// True to create missing parent directories of a `.file` destination.
    public var makesDirectory = false

    /// The length that the file must have in bytes, 0 or more; `nil` for any. An existing file must have it
    /// too; any other length fails the download with code `lengthMismatch`. A queue includes it in its totals
    /// before the server has responded.
    public var expectedLength: Int64?

    /// The maximum length in bytes of a file that is fetched; `nil` for any.
    package var maximumLength: Int64?

    /// The header fields and credentials for the mirrors of one host, and the remedy for its exhausted quota.
    package var mirrorAccess = MirrorAccess()

    /// Creates a request for a source.
    public init(_ source: Source, to destination: Destination) {
        self.source = source
        self.destination = destination
    }

    /// All sources, the preferred one first, without duplicates.
    package var sources: [Source] {
        var sources: [Source] = []
        for source in [source] + mirrors where !sources.contains(source) { sources.append(source) }
        return sources
    }

    /// True if the bytes are written to a descriptor.
    var isPiped: Bool { if case .descriptor = destination { true } else { false } }

    package func validate() throws(DownloadError) {
        try segments?.validate()
        switch destination {
        case .file(let path):
            try require(
                path.lastComponent != nil,
                "'\(path)' is not the path of a file; specify the path of the file itself.")
        case .directory(let path): try path.checkIsNotEmpty()
        case .descriptor: break
        }
        for type in expectedTypes { try MediaRange.checked(type) }
        var agreed: [Checksum] = []
        for checksum in checksums { try agreed.add(checksum) }
        try require(
            proofPolicy.required == nil || !isPiped,
            "A proof can be required only for a file: bytes written to a pipe cannot be withdrawn.")
        try require(
            proofPolicy.required != .signature || !proofPolicy.keys.isEmpty,
            "A signature is required, but no signer's key is given.")
        try require(rate ?? 1 >= 1, "The rate limit is \(rate ?? 0) bytes per second; it must be 1 or more.")
        try require(
            expectedLength ?? 0 >= 0, "The expected length is \(expectedLength ?? 0); it must be 0 or more.")
        for header in headers {
            try header.check()
            try require(
                !Self.ownHeaders.contains(header.name.lowercased()),
                "The header '\(header.name)' is set by the downloader; remove it.")
        }
    }

    /// Fields that this library sets, because the segments depend on them.
    package static let ownHeaders: Set<String> = [
        "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection",
    ]
}

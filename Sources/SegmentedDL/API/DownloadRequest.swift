public import SystemPackage

/// One file to obtain.
public struct DownloadRequest: Sendable {
    /// Where the file goes.
    public enum Destination: Sendable, Hashable {
        /// A file of this name.
        case file(FilePath)
        /// A directory, made if it is missing; the name comes from the server or the URL.
        case directory(FilePath)
        /// An open descriptor, in order and over one connection: a pipe, or standard output. It is not closed.
        case descriptor(FileDescriptor)
    }

    /// Where the file comes from.
    public var source: Source

    /// Further sources of the same file, the preferred one first. They get bytes to deliver as they are fast, and take
    /// over when the first one fails. Headers and credentials of the request go to hosts of the first source's scheme,
    /// name and port only.
    public var mirrors: [Source] = []

    /// Whether sources that the server names in Link fields (`rel=duplicate`, Metalink over HTTP, RFC 6249) become
    /// mirrors too, and a Metalink that it names (`rel=describedby`) gives digests of pieces and more mirrors. They count only
    /// if the file's digest is known, from the server or the caller. Off, since hosts are asked that the caller has not named.
    public var followsLinks = false

    /// Where it goes.
    public var destination: Destination

    /// Header fields to send to the source's host; other hosts never see them.
    public var headers: [HTTPHeader] = []

    /// For HTTP basic authentication with the source's host, or to sign requests to it; other hosts never see them, nor
    /// a signature.
    public var credentials: Credentials?

    /// The digest that the file must have to get its final name.
    public var checksum: Checksum?

    /// Digests of the file's pieces, checked as the pieces arrive: a wrong one is fetched again, and who sent it is not
    /// asked any more.
    public var pieces: PieceHashes?

    /// Whether the file must also have the digest that the server sends with it: in Repr-Digest or, where it
    /// covers the whole file, Content-Digest (RFC 9530), in Digest (RFC 3230), x-goog-hash,
    /// x-amz-checksum-sha256 and -sha1, or Content-MD5. The strongest one counts.
    public var verifiesServerDigest = true

    /// How a file in a directory is named.
    public var naming = FileNaming.server

    /// How many connections fetch it; `nil` takes the configuration's.
    public var segments: SegmentCount?

    /// What to do when the final name is taken.
    public var ifExists = ExistingFilePolicy.fail

    /// Whether what an earlier run left is thrown away.
    public var startsOver = false

    /// Bytes per second for this file, 1 or more; `nil` for no limit of its own.
    public var rate: Int64?

    /// Higher goes first among the files that wait.
    public var priority = 0

    /// The length in bytes that the file must have; `nil` for any.
    var expectedLength: Int64?

    /// Whether the directory of a file that is named is made if it is missing.
    package var makesDirectory = false

    /// The header fields and credentials for the mirrors of one host that is not the first source's.
    var mirrorAccess = MirrorAccess()

    /// A request for a source.
    public init(_ source: Source, to destination: Destination = .directory(".")) {
        self.source = source
        self.destination = destination
    }

    /// A request for a URL's text.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text is no absolute http or https URL.
    public init(_ url: String, to destination: Destination = .directory(".")) throws(DownloadError) {
        self.init(try Source(url), to: destination)
    }

    /// All sources, the preferred one first, each once.
    var sources: [Source] {
        var sources: [Source] = []
        for source in [source] + mirrors where !sources.contains(source) { sources.append(source) }
        return sources
    }

    private var hosts: Int { Set(sources.map(\.origin)).count }

    func validate(_ configuration: Configuration) throws(DownloadError) {
        var limits = configuration.limits
        limits.connectionsPerHost = limits.connections(over: hosts)
        try segments?.validate(limits: limits)
        if case .file(let path) = destination {
            try require(path.lastComponent != nil, "'\(path)' names no file.")
        }
        try require(rate ?? 1 >= 1, "The rate limit is \(rate ?? 0) bytes per second; it must be 1 or more.")
        for header in headers {
            try require(
                HTTPHeader(parsing: "\(header.name): \(header.value)")?.name == header.name,
                "The header '\(header.name)' is no valid HTTP field.")
            try require(
                !Self.ownHeaders.contains(header.name.lowercased()),
                "The header '\(header.name)' is set by the download itself; leave it out.")
        }
    }

    /// Fields whose meaning the segments depend on.
    private static let ownHeaders: Set<String> = [
        "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection",
    ]
}

package import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One download, as it is stored.
struct QueueRecord: Sendable, Equatable {
    /// The settings of a request, beyond its source and destination.
    struct Options: Sendable, Equatable, Codable {
        var checksum: Checksum?
        /// Further ones, of other algorithms; `nil` in queues of earlier versions.
        var moreChecksums: [Checksum]?
        var verifiesServerDigest = true
        var segments: SegmentCount?
        var ifExists = ExistingFilePolicy.fail
        var naming = FileNaming.server
        var rate: Int64?
        var onComplete: String?
        /// True if the request came with headers or credentials.
        var isAuthorized = false
        /// The URLs of further sources.
        var mirrors: [String]?
        /// The request's setting; `nil` in queues of earlier versions.
        var makesDirectory: Bool?
        /// True if a file that another program left is continued; `nil` in queues of earlier versions.
        var takesOver: Bool?
        /// The request's setting; `nil`, as in queues of earlier versions, for true.
        var keepsRemoteDate: Bool?
        /// The request's setting; `nil`, as in queues of earlier versions, for the fastest.
        var order: SegmentOrder?
        /// The request's setting; `nil`, as in queues of earlier versions, for false.
        var followsLinks: Bool?
        /// The request's setting; `nil`, as in queues of earlier versions, for any type.
        var expectedTypes: [String]?
        /// The request's setting; `nil`, as in queues of earlier versions, for a failure.
        var ifEncoded: EncodedContentPolicy?
        /// The request's settings; `nil`, as in queues of earlier versions, for any length.
        var maximumLength: Int64?
        var expectedLength: Int64?
        // The next ones came later. They are optional members of the stored options, because a column of
        // their own would make the queue unreadable for earlier versions.
        /// True if the download was complete and was added again: the server is asked about the file before
        /// it counts as complete again.
        var isAddedAgain: Bool?
        /// The reason why the last run that completed it needed no bytes.
        var found: FoundFile?
        /// The digests that the complete file was found to have.
        var proofs: [DigestProof]?
        /// The cost of all runs that have ended.
        var cost: TransferCost?
        /// The thing that held the last run back.
        var bottleneck: Bottleneck?

        var checksums: [Checksum] {
            get { [checksum].compactMap(\.self) + (moreChecksums ?? []) }
            set {
                checksum = newValue.first
                moreChecksums = newValue.count > 1 ? Array(newValue.dropFirst()) : nil
            }
        }

        /// The further sources.
        var sources: [Source] {
            get { (mirrors ?? []).compactMap { try? Source($0) } }
            set { mirrors = newValue.isEmpty ? nil : newValue.map(\.url) }
        }
    }

    let id: Receipt.ID
    var key: String?
    var source: Source
    var destination: DownloadRequest.Destination
    var options: Options
    var priority: Int
    /// Its place: lower ones come first.
    var rank: Int64 = 0
    var state = DownloadState.queued
    /// True if it was under way when it went back to the queue: such downloads begin first.
    var hasBegun = false
    /// True if the bytes on the disk are to be dropped.
    var startsOver = false
    /// The final path, once it is known.
    var path: FilePath?
    /// The unfinished file, once there is one of this download.
    var part: DownloadPaths?
    /// The identity of the complete file, once it has its final name or is about to get it.
    var identity: FileIdentity?
    /// The identity of the previous complete file, which a restart may replace.
    var replaces: FileIdentity?
    var bytesCompleted: Int64 = 0
    var bytesTotal: Int64?
    var attempts = 0
    /// Failures in a row, without a byte of progress between them.
    var failures = 0
    var bytesAtFailure: Int64 = -1
    /// The time that it was at work, over all attempts.
    var seconds = 0.0
    var retriesAt: Date?
    var error: Receipt.Failure?
    let added: Date
    var started: Date?
    var ended: Date?

    /// True if it was complete and was added again, and its file has not been downloaded again since.
    var isAddedAgain: Bool {
        get { options.isAddedAgain ?? false }
        set { options.isAddedAgain = newValue ? true : nil }
    }

    /// The path that its next run keeps: that of an earlier run, also if the server gives the file another
    /// name today. A download that was added again and renames gets the name that a new one would get.
    var keptPath: FilePath? {
        isAddedAgain && part == nil && options.ifExists == .rename ? nil : path
    }

    /// The identifier that tells it from the others of its queue.
    var identifier: Identifier { Identifier(key, source) }

    enum Identifier: Hashable, Sendable {
        case key(String)
        case url(String)

        init(_ key: String?, _ source: Source) {
            self = key.map { .key($0) } ?? .url(source.identity)
        }
    }

    init(
        id: Receipt.ID, key: String? = nil, source: Source, destination: DownloadRequest.Destination,
        options: Options = Options(), priority: Int = 0, added: Date
    ) {
        self.id = id
        self.key = key
        self.source = source
        self.destination = destination
        self.options = options
        self.priority = priority
        self.added = added
    }

    /// - Throws: `DownloadError` with code `invalidSetting` for a setting that cannot be stored.
    init(_ entry: QueueEntry, id: Receipt.ID, now: Date) throws(DownloadError) {
        let request = entry.request
        try require(
            request.pieces == nil,
            "A queue does not keep digests of pieces; leave them out, or download it at once.")
        try require(
            request.mirrorAccess == MirrorAccess(),
            "A queue does not keep headers and credentials of mirrors; leave them out, or download it at once."
        )
        self.init(
            id: id, key: entry.key, source: request.source.withoutCredentials,
            destination: try request.destination.absolute(),
            priority: request.priority, added: now)
        options = Options(
            verifiesServerDigest: request.verifiesServerDigest,
            segments: request.segments, ifExists: request.ifExists, naming: request.naming,
            rate: request.rate, onComplete: entry.onComplete,
            isAuthorized: !request.headers.isEmpty || request.credentials != nil
                || request.sources.contains { $0.credentials != nil },
            makesDirectory: request.makesDirectory ? true : nil, takesOver: request.takesOver ? true : nil,
            keepsRemoteDate: request.keepsRemoteDate ? nil : false,
            order: request.order == .fastest ? nil : request.order,
            followsLinks: request.followsLinks ? true : nil,
            expectedTypes: request.expectedTypes.isEmpty ? nil : request.expectedTypes,
            ifEncoded: request.ifEncoded == .fail ? nil : request.ifEncoded,
            maximumLength: request.maximumLength, expectedLength: request.expectedLength)
        options.checksums = request.checksums
        options.sources = request.mirrors
        startsOver = request.startsOver
        if entry.startsPaused { state = .paused }
    }

    /// Returns the request for its next attempt.
    func request(_ authorization: Authorization?) -> DownloadRequest {
        var request = DownloadRequest(source, to: keptPath.map { .file($0) } ?? destination)
        request.mirrors = options.sources
        request.checksums = options.checksums
        request.verifiesServerDigest = options.verifiesServerDigest
        request.makesDirectory = options.makesDirectory ?? false
        request.segments = options.segments
        request.ifExists = options.ifExists
        request.takesOver = options.takesOver ?? false
        request.keepsRemoteDate = options.keepsRemoteDate ?? true
        request.order = options.order ?? .fastest
        request.followsLinks = options.followsLinks ?? false
        request.naming = options.naming
        request.expectedTypes = options.expectedTypes ?? []
        request.ifEncoded = options.ifEncoded ?? .fail
        request.maximumLength = options.maximumLength
        request.expectedLength = options.expectedLength
        request.rate = options.rate
        request.priority = priority
        // Only bytes of its own are dropped.
        request.startsOver = startsOver && part != nil
        request.headers = authorization?.headers ?? []
        request.credentials = authorization?.credentials
        return request
    }
}

extension DownloadRequest.Destination {
    /// Returns the same place as an absolute path, which does not depend on the working directory.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` for a descriptor, or a path that is not UTF-8:
    ///   neither can be stored.
    package func absolute() throws(DownloadError) -> Self {
        switch self {
        case .file(let path): .file(try path.storable())
        case .directory(let path): .directory(try path.storable())
        case .descriptor:
            throw DownloadError(
                .invalidSetting, "A queue cannot write to a descriptor; name a file or directory.")
        }
    }
}

extension FilePath {
    func storable() throws(DownloadError) -> FilePath {
        let absolute = isAbsolute ? self : SystemCalls.currentDirectory.pushing(self)
        guard FilePath(absolute.string) == absolute else {
            throw DownloadError(
                .invalidSetting, "The queue cannot store the path '\(self)', which is not UTF-8.")
        }
        return absolute.lexicallyNormalized()
    }
}

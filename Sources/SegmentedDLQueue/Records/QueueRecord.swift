package import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A download as it is stored.
struct QueueRecord: Sendable, Equatable {
    /// The results of its runs.
    struct Results: Sendable, Equatable {
        /// Why the run that completed it fetched nothing.
        var found: FoundFile?
        /// The verified digests of the complete file.
        var proofs: [DigestProof] = []
        /// The cost of all ended runs.
        var cost = TransferCost()
        /// The bottleneck of the last run.
        var bottleneck: Bottleneck?
        /// The server's response in the last run that received one, in its storable form.
        var response: ResponseInfo?
    }

    let id: Receipt.ID
    var key: String?
    /// The request, without header fields and credentials.
    var request: DownloadRequest
    /// The completion action.
    var onComplete: String?
    /// True if the request had headers or credentials.
    var isAuthorized = false
    var results = Results()
    /// Its rank: lower ones begin first.
    var rank: Int64 = 0
    var state = DownloadState.queued
    /// True if it was active when it was returned to the queue. Such downloads begin first.
    var hasBegun = false
    /// True if the bytes on disk must be dropped.
    var startsOver = false
    /// The final path, if known.
    var path: FilePath?
    /// The part file of this download, if it exists.
    var part: DownloadPaths?
    /// The identity of the complete file, once it has its final name or is about to receive it.
    var identity: FileIdentity?
    /// The identity of the previous complete file, which a restart may replace.
    var replaces: FileIdentity?
    var bytesCompleted: Int64 = 0
    var bytesTotal: Int64?
    var attempts = 0
    /// The number of consecutive failures without progress in between.
    var failures = 0
    var bytesAtFailure: Int64 = -1
    /// The active time in seconds, over all attempts.
    var seconds = 0.0
    var retriesAt: Date?
    var error: Receipt.Failure?
    let added: Date
    var started: Date?
    var ended: Date?

    /// True if it was complete and was added again, and its file has not been downloaded again since. It
    /// counts as complete only after the server was asked whether the file has changed.
    var isAddedAgain = false

    var source: Source { request.source }
    var destination: DownloadRequest.Destination { request.destination }

    /// The path that the next run keeps, from an earlier run, even if the server now sends another name. A
    /// download that was added again with the `rename` policy gets the same name as a new download would.
    var keptPath: FilePath? {
        isAddedAgain && part == nil && request.ifExists == .rename ? nil : path
    }

    /// True if it has never begun and nothing follows its completion, so that its file may be fetched in a
    /// batch with others.
    var isPlain: Bool {
        attempts == 0 && failures == 0 && path == nil && part == nil && identity == nil && replaces == nil
            && !startsOver && !isAddedAgain && onComplete == nil && source.location == nil
    }

    /// The identifier that distinguishes it in its queue.
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
        priority: Int = 0, added: Date
    ) {
        self.id = id
        self.key = key
        request = DownloadRequest(source, to: destination)
        request.priority = priority
        self.added = added
    }

    /// - Throws: `DownloadError` with code `invalidSetting` if a setting cannot be stored.
    init(_ entry: QueueEntry, id: Receipt.ID, now: Date) throws(DownloadError) {
        try require(
            entry.request.pieces == nil,
            "A queue does not store piece digests; remove them, or download it directly.")
        try require(
            entry.request.mirrorAccess == MirrorAccess(),
            "A queue does not store headers and credentials of mirrors; remove them, or download it directly."
        )
        try require(
            entry.onComplete?.isEmpty != true,
            "The completion action is empty; specify an action, or omit it.")
        self.id = id
        key = entry.key
        onComplete = entry.onComplete
        request = entry.request
        isAuthorized =
            !request.headers.isEmpty || request.credentials != nil
            || request.sources.contains(where: \.hasCredentials)
        request.source = request.source.withoutCredentials
        request.mirrors = request.mirrors.map(\.withoutCredentials)
        request.destination = try request.destination.absolute()
        request.headers = []
        request.credentials = nil
        startsOver = request.startsOver
        added = now
        bytesTotal = request.expectedLength
        if entry.startsPaused { state = .paused }
    }

    /// Returns the request for the next attempt.
    func request(_ authorization: Authorization?) -> DownloadRequest {
        var request = request
        if let keptPath { request.destination = .file(keptPath) }
        // A restart drops only its own bytes. A request to start over drops other bytes, but only once.
        request.startsOver = part == nil ? request.startsOver : startsOver
        request.headers = authorization?.headers ?? []
        request.credentials = authorization?.credentials
        return request
    }

    /// Records that a run begins.
    mutating func begin(now: Date) {
        state = .probing
        hasBegun = true
        attempts += 1
        started = started ?? now
        ended = nil
    }

    /// Updates the paths in a moved directory.
    mutating func relocate(_ move: Move) {
        switch destination {
        case .file(let path): request.destination = .file(move.applied(to: path) ?? path)
        case .directory(let path): request.destination = .directory(move.applied(to: path) ?? path)
        case .descriptor: break
        }
        let old = path
        path = old.map { move.applied(to: $0) ?? $0 }
        part = part.map { part in
            DownloadPaths(
                move.applied(to: part.destination) ?? part.destination,
                part: move.applied(to: part.part) ?? part.part)
        }
    }

    /// Replaces the settings with those of a changed entry. The results are kept, as is the path, unless the
    /// destination has changed.
    ///
    /// - Parameter isReauthorized: True if the header fields or credentials have changed.
    mutating func adopt(_ changed: QueueRecord, isReauthorized: Bool) {
        if changed.destination != destination { path = nil }
        key = changed.key
        request = changed.request
        onComplete = changed.onComplete
        if part == nil, state != .completed { bytesTotal = request.expectedLength ?? bytesTotal }
        if isReauthorized { isAuthorized = changed.isAuthorized }
    }
}

extension DownloadRequest {
    /// The header fields and credentials for the source's host, which a queue does not store.
    package var authorization: Authorization {
        Authorization(headers: headers, credentials: credentials ?? source.credentials)
    }
}

extension DownloadRequest.Destination {
    var file: FilePath? {
        guard case .file(let path) = self else { return nil }
        return path
    }

    /// Returns the destination with an absolute path, which does not depend on the working directory.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` for a descriptor, or a path that is not UTF-8:
    ///   neither can be stored.
    package func absolute() throws(DownloadError) -> Self {
        switch self {
        case .file(let path): .file(try path.storable())
        case .directory(let path): .directory(try path.storable())
        case .descriptor:
            throw DownloadError(
                .invalidSetting, "A queue cannot write to a descriptor; specify a file or directory.")
        }
    }
}

extension FilePath {
    func storable() throws(DownloadError) -> FilePath {
        let absolute = isAbsolute ? self : SystemCalls.currentDirectory.pushing(self)
        guard FilePath(absolute.string) == absolute else {
            throw DownloadError(
                .invalidSetting, "The queue cannot store the path '\(self)', because it is not UTF-8.")
        }
        return absolute.lexicallyNormalized()
    }
}

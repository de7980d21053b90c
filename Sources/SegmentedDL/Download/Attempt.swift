/// The existing file, written by another program, is not the beginning of the server's file.
struct NotContinued: Error {
    /// The error if the policy is to keep the existing file.
    let error: DownloadError
    /// False if the server sends no ranges, so that no bytes were compared.
    var isCompared = true
}

/// One attempt at a download, and the rules for the next one. A plain value.
struct Attempt: Equatable, Sendable {
    /// True to discard all bytes on disk.
    private(set) var restarts: Bool
    /// True to accept the bytes of another program.
    private(set) var takesOver: Bool
    /// True to use a Metalink that the server links to.
    private(set) var usesMetalink: Bool
    /// The sources that no longer receive requests.
    private(set) var excludedSources: Set<Source.Index> = []
    /// The excluded sources that had few retries, because others could be tried.
    private var hurriedSources: Set<Source.Index> = []
    /// True if all sources have failed once, and those that had few retries get all of them.
    private var isPatient = false
    /// True if a single response must contain the whole file, because no two responses so far have described
    /// the same file.
    private(set) var isStream = false
    /// True if the first request may be pipelined.
    private(set) var mayPipeline = true
    /// The reason for this attempt, as a clause for the log; `nil` for none.
    private(set) var reason: String?

    /// How often the file differed from the previous response's description.
    private var changes = 0
    /// The maximum number of such changes. After the first, the file is fetched again; after each further
    /// one, as a stream.
    private static let maximumChanges = 5
    private let request: Terms

    /// The parts of the request that these rules depend on.
    private struct Terms: Equatable {
        let startsOver: Bool
        let takesOver: Bool
        /// True if the policy is to replace an existing file, or to store the server's file next to it.
        let mayHaveAnother: Bool
        let followsLinks: Bool
        let sourceCount: Int
    }

    /// The facts known when an attempt failed.
    struct Findings: Equatable, Sendable {
        /// The source of the bytes; `nil` if no transfer had begun.
        var source: Source.Index?
        /// True if the source does not support ranges, so that it is the only one in use.
        var isStream = false
        /// True if that source had few retries, because others can be tried.
        var isHurried = false
        /// True if the piece digests come from a Metalink that the server links to.
        var hasMetalinkPieces = false
    }

    /// The first attempt.
    ///
    /// - Parameter keepsUnfinished: True to fail instead of storing the server's file next to one that cannot
    ///   be resumed.
    init(for request: DownloadRequest, keepsUnfinished: Bool = false) {
        self.init(
            Terms(
                startsOver: request.startsOver, takesOver: request.takesOver,
                mayHaveAnother: request.ifExists.replaces
                    || request.ifExists == .rename && !keepsUnfinished,
                followsLinks: request.followsLinks, sourceCount: request.sources.count))
    }

    private init(_ request: Terms) {
        self.request = request
        restarts = request.startsOver
        takesOver = request.takesOver
        usesMetalink = request.followsLinks
    }

    /// True if a failing source without ranges can be replaced by another one, instead of using all retries.
    var mayTryOthers: Bool { !isPatient && excludedSources.count + 1 < request.sourceCount }

    /// Returns the attempt that follows a failed one; `nil` if the download has failed.
    func next(after error: any Error, _ findings: Findings) -> Attempt? {
        if case TransferFailure.changed(let what) = error {
            return changes < Self.maximumChanges ? restarted(because: what) : nil
        }
        if case TransferFailure.mixedUp = error { return mayPipeline ? alone : nil }
        if let error = error as? NotContinued {
            return takesOver && request.mayHaveAnother ? besideForeign(isCompared: error.isCompared) : nil
        }
        guard let source = findings.source else { return Self.isOfSource(error) ? patient : nil }
        if findings.hasMetalinkPieces, Self.isOfPieces(error) { return withoutMetalink }
        if findings.isStream, Self.isOfSource(error) {
            return excluding(source, isHurried: findings.isHurried && Self.mayRetryHelp(error))
        }
        return nil
    }

    private func restarted(because what: String) -> Attempt {
        var next = self
        next.restarts = true
        next.changes += 1
        guard next.changes > 1 else {
            next.reason = "\(what) changed on the server; starting over"
            return next
        }
        // Some servers describe the same file differently each time. A single response is always consistent.
        next.isStream = true
        next.reason = "\(what) differs from response to response; fetching the file over one connection"
        return next
    }

    /// Returns the attempt that applies the policy for existing files to the other program's file, because it
    /// is not known to be the beginning of the server's.
    private func besideForeign(isCompared: Bool) -> Attempt {
        var next = self
        next.takesOver = false
        next.reason =
            isCompared
            ? "the existing file is not the beginning of the server's file; fetching all of it"
            : "the server sends no byte ranges, so the existing file cannot be compared; fetching all of it"
        return next
    }

    private var alone: Attempt {
        var next = self
        next.mayPipeline = false
        next.reason =
            "it is not the expected file, unless the server mixed up its responses; requesting it once more, alone"
        return next
    }

    /// The attempt without piece digests; correct pieces on disk are kept.
    private var withoutMetalink: Attempt {
        var next = self
        (next.restarts, next.usesMetalink) = (false, false)
        next.reason = "its Metalink or all its sources are wrong; continuing without the Metalink"
        return next
    }

    /// A stream has only one source, so another source is tried as if it were the first.
    private func excluding(_ source: Source.Index, isHurried: Bool) -> Attempt? {
        var next = Attempt(request)
        next.excludedSources = excludedSources.union([source])
        next.hurriedSources = isHurried ? hurriedSources.union([source]) : hurriedSources
        next.isPatient = isPatient
        return next.excludedSources.count < request.sourceCount ? next : next.patient
    }

    /// The attempt with the sources that had few retries; `nil` if there are none.
    private var patient: Attempt? {
        guard !hurriedSources.isEmpty else { return nil }
        var next = Attempt(request)
        next.excludedSources = excludedSources.subtracting(hurriedSources)
        next.isPatient = true
        return next
    }

    /// True if pieces do not match their digests. A mismatch of the whole file's digest is not a
    /// `TransferFailure`, because another attempt would not help.
    private static func isOfPieces(_ error: any Error) -> Bool {
        if case TransferFailure.other(let cause) = error { cause.code == .checksumMismatch } else { false }
    }

    /// True if a source that had few retries may succeed with more.
    private static func mayRetryHelp(_ error: any Error) -> Bool {
        switch error {
        case TransferFailure.network(let error): error.kind != .tls && error.kind != .setting
        case TransferFailure.busy, TransferFailure.busyForFile, TransferFailure.failing,
            TransferFailure.shortBody, TransferFailure.unproven:
            true
        default: false
        }
    }

    /// True if another source may succeed.
    private static func isOfSource(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is StorageError: false
        case TransferFailure.storage: false
        // Categories 5 (disk) and 6 (locks) affect all sources alike.
        case let error as DownloadError: error.exitStatus != 5 && error.exitStatus != 6
        default: true
        }
    }
}

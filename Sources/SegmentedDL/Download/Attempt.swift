/// A file of another program, under the final name, is not the beginning of the server's file.
struct NotContinued: Error {
    /// The error for a caller whose policy leaves it as it is.
    let error: DownloadError
}

/// One attempt at a download, and the rules for the attempt after it. A plain value.
struct Attempt: Equatable, Sendable {
    /// True if all bytes on disk are discarded.
    private(set) var restarts: Bool
    /// True if the bytes of another program count.
    private(set) var takesOver: Bool
    /// True if a Metalink that the server names counts.
    private(set) var usesMetalink: Bool
    /// The sources that are not asked any more.
    private(set) var excludedSources: Set<Source.Index> = []
    /// True if one response has to hold the whole file: no two responses have described the same so far.
    private(set) var isStream = false
    /// True if the first request may be sent ahead of other answers.
    private(set) var mayPipeline = true
    /// The reason for this attempt after another one, as a clause for the log; `nil` if there is nothing to
    /// say.
    private(set) var reason: String?

    /// How often the file has been another one than the response before said.
    private var changes = 0
    /// The most of these: after the first the file is fetched again, and after each further one as a stream.
    private static let maximumChanges = 5
    private let request: Terms

    /// The parts of the request that decide.
    private struct Terms: Equatable {
        let startsOver: Bool
        let takesOver: Bool
        /// True if the policy for existing files wants the server's file in place of another, or beside it.
        let mayHaveAnother: Bool
        let followsLinks: Bool
        let sourceCount: Int
    }

    /// The facts that an attempt had found out when it failed.
    struct Findings: Equatable, Sendable {
        /// The source that the bytes came from; `nil` if the transfer had not begun.
        var source: Source.Index?
        /// True if the source has no ranges, so that it alone sends the file.
        var isStream = false
        /// True if the digests of pieces are those of a server's Metalink.
        var hasMetalinkPieces = false
    }

    /// The first attempt.
    init(for request: DownloadRequest) {
        self.init(
            Terms(
                startsOver: request.startsOver, takesOver: request.takesOver,
                mayHaveAnother: request.ifExists.replaces || request.ifExists == .rename,
                followsLinks: request.followsLinks, sourceCount: request.sources.count))
    }

    private init(_ request: Terms) {
        self.request = request
        restarts = request.startsOver
        takesOver = request.takesOver
        usesMetalink = request.followsLinks
    }

    /// Returns the attempt that follows a failed one; `nil` if the download has failed.
    func next(after error: any Error, _ findings: Findings) -> Attempt? {
        if case TransferFailure.changed(let what) = error {
            return changes < Self.maximumChanges ? restarted(because: what) : nil
        }
        if case TransferFailure.mixedUp = error { return mayPipeline ? alone : nil }
        if error is NotContinued { return takesOver && request.mayHaveAnother ? besideForeign : nil }
        guard let source = findings.source else { return nil }
        if findings.hasMetalinkPieces, Self.isOfPieces(error) { return withoutMetalink }
        if findings.isStream, Self.isOfSource(error) { return excluding(source) }
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
        // Some servers describe one and the same file in other words each time. Each response alone is of one
        // version in any case.
        next.isStream = true
        next.reason = "\(what) differs from response to response; fetching the file over one connection"
        return next
    }

    /// The policy for existing files decides about the file of another program, as it is no beginning.
    private var besideForeign: Attempt {
        var next = self
        next.takesOver = false
        next.reason = "the file that is there is not the beginning of the server's file; fetching all of it"
        return next
    }

    private var alone: Attempt {
        var next = self
        next.mayPipeline = false
        next.reason = "the server mixed up its answers; asking it for one file at a time"
        return next
    }

    /// The file without the digests of its pieces: the right ones among the bytes on disk are kept.
    private var withoutMetalink: Attempt {
        var next = self
        (next.restarts, next.usesMetalink) = (false, false)
        next.reason = "its Metalink is wrong, or all sources are; continuing without it"
        return next
    }

    /// A stream comes from one source alone, so another source has its turn, as if it were the first.
    private func excluding(_ source: Source.Index) -> Attempt? {
        var next = Attempt(request)
        next.excludedSources = excludedSources.union([source])
        return next.excludedSources.count < request.sourceCount ? next : nil
    }

    /// True if pieces do not have their digests. The error for the whole file's digest is no
    /// `TransferFailure`: no attempt would help then.
    private static func isOfPieces(_ error: any Error) -> Bool {
        if case TransferFailure.other(let cause) = error { cause.code == .checksumMismatch } else { false }
    }

    /// True if another source may do better.
    private static func isOfSource(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is StorageError: false
        case TransferFailure.storage: false
        // 5 is the disk and 6 a lock: they are the same for each source.
        case let error as DownloadError: error.exitStatus != 5 && error.exitStatus != 6
        default: true
        }
    }
}

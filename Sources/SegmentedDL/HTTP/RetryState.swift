/// The failures of one download's connections, and the decision about each. A plain value that counts but
/// does not wait.
///
/// While one connection works, the failure of another does not fail the file. The budget limits failures
/// without progress: any byte written since the last counted failure restores it.
struct RetryState: Sendable {
    enum Decision: Sendable {
        /// Retry after this many seconds.
        case retry(after: Double)
        /// Request the whole file once, because only requests beyond some offset may fail.
        case tryWhole
        /// Continue without this connection.
        case drop
        /// No connection receives ranges: fetch everything as one stream.
        case singleStream
        /// The remote file has changed: discard the bytes on disk.
        case fileChanged(String)
        case fail(TransferFailure)
    }

    /// The number of a retry within the budget.
    struct Count: Equatable, Sendable {
        /// 1 for the first retry since the last progress.
        var number: Int
        /// The maximum number of retries.
        var most: Int
    }

    /// The number of consecutive wrong ranges, without progress, that count as a transient error; also the
    /// number of parts that end before their first byte.
    static let maximumWrongRanges = 2

    /// The maximum number of retries, without progress, of a refusal that may be a ban.
    static let maximumRefusalsOfBan = 6

    /// The maximum delay in seconds between two attempts while a host is unreachable.
    private static let longestDelayOfOutage = 8.0

    private let policy: RetryPolicy
    /// The number of consecutive refusals, without progress, that count as temporary.
    private let maximumRefusals: Int
    /// False if written bytes cannot be withdrawn.
    private let canStartOver: Bool
    /// True if the requests ask for ranges.
    private let asksForRanges: Bool
    private var failures = 0
    private var writtenAtLastFailure: Int64 = -1
    private var quietUntil = -Double.infinity
    /// True if the whole file was requested since the last progress.
    private var hasTriedWhole = false
    /// True while that request is active. Failures of other connections are then ignored.
    private var isTryingWhole = false
    /// The number of the last retry; `nil` if the last decision was not a retry, or did not count.
    private(set) var lastRetry: Count?

    /// - Parameters:
    ///   - hasAnswered: True if the server has already sent part of the file: a later refusal may be
    ///     temporary.
    ///   - canStartOver: False if written bytes cannot be withdrawn.
    ///   - asksForRanges: True if the requests ask for ranges.
    init(
        policy: RetryPolicy, hasAnswered: Bool, canStartOver: Bool = true, asksForRanges: Bool = false
    ) {
        self.policy = policy
        self.asksForRanges = asksForRanges
        self.canStartOver = canStartOver
        maximumRefusals = hasAnswered ? 1 : 0
    }

    /// Counts retries that the caller has made on its own, after failures of the first request.
    mutating func countRetries(_ count: Int) {
        guard count > 0 else { return }
        writtenAtLastFailure = max(writtenAtLastFailure, 0)
        failures += count
    }

    /// Records that the request for the whole file has ended. A later failure is handled by itself.
    mutating func triedWhole() {
        isTryingWhole = false
    }

    /// Counts a failure, and returns the decision.
    ///
    /// - Parameters:
    ///   - others: The number of other active connections of this download.
    ///   - written: Bytes on disk now.
    ///   - now: Seconds on a clock that never jumps.
    ///   - jitter: A random number from 0 to 1.
    ///   - mayBeBan: True if the host may have banned this program because of too many connections.
    mutating func decide(
        _ failure: TransferFailure, others: Int, written: Int64, now: Double, jitter: Double,
        mayBeBan: Bool = false
    ) -> Decision {
        lastRetry = nil
        switch failure {
        // The active responses belong to one version, and the first one may contain all of it.
        case .changed where !canStartOver && others > 0:
            return .drop
        case .changed(let what):
            return .fileChanged(what)
        case .storage, .directory, .mixedUp, .other:
            return .fail(failure)
        // The first answer was not encoded, so those to ranges are.
        case .encoded where asksForRanges && canStartOver:
            return others > 0 ? .drop : .singleStream
        case .refused, .signatureRefused, .redirect, .page, .encoded:
            if others > 0 { return .drop }
            return retry(
                failure, others: others, written: written, now: now, jitter: jitter,
                limit: mayBeBan ? Self.maximumRefusalsOfBan : maximumRefusals, mayBeBan: mayBeBan)
        // Nothing renews the URL that the caller gave.
        case .expired:
            return others > 0 ? .drop : .fail(failure)
        case .proxyRefused(let status) where status.isOfNoTunnel:
            if others > 0 { return .drop }
            return retry(
                failure, others: others, written: written, now: now, jitter: jitter, limit: maximumRefusals)
        case .rangeIgnored:
            guard others > 0 else { return .singleStream }
            // The others may receive the missing bytes; if not, the next failure leads to another attempt.
            (hasTriedWhole, failures) = (false, min(failures, Self.maximumWrongRanges))
            return .drop
        case .network(let error) where error.kind == .tls || error.kind == .setting:
            return .fail(failure)
        case .network(let error) where error.isOfHostGivenUp || error.mostRetries != nil:
            return retry(
                failure, others: others, written: written, now: now, jitter: jitter,
                limit: error.isOfHostGivenUp ? 0 : error.mostRetries ?? 0)
        case .network(let error) where error.isBeforeAnyAnswer && error.isProbablyMistyped:
            return retry(
                failure, others: others, written: written, now: now, jitter: jitter,
                limit: policy.retriesAtStart ?? .max)
        case .network, .proxyRefused, .busy, .busyForFile, .wrongRange, .failing, .shortBody, .unproven:
            return retry(failure, others: others, written: written, now: now, jitter: jitter)
        }
    }

    /// Returns true if a request without a range may succeed instead.
    private func isOfRange(_ failure: TransferFailure) -> Bool {
        switch failure {
        case .wrongRange: true
        // Some servers announce each part but send none of its bytes.
        case .shortBody: asksForRanges && canStartOver && writtenAtLastFailure == 0
        case .network(let error):
            error.kind == .truncated && asksForRanges && canStartOver && writtenAtLastFailure == 0
        default: false
        }
    }

    /// Returns true if only parts beyond some offset may fail: some servers and caches cannot send these.
    /// Only a few bytes are discarded to find out, because the server may recover just before the whole file
    /// is requested.
    private func isOfOffset(_ failure: TransferFailure) -> Bool {
        guard asksForRanges, canStartOver, writtenAtLastFailure > 0,
            writtenAtLastFailure <= SegmentPlan.mostStartedOver
        else { return false }
        return switch failure {
        case .failing, .shortBody: true
        case .busy(let status, nil), .busyForFile(let status, nil): status.code == 503
        case .network(let error): [.lost, .truncated, .badResponse, .other].contains(error.kind)
        default: false
        }
    }

    /// Returns true if a refusal that may be a ban may concern only ranges instead, so that the plain file
    /// should be requested soon. A ban may end just before, so only a few bytes are discarded to find out.
    private func isOfRefusedRange(_ failure: TransferFailure) -> Bool {
        guard asksForRanges, canStartOver, writtenAtLastFailure <= SegmentPlan.mostStartedOver,
            case .refused(let status, _) = failure
        else { return false }
        return RangeRefusal.isPossible(status.code)
    }

    private mutating func retry(
        _ failure: TransferFailure, others: Int, written: Int64, now: Double, jitter: Double,
        limit: Int = .max, mayBeBan: Bool = false
    ) -> Decision {
        if written > writtenAtLastFailure {
            failures = 0
            writtenAtLastFailure = written
            quietUntil = -.infinity
            hasTriedWhole = false
        }
        // Until the delay after a failure has passed, the failures of other connections count as the same
        // outage, so that more connections do not exhaust the budget sooner.
        if isTryingWhole { return .retry(after: policy.delay(failures: failures, jitter: jitter)) }
        let counts = others == 0 && now >= quietUntil
        if counts { failures += failure.retriesUsed }
        // A server that sends wrong ranges may still send the plain file.
        if failures > Self.maximumWrongRanges, isOfRange(failure) { return .singleStream }
        let mayBeOfRange =
            failures > Self.maximumWrongRanges && isOfOffset(failure)
            || failures > maximumRefusals && mayBeBan && isOfRefusedRange(failure)
        if counts, !hasTriedWhole, mayBeOfRange {
            (hasTriedWhole, isTryingWhole) = (true, true)
            return .tryWhole
        }
        if others == 0, policy.refusesWait(of: failure) { return .fail(failure) }
        let most = min(policy.retries, limit)
        let isOutage = policy.retries > 0 && failure.outageSeconds ?? .infinity < policy.longestOutage.seconds
        guard failures <= most || isOutage else {
            // Some servers refuse later ranges, but not the plain file.
            if case .refused(let status, _) = failure, others == 0, RangeRefusal.isPossible(status.code) {
                return .singleStream
            }
            return .fail(failure)
        }
        if counts, failures <= most { lastRetry = Count(number: failures, most: most) }
        let delay = policy.delay(failures: failures, jitter: jitter)
        let wait =
            isOutage ? min(delay, Self.longestDelayOfOutage) : max(delay, failure.waitOfFile ?? 0)
        // The scheduler already makes all of the host's downloads wait; another delay would add to that.
        if case .busy = failure {
            if counts { quietUntil = now + min(wait, policy.delay.seconds) / 2 }
            return .retry(after: 0)
        }
        if counts { quietUntil = now + wait }
        return .retry(after: wait)
    }
}

extension TransferFailure {
    /// The number of retries that the failure counts as.
    fileprivate var retriesUsed: Int {
        if case .network(let error) = self { error.retriesUsed } else { 1 }
    }
}

extension RetryPolicy {
    /// Returns true if a host requests a longer delay than the policy accepts.
    fileprivate func refusesWait(of failure: TransferFailure) -> Bool {
        switch failure {
        case .busy(_, let wait?), .busyForFile(_, let wait?):
            wait > longestRequestedWait?.seconds ?? .infinity
        default: false
        }
    }
}

/// The failures of one download's connections, and the decision on each. A plain value: it counts, it does
/// not wait.
///
/// While one connection works, the failure of another one is not the file's. The budget is about lack of
/// progress: any byte written since the last counted failure restores it.
struct RetryState: Sendable {
    enum Decision: Sendable {
        /// Try again after this many seconds.
        case retry(after: Double)
        /// Ask once for the whole file, because requests behind some offset may be all that fails.
        case tryWhole
        /// Continue without this connection.
        case drop
        /// No connection gets ranges: fetch everything as one stream.
        case singleStream
        /// The remote file is another one: discard the bytes on disk.
        case fileChanged(String)
        case fail(TransferFailure)
    }

    /// The place of a retry in the budget.
    struct Count: Equatable, Sendable {
        /// 1 for the first retry since the last progress.
        var number: Int
        /// The most retries.
        var most: Int
    }

    /// The number of wrong ranges in a row, without progress, that are taken for a mistake that passes; the
    /// number of parts as well that end before their first byte.
    private static let maximumWrongRanges = 2

    /// The longest wait between two tries while a host cannot be reached, in seconds.
    private static let longestDelayOfOutage = 8.0

    private let policy: RetryPolicy
    /// The number of refusals in a row, without progress, that are taken for a temporary one.
    private let maximumRefusals: Int
    /// False if bytes that have been written cannot be taken back.
    private let canStartOver: Bool
    /// True if the requests ask for ranges.
    private let asksForRanges: Bool
    private var failures = 0
    private var writtenAtLastFailure: Int64 = -1
    private var quietUntil = -Double.infinity
    /// True once the whole file was asked for since the last progress.
    private var hasTriedWhole = false
    /// True while that request is under way. Failures of other connections decide nothing then.
    private var isTryingWhole = false
    /// The place of the last retry; `nil` if the last decision was another one, or did not count.
    private(set) var lastRetry: Count?

    /// - Parameters:
    ///   - hasAnswered: True if the server has sent some of the file already: a later refusal may be
    ///     temporary.
    ///   - canStartOver: False if bytes that have been written cannot be taken back.
    ///   - asksForRanges: True if the requests ask for ranges.
    init(
        policy: RetryPolicy, hasAnswered: Bool, canStartOver: Bool = true, asksForRanges: Bool = false
    ) {
        self.policy = policy
        self.asksForRanges = asksForRanges
        self.canStartOver = canStartOver
        maximumRefusals = hasAnswered ? 1 : 0
    }

    /// Counts retries that the caller has made without a decision, after failures of the first request.
    mutating func countRetries(_ count: Int) {
        guard count > 0 else { return }
        writtenAtLastFailure = max(writtenAtLastFailure, 0)
        failures += count
    }

    /// The request for the whole file has ended; its failure is the next one.
    mutating func triedWhole() {
        isTryingWhole = false
    }

    /// Counts a failure, and returns what follows it.
    ///
    /// - Parameters:
    ///   - others: The number of other connections of this download that are at work.
    ///   - written: Bytes on disk now.
    ///   - now: Seconds on a clock that never jumps.
    ///   - jitter: A random number from 0 to 1.
    mutating func decide(
        _ failure: TransferFailure, others: Int, written: Int64, now: Double, jitter: Double
    ) -> Decision {
        lastRetry = nil
        switch failure {
        // The responses that are under way are of one version, and the first one may hold all of it.
        case .changed where !canStartOver && others > 0:
            return .drop
        case .changed(let what):
            return .fileChanged(what)
        case .storage, .directory, .mixedUp, .other:
            return .fail(failure)
        case .refused, .signatureRefused, .redirect, .page, .encoded:
            if others > 0 { return .drop }
            return retry(
                failure, others: others, written: written, now: now, jitter: jitter, limit: maximumRefusals)
        case .proxyRefused(let status) where status.code < 500:
            if others > 0 { return .drop }
            return retry(
                failure, others: others, written: written, now: now, jitter: jitter, limit: maximumRefusals)
        case .rangeIgnored:
            guard others > 0 else { return .singleStream }
            // The others may bring what it lacked; if not, the next failure leads to another try.
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

    /// Returns true if a request without a range may have another answer.
    private func isOfRange(_ failure: TransferFailure) -> Bool {
        switch failure {
        case .wrongRange: true
        // Of a server that announces each part and sends none of its bytes.
        case .shortBody: asksForRanges && canStartOver && writtenAtLastFailure == 0
        case .network(let error):
            error.kind == .truncated && asksForRanges && canStartOver && writtenAtLastFailure == 0
        default: false
        }
    }

    /// Returns true if the failure may be that of parts behind some offset, which some servers and caches
    /// cannot send: others have come. Only few bytes are given up for that: the server may have recovered
    /// just when it is asked for the whole.
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

    private mutating func retry(
        _ failure: TransferFailure, others: Int, written: Int64, now: Double, jitter: Double,
        limit: Int = .max
    ) -> Decision {
        if written > writtenAtLastFailure {
            failures = 0
            writtenAtLastFailure = written
            quietUntil = -.infinity
            hasTriedWhole = false
        }
        // Until the wait after a failure is over, the failures of other connections are of the same outage:
        // it must not use up the budget sooner because there are more connections.
        if isTryingWhole { return .retry(after: policy.delay(failures: failures, jitter: jitter)) }
        let counts = others == 0 && now >= quietUntil
        if counts { failures += 1 }
        // A server that lies about ranges may still send the plain file.
        if failures > Self.maximumWrongRanges, isOfRange(failure) { return .singleStream }
        if counts, failures > Self.maximumWrongRanges, !hasTriedWhole, isOfOffset(failure) {
            (hasTriedWhole, isTryingWhole) = (true, true)
            return .tryWhole
        }
        if others == 0, policy.refusesWait(of: failure) { return .fail(failure) }
        let most = min(policy.retries, limit)
        let isOutage = policy.retries > 0 && failure.outageSeconds ?? .infinity < policy.longestOutage.seconds
        guard failures <= most || isOutage else {
            // Some servers refuse later ranges, and not the plain file.
            if case .refused(let status, _) = failure, others == 0, RangeRefusal.isPossible(status.code) {
                return .singleStream
            }
            return .fail(failure)
        }
        if counts, failures <= most { lastRetry = Count(number: failures, most: most) }
        let delay = policy.delay(failures: failures, jitter: jitter)
        let wait =
            isOutage ? min(delay, Self.longestDelayOfOutage) : max(delay, failure.waitOfFile ?? 0)
        // The scheduler makes all of the host's downloads wait already; one more pause would add to that.
        if case .busy = failure {
            if counts { quietUntil = now + min(wait, policy.delay.seconds) / 2 }
            return .retry(after: 0)
        }
        if counts { quietUntil = now + wait }
        return .retry(after: wait)
    }
}

extension RetryPolicy {
    /// Returns true if a host asks for a longer wait than is accepted.
    fileprivate func refusesWait(of failure: TransferFailure) -> Bool {
        switch failure {
        case .busy(_, let wait?), .busyForFile(_, let wait?):
            wait > longestRequestedWait?.seconds ?? .infinity
        default: false
        }
    }
}

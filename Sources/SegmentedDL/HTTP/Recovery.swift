/// What follows a connection's failure. A plain value: it counts, it does not wait.
///
/// While one connection works, another's failure is not the file's. The budget is about lack of progress:
/// any byte written since the last counted failure restores it.
struct Recovery: Sendable {
    enum Decision: Sendable {
        /// Try again after so many seconds.
        case retry(after: Double)
        /// Do without this connection.
        case drop
        /// No connection gets ranges: fetch everything as one stream.
        case singleStream
        /// The remote file is another one: throw away what is there.
        case startOver(String)
        case fail(TransferFailure)
    }

    /// How many wrong ranges in a row, without progress, are taken for a mistake that passes.
    private static let wrongRanges = 2

    private let policy: RetryPolicy
    /// How many refusals in a row, without progress, are taken for one that passes.
    private let refusals: Int
    private var failures = 0
    private var writtenAtLastFailure: Int64 = -1
    private var quietUntil = -Double.infinity

    /// - Parameter hasAnswered: Whether the server has sent some of the file already: what it refuses then may pass.
    init(policy: RetryPolicy, hasAnswered: Bool) {
        self.policy = policy
        refusals = hasAnswered ? 1 : 0
    }

    /// - Parameters:
    ///   - others: How many other connections of this download are at work.
    ///   - written: Bytes on disk now.
    ///   - now: Seconds on a clock that never jumps.
    ///   - jitter: A random number from 0 to 1.
    mutating func decide(
        _ failure: TransferFailure, others: Int, written: Int64, now: Double, jitter: Double
    ) -> Decision {
        switch failure {
        case .changed(let what):
            return .startOver(what)
        case .storage, .other:
            return .fail(failure)
        case .refused, .signatureRefused, .redirect, .encoded:
            if others > 0 { return .drop }
            return retry(failure, others: others, written: written, now: now, jitter: jitter, limit: refusals)
        case .rangeIgnored:
            return others > 0 ? .drop : .singleStream
        case .network(let error) where error.kind == .tls || error.kind == .setting:
            return .fail(failure)
        case .network, .busy, .wrongRange, .failing, .shortBody, .unproven:
            return retry(failure, others: others, written: written, now: now, jitter: jitter)
        }
    }

    private mutating func retry(
        _ failure: TransferFailure, others: Int, written: Int64, now: Double, jitter: Double,
        limit: Int = .max
    ) -> Decision {
        if written > writtenAtLastFailure {
            failures = 0
            writtenAtLastFailure = written
        }
        // Connections that fail together are one failure of the download, not several.
        if others == 0, now >= quietUntil { failures += 1 }
        // A server that lies about ranges may still send the plain file.
        if case .wrongRange = failure, failures > Self.wrongRanges { return .singleStream }
        guard failures <= min(policy.retries, limit) else { return .fail(failure) }
        let steps = Double(1 << min(max(failures - 1, 0), 16))
        let wait = min(policy.delay * steps, policy.longestDelay) * (0.5 + jitter / 2)
        quietUntil = max(quietUntil, now + min(wait, policy.delay) / 2)
        // The scheduler already makes all of the host's downloads wait; one more pause would add to that.
        if case .busy = failure { return .retry(after: 0) }
        return .retry(after: wait)
    }
}

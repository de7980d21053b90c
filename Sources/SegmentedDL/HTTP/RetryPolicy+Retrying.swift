internal import Logging
import SegmentedDLSupport

extension RetryPolicy {
    /// Returns the seconds to wait after a number of consecutive failures.
    ///
    /// - Parameters:
    ///   - first: Seconds after the first failure; `nil` for the policy's own delay.
    ///   - jitter: A number from 0 to 1; 0 halves the delay, and 1 leaves it unchanged.
    package func delay(failures: Int, from first: Double? = nil, jitter: Double = 1) -> Double {
        let doublings = Double(1 << min(max(failures - 1, 0), 16))
        return min((first ?? delay.seconds) * doublings, longestDelay.seconds) * (0.5 + jitter / 2)
    }

    /// The policy for a source while another one can be tried instead.
    var hurried: RetryPolicy {
        var policy = self
        policy.retries = min(retries, 1)
        policy.longestOutage = .zero
        return policy
    }

    /// Runs `body`, retries it after each transient failure with a delay, and logs each retry.
    ///
    /// - Parameters:
    ///   - client: The client that `body` sends its requests with; `nil` for no log.
    ///   - hasAnswered: See `RetryState`.
    ///   - made: The retries that `body` itself has made so far, which count against the budget.
    ///   - written: The bytes that have arrived so far: progress restores the budget.
    ///   - mayRetry: Returns false if `body` can no longer be repeated.
    /// - Throws: The first failure that is not retried, and any error of `body` that is not a
    ///   `TransferFailure`.
    func retrying<Result>(
        for client: SourceClient? = nil, hasAnswered: Bool, made: () -> Int = { 0 },
        written: () -> Int64 = { 0 },
        while mayRetry: () -> Bool = { true }, _ body: () async throws -> Result
    ) async throws -> Result {
        var state = RetryState(policy: self, hasAnswered: hasAnswered)
        var counted = 0
        while true {
            do {
                return try await body()
            } catch let failure as TransferFailure {
                state.countRetries(made() - counted)
                counted = made()
                let decision = state.decide(
                    failure, others: 0, written: written(), now: Monotonic.now(), jitter: .random(in: 0...1))
                if case .fail = decision { client?.gaveUp(after: failure) }
                guard case .retry(var wait) = decision, mayRetry(),
                    failure.waitOfFile ?? 0 <= client?.patienceSeconds ?? .infinity
                else { throw failure }
                // Such a request does not make the scheduler pause the host.
                if client?.isApart ?? false, case .busy = failure {
                    wait = max(delay(failures: 1), failure.requestedDelay ?? 0)
                }
                if let client {
                    client.counters.retried()
                    client.logger.tell(
                        .retries(
                            failure, of: client.source, after: wait, state.lastRetry,
                            isAtStart: !hasAnswered))
                }
                try await (client?.counters ?? TransferCounters()).wait(seconds: wait)
            }
        }
    }
}

/// The retries of one file, where they differ from the configuration.
package struct FileTries: Sendable, Hashable, Codable {
    /// The number of attempts, including the first; 0 for no limit, `nil` for the configuration's.
    package var count: Int?
    /// The constant delay between two attempts, in seconds; `nil` for the configuration's.
    package var wait: Int?

    package init(count: Int? = nil, wait: Int? = nil) {
        self.count = count
        self.wait = wait
    }

    /// Returns a policy with these attempts.
    package func applied(to policy: RetryPolicy) -> RetryPolicy {
        var policy = policy
        if let count {
            policy.retries = count == 0 ? .max : count - 1
            policy.retriesAtStart = min(policy.retriesAtStart ?? .max, policy.retries)
        }
        if let wait {
            policy.delay = .seconds(wait)
            policy.longestDelay = policy.delay
        }
        return policy
    }
}

/// The tries of one file, where they differ from those of the configuration.
package struct FileTries: Sendable, Hashable, Codable {
    /// The number of tries, the first one among them; 0 for no bound, `nil` for that of the configuration.
    package var count: Int?
    /// Seconds between two tries, which do not grow; `nil` for those of the configuration.
    package var wait: Int?

    package init(count: Int? = nil, wait: Int? = nil) {
        self.count = count
        self.wait = wait
    }

    /// Returns a policy with these tries.
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

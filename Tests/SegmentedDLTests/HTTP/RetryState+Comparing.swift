@testable import SegmentedDL

extension RetryState.Decision {
    /// Seconds to wait before a retry; `nil` without one.
    var wait: Double? {
        if case .retry(let wait) = self { wait } else { nil }
    }

    /// The name of the decision without its associated values.
    var name: String {
        switch self {
        case .retry: "retry"
        case .drop: "drop"
        case .tryWhole: "try whole"
        case .singleStream: "single stream"
        case .fileChanged: "start over"
        case .fail: "fail"
        }
    }
}

extension RetryPolicy {
    /// Five retries, the first one after a second.
    static var five: RetryPolicy {
        var policy = RetryPolicy()
        policy.retries = 5
        policy.delay = .seconds(1)
        return policy
    }
}

import SegmentedDLSupport

/// A token bucket: how many bytes may pass per second.
struct TokenBucket: Sendable {
    /// Bytes per second; `nil` lets everything pass.
    private(set) var rate: Int64?
    private var tokens = 0.0
    private var filledAt: Double?

    init(rate: Int64?) {
        self.rate = rate
    }

    /// Seconds on the caller's clock from which on a byte may pass; `nil` if it may now.
    mutating func waits(now: Double) -> Double? {
        guard let rate else { return nil }
        fill(rate: rate, now: now)
        return tokens > 0 ? nil : now + (1 - tokens) / Double(rate)
    }

    /// Takes bytes out; the bucket may go below zero, and later bytes wait for it.
    mutating func spend(_ bytes: Int, now: Double) {
        guard let rate else { return }
        fill(rate: rate, now: now)
        tokens -= Double(bytes)
    }

    mutating func setRate(_ rate: Int64?, now: Double) {
        if let old = self.rate { fill(rate: old, now: now) }
        self.rate = rate
        tokens = min(tokens, 0)
        filledAt = now
    }

    /// At most a twentieth of a second is saved up, so that a pause is not followed by a burst.
    private mutating func fill(rate: Int64, now: Double) {
        let elapsed = now - (filledAt ?? now)
        filledAt = now
        tokens = min(tokens + elapsed * Double(rate), max(Double(rate) / 20, 1))
    }
}

/// A token bucket that several connections share.
final class RateLimiter: Sendable {
    private let bucket: Lock<TokenBucket>
    /// When a byte was held back last.
    private let held = Lock(-Double.infinity)

    /// - Parameter rate: Bytes per second, at least 1; `nil` for no limit.
    init(rate: Int64?) {
        bucket = Lock(TokenBucket(rate: rate))
    }

    /// Whether it held a byte back in the last seconds.
    func hasHeld(within seconds: Double, now: Double) -> Bool {
        held.withLock { now - $0 < seconds }
    }

    var isLimited: Bool { bucket.withLock { $0.rate != nil } }

    func waits(now: Double) -> Double? {
        let ready = bucket.withLock { $0.waits(now: now) }
        if ready != nil { held.withLock { $0 = now } }
        return ready
    }

    func spend(_ bytes: Int, now: Double) {
        bucket.withLock { $0.spend(bytes, now: now) }
    }

    func setRate(_ rate: Int64?) {
        bucket.withLock { $0.setRate(rate, now: Monotonic.now()) }
    }
}

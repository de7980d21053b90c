import SegmentedDLSupport

/// A token bucket: lets a number of bytes pass per second.
struct TokenBucket: Sendable {
    /// Bytes per second; `nil` lets everything pass.
    private(set) var rate: Int64?
    private var tokens = 0.0
    private var filledAt: Double?

    init(rate: Int64?) {
        self.rate = rate
    }

    /// The moment on the caller's clock from which on a byte may pass; `nil` if one may pass now.
    mutating func waits(now: Double) -> Double? {
        guard let rate else { return nil }
        fill(rate: rate, now: now)
        return tokens > 0 ? nil : now + (1 - tokens) / Double(rate)
    }

    /// Takes bytes out. The bucket may fall below zero; later bytes wait until it is filled again.
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

    /// Adds the tokens of the time that has passed, at most those of a twentieth of a second, so that no
    /// burst follows a pause.
    private mutating func fill(rate: Int64, now: Double) {
        let elapsed = now - (filledAt ?? now)
        filledAt = now
        tokens = min(tokens + elapsed * Double(rate), max(Double(rate) / 20, 1))
    }
}

/// A token bucket that several connections share.
final class RateLimiter: Sendable {
    private let bucket: Lock<TokenBucket>
    /// The moment at which it last held a byte back.
    private let held = Lock(-Double.infinity)

    /// - Parameter rate: Bytes per second, at least 1; `nil` for no limit.
    init(rate: Int64?) {
        bucket = Lock(TokenBucket(rate: rate))
    }

    /// True if it held a byte back in the last `seconds`.
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

import SegmentedDLSupport

/// A token bucket that limits the bytes per second.
struct TokenBucket: Sendable {
    /// Bytes per second; `nil` for no limit.
    private(set) var rate: Int64?
    private var tokens = 0.0
    private var filledAt: Double?

    init(rate: Int64?) {
        self.rate = rate
    }

    /// The time on the caller's clock from which a byte may pass; `nil` if one may pass now.
    mutating func waits(now: Double) -> Double? {
        guard let rate else { return nil }
        fill(rate: rate, now: now)
        return tokens > 0 ? nil : now + (1 - tokens) / Double(rate)
    }

    /// Removes tokens. The bucket may fall below zero; later bytes wait until it is refilled.
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

    /// Adds the tokens for the elapsed time, at most a twentieth of a second's worth, so that no burst
    /// follows a pause.
    private mutating func fill(rate: Int64, now: Double) {
        let elapsed = now - (filledAt ?? now)
        filledAt = now
        tokens = min(tokens + elapsed * Double(rate), max(Double(rate) / 20, 1))
    }
}

/// A speed cap that has held bytes back.
struct RateCap: Hashable, Sendable {
    var bytesPerSecond: Int64
    /// True if it is a cap on one file, false if it is one on all.
    var isOfFile: Bool
}

/// A token bucket that several connections share.
final class RateLimiter: Sendable {
    private struct State: Sendable {
        var bucket: TokenBucket
        var turns = TurnQueue()
    }

    /// The interval at which a transfer polls for its turn.
    private static let turnSeconds = 0.001
    /// The maximum interval between polls, because the rate may change in between.
    fileprivate static let longestWaitSeconds = 0.25
    /// The length of a turn, as a fraction of a second at the capped rate.
    private static let turnsPerSecond: Int64 = 50

    private let state: Lock<State>
    /// The time until which it last held bytes back.
    private let held = Lock(-Double.infinity)

    private let isOfFile: Bool

    /// - Parameters:
    ///   - rate: Bytes per second, at least 1; `nil` for no limit.
    ///   - isOfFile: True if the limit applies to one file.
    init(rate: Int64?, isOfFile: Bool = false) {
        self.isOfFile = isOfFile
        state = Lock(State(bucket: TokenBucket(rate: rate)))
    }

    /// True if it holds bytes back, or did in the last `seconds`.
    func hasHeld(within seconds: Double, now: Double) -> Bool {
        held.withLock { now - $0 < seconds }
    }

    /// The cap, if it holds bytes back, or did in the last `seconds`.
    func cap(heldWithin seconds: Double, now: Double) -> RateCap? {
        guard hasHeld(within: seconds, now: now), let rate = state.withLock({ $0.bucket.rate }) else {
            return nil
        }
        return RateCap(bytesPerSecond: rate, isOfFile: isOfFile)
    }

    var isLimited: Bool { state.withLock { $0.bucket.rate != nil } }

    /// Returns the time at which a transfer may poll again; `nil` if it may receive bytes now.
    ///
    /// - Parameter id: The number of the transfer.
    func waits(_ id: Int, now: Double) -> Double? {
        let ready: Double? = state.withLock { state in
            guard let rate = state.bucket.rate else { return nil }
            if let ready = state.bucket.waits(now: now) {
                state.turns.wait(id, now: now)
                return ready
            }
            let turn = Int(clamping: rate / Self.turnsPerSecond)
            return state.turns.mayPass(id, for: turn, now: now) ? nil : now + Self.turnSeconds
        }
        if let ready { held.withLock { $0 = max($0, ready) } }
        return ready
    }

    /// The bytes per second that each of the transfers under the cap receives; `nil` for no limit.
    fileprivate func share(now: Double) -> Double? {
        state.withLock { state in
            state.bucket.rate.map { Double($0) / Double(max(1, state.turns.count(now: now))) }
        }
    }

    func spend(_ bytes: Int, by id: Int, now: Double) {
        state.withLock { state in
            state.bucket.spend(bytes, now: now)
            state.turns.spend(bytes, by: id)
        }
    }

    func setRate(_ rate: Int64?) {
        let now = Monotonic.now()
        state.withLock { $0.bucket.setRate(rate, now: now) }
        held.withLock { $0 = min($0, now) }
    }
}

/// The limit of one file, followed by that of all files: the transfers of a file take turns at the former,
/// and the files at the latter. If each transfer took turns at both, two transfers of one file could each
/// hold one turn and wait for the other's forever.
extension [RateLimiter] {
    /// Returns the time at which a transfer may poll again; `nil` if it may receive bytes now.
    ///
    /// - Parameter id: The number of the transfer.
    func waits(_ id: Int, now: Double) -> Double? {
        var passed: [(limiter: RateLimiter, id: Int)] = []
        var id = id
        for limiter in self {
            if let time = limiter.waits(id, now: now) {
                let ready = Swift.min(time, now + RateLimiter.longestWaitSeconds)
                // It keeps its turn at limiters that have already granted it one, without polling them.
                for (limiter, id) in passed { limiter.expect(id, at: ready) }
                return ready
            }
            passed.append((limiter, id))
            id = limiter.number(for: id)
        }
        return nil
    }

    /// The bytes per second that a transfer receives at most; `nil` for no limit.
    func share(now: Double) -> Double? { lazy.compactMap { $0.share(now: now) }.min() }

    func spend(_ bytes: Int, by id: Int, now: Double) {
        var id = id
        for limiter in self {
            limiter.spend(bytes, by: id, now: now)
            id = limiter.number(for: id)
        }
    }
}

extension RateLimiter {
    fileprivate func expect(_ id: Int, at time: Double) {
        state.withLock { $0.turns.wait(id, now: time) }
    }

    /// Returns the number of a transfer at the next limiter.
    fileprivate func number(for id: Int) -> Int {
        // An object's address never equals a transfer's number.
        isLimited ? Int(bitPattern: ObjectIdentifier(self)) : id
    }
}

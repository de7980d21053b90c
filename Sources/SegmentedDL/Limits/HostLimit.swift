/// One host's own limit on connections, as far as it is known.
struct HostLimit: Equatable, Sendable {
    /// The time without a refusal after which one more connection is tried.
    static let recoverySeconds = 10.0
    /// The longest time without a refusal that is waited for before one more is tried.
    static let maximumRecoverySeconds = 300.0
    /// The longest pause that the host has not asked for.
    static let maximumPauseSeconds = 30.0
    /// The pause that follows any refusal, whatever the host says: it does not want to be asked again as fast
    /// as it answers, even if it sends "Retry-After: 0".
    static let minimumPauseSeconds = 0.2

    /// The learnt cap; `nil` while the host has refused no connection.
    private(set) var cap: Int?
    /// No connection is opened before this time.
    private(set) var pausedUntil = 0.0
    private var lastChange = 0.0
    private var pauseSeconds = 1.0
    private var recoverAfterSeconds = Self.recoverySeconds

    /// Learns that the host refused a connection while `open` others were held.
    mutating func refused(whileOpen open: Int, retryAfter: Double?, now: Double) {
        let learnt = max(1, open)
        // A refusal soon after a careful step up means that the cap was right: be slower next time.
        if let cap, learnt >= cap {
            recoverAfterSeconds = min(recoverAfterSeconds * 2, Self.maximumRecoverySeconds)
        }
        cap = min(cap ?? learnt, learnt)
        // Count from the end of the pause: no refusal during it proves nothing.
        lastChange = now + (retryAfter ?? 0)
        if let retryAfter {
            pausedUntil = max(pausedUntil, now + max(retryAfter, Self.minimumPauseSeconds))
        } else if open == 0 {
            // Not even one connection is accepted: wait longer each time.
            if now >= pausedUntil {
                pausedUntil = now + pauseSeconds
                pauseSeconds = min(pauseSeconds * 2, Self.maximumPauseSeconds)
            }
        } else {
            pausedUntil = max(pausedUntil, now + Self.minimumPauseSeconds)
        }
    }

    /// Learns that the host sent bytes.
    mutating func worked() {
        pauseSeconds = 1
    }

    /// Raises the cap by one if the host has refused nothing for long enough, counted from the end of a
    /// pause.
    mutating func recover(upTo setting: Int, now: Double) {
        guard let cap, now - lastChange >= recoverAfterSeconds else { return }
        self.cap = cap + 1 >= setting ? nil : cap + 1
        lastChange = now
    }

    /// The number of connections that it may have now, at most as many as the settings allow.
    func allowance(upTo setting: Int, now: Double) -> Int {
        now < pausedUntil ? 0 : min(cap ?? setting, setting)
    }

    /// The moment at which the allowance may change by itself; `nil` if it will not.
    func nextChange(now: Double) -> Double? {
        if now < pausedUntil { return pausedUntil }
        return cap == nil ? nil : lastChange + recoverAfterSeconds
    }
}

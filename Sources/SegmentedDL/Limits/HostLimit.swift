/// What is known of one host's own limit on connections.
struct HostLimit: Equatable, Sendable {
    /// Seconds without a refusal after which one more connection is tried.
    static let recovery = 10.0
    /// The longest pause in seconds that is made without the host asking for it.
    static let longestPause = 30.0
    /// Seconds that follow any refusal, whatever the host says: a "Retry-After: 0" is no wish to be asked
    /// again and again as fast as it answers.
    static let shortestPause = 0.2

    /// The learnt cap; `nil` while the host has refused nothing.
    private(set) var cap: Int?
    /// No connection is opened before this time.
    private(set) var pausedUntil = 0.0
    private var lastChange = 0.0
    private var pause = 1.0
    private var recoverAfter = Self.recovery

    /// The host refused a connection while `open` others were held.
    mutating func refused(whileOpen open: Int, retryAfter: Double?, now: Double) {
        let learnt = max(1, open)
        // A refusal soon after a careful step up means that the cap was right: be slower next time.
        if let cap, learnt >= cap { recoverAfter = min(recoverAfter * 2, 300) }
        cap = min(cap ?? learnt, learnt)
        // During a pause that was asked for, quiet proves nothing.
        lastChange = now + (retryAfter ?? 0)
        if let retryAfter {
            pausedUntil = max(pausedUntil, now + max(retryAfter, Self.shortestPause))
        } else if open == 0 {
            // Nothing gets through: wait longer each time.
            if now >= pausedUntil {
                pausedUntil = now + pause
                pause = min(pause * 2, Self.longestPause)
            }
        } else {
            pausedUntil = max(pausedUntil, now + Self.shortestPause)
        }
    }

    /// The host sent bytes.
    mutating func worked() {
        pause = 1
    }

    /// Takes the cap up by one when it has been quiet for long enough, counted from the end of a pause.
    mutating func recover(upTo setting: Int, now: Double) {
        guard let cap, now - lastChange >= recoverAfter else { return }
        self.cap = cap + 1 >= setting ? nil : cap + 1
        lastChange = now
    }

    /// How many connections it may have now, out of what the settings allow.
    func allowance(upTo setting: Int, now: Double) -> Int {
        now < pausedUntil ? 0 : min(cap ?? setting, setting)
    }

    /// When the allowance may next change by itself; `nil` if it will not.
    func nextChange(now: Double) -> Double? {
        if now < pausedUntil { return pausedUntil }
        return cap == nil ? nil : lastChange + recoverAfter
    }
}

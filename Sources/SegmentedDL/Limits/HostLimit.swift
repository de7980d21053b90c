/// One host's own limits on connections and on the request rate, as far as known.
///
/// A refusal while other connections are open is treated as a limit on connections. A refusal of the only
/// connection, by a host that has just served another request, is treated as a request rate limit: requests
/// are then spaced out, a little less with each success and more with each refusal.
struct HostLimit: Equatable, Sendable {
    /// The time without a refusal before one more connection is tried.
    static let recoverySeconds = 10.0
    /// The maximum of that time, after repeated refusals.
    static let maximumRecoverySeconds = 300.0
    /// The maximum length of a pause that the host has not requested.
    static let maximumPauseSeconds = 30.0
    /// The minimum pause after any refusal: retries must not be immediate, even if the host sends
    /// "Retry-After: 0".
    static let minimumPauseSeconds = 0.2

    /// The same as `recoverySeconds`, for a host with a request rate limit.
    private static let pacedRecoverySeconds = 1.0
    /// The interval between requests after the first such refusal.
    private static let firstInterval = 0.02
    /// The range of the interval between requests: a shorter one counts as none.
    private static let intervals = 0.005...30
    /// The factors of the interval between requests for a refusal and for a success: at a limit of 20
    /// requests a second they use nine tenths of it.
    private static let intervalFactors = (refusal: 1.25, success: 0.99)
    /// Refusals within this time after a counted one belong to simultaneous requests, and do not count.
    private static let refusalSpanSeconds = 0.3

    /// The learned cap; `nil` while the host has refused no connection.
    private(set) var cap: Int?
    /// No connection is opened before this time.
    private(set) var pausedUntil = 0.0
    private var lastChange = 0.0
    private var pauseSeconds = 1.0
    private var recoverAfterSeconds = Self.recoverySeconds
    /// Seconds between requests; `nil` while the host has no known rate limit.
    private(set) var interval: Double?
    private var lastIntervalChange = -Double.infinity
    /// True if the host has served a request since its last refusal.
    private var hasWorked = false
    /// The number of requests that the host accepts until a time, as it announced; `nil` if it announced
    /// nothing.
    private var quota: Quota?
    /// The end of the last window that `takeQuotaDelay` returned.
    private var reportedWindow = -Double.infinity

    private struct Quota: Equatable, Sendable {
        var left: Int
        let until: Double
    }

    /// The maximum pause for a quota before any refusal, so that a wrong announcement costs no more than
    /// this.
    static let maximumQuotaSeconds = 300.0
    /// The ends of one window differ by up to this much between responses, because they are in whole seconds.
    private static let windowSlack = 2.0

    /// Records that the host refused a connection while `open` others were held.
    ///
    /// - Parameter isAnswer: False if the host sent no response.
    mutating func refused(whileOpen open: Int, retryAfter: Double?, isAnswer: Bool = true, now: Double) {
        let isOfRate = isAnswer && retryAfter == nil && hasWorked && (open == 0 || interval != nil)
        hasWorked = false
        let learnt = max(1, open)
        if isOfRate {
            if open > 0 { cap = min(cap ?? learnt, learnt) }
            return slowDown(now: now)
        }
        // A refusal soon after the cap was raised by one means that it was right: raise it more slowly.
        if let cap, learnt >= cap {
            recoverAfterSeconds = min(recoverAfterSeconds * 2, Self.maximumRecoverySeconds)
        }
        cap = min(cap ?? learnt, learnt)
        // Count from the end of the pause, because the absence of refusals during a pause proves nothing.
        lastChange = now + (retryAfter ?? 0)
        if let retryAfter {
            pausedUntil = max(pausedUntil, now + max(retryAfter, Self.minimumPauseSeconds))
        } else if open == 0 {
            // The host does not accept even one connection: wait longer each time.
            if now >= pausedUntil {
                pausedUntil = now + pauseSeconds
                pauseSeconds = min(pauseSeconds * 2, Self.maximumPauseSeconds)
            }
        } else {
            pausedUntil = max(pausedUntil, now + Self.minimumPauseSeconds)
        }
    }

    private mutating func slowDown(now: Double) {
        lastChange = now
        if now >= lastIntervalChange + Self.refusalSpanSeconds {
            lastIntervalChange = now
            interval = min(
                interval.map { $0 * Self.intervalFactors.refusal } ?? Self.firstInterval,
                Self.intervals.upperBound)
        }
        pausedUntil = max(pausedUntil, now + max(Self.minimumPauseSeconds, 2 * (interval ?? 0)))
    }

    /// Records that the host could not be reached: during an outage, or while it bans this program, the
    /// absence of refusals proves nothing.
    mutating func lost(now: Double) {
        lastChange = max(lastChange, now)
    }

    /// Records that a request is about to be sent.
    mutating func granted(now: Double) {
        if let interval { pausedUntil = max(pausedUntil, now + interval) }
        _ = grantedAgain(now: now)
    }

    /// Counts a request against the quota. Over an open connection, only the quota limits requests.
    ///
    /// - Returns: False if the quota is exhausted.
    mutating func grantedAgain(now: Double) -> Bool {
        guard let known = quota, now < known.until else { return true }
        guard known.left > 0 else { return false }
        quota?.left = known.left - 1
        if known.left == 1 { pausedUntil = max(pausedUntil, known.until) }
        return true
    }

    /// Records the request rate limit that the host announces.
    mutating func told(_ said: RequestQuota, now: Double) {
        guard said.resetSeconds > 0, said.resetSeconds <= Self.maximumQuotaSeconds else { return }
        let until = now + said.resetSeconds
        var known = Quota(left: said.left, until: until)
        // Requests in flight are not counted in a response.
        if let quota, now < quota.until, until <= quota.until + Self.windowSlack {
            known = Quota(left: min(quota.left, said.left), until: max(until, quota.until))
        }
        quota = known
        if known.left <= 0 { pausedUntil = max(pausedUntil, known.until) }
    }

    /// Returns the seconds until an exhausted quota is renewed, once for each window; otherwise `nil`.
    mutating func takeQuotaDelay(now: Double) -> Double? {
        guard let quota, quota.left <= 0, now < quota.until, quota.until > reportedWindow + Self.windowSlack
        else { return nil }
        reportedWindow = quota.until
        return quota.until - now
    }

    /// Records that the host sent bytes.
    mutating func worked() {
        pauseSeconds = 1
        hasWorked = true
        if let interval {
            let shorter = interval * Self.intervalFactors.success
            self.interval = shorter < Self.intervals.lowerBound ? nil : shorter
        }
    }

    /// Raises the cap by one after a long enough time without refusals since the end of the last pause.
    mutating func recover(upTo setting: Int, now: Double) {
        guard let cap, now - lastChange >= recoverySeconds else { return }
        self.cap = cap + 1 >= setting ? nil : cap + 1
        lastChange = now
    }

    private var recoverySeconds: Double {
        interval == nil ? recoverAfterSeconds : Self.pacedRecoverySeconds
    }

    /// The number of connections allowed now, within the limits of the settings.
    func allowance(upTo setting: Int, now: Double) -> Int {
        now < pausedUntil ? 0 : min(cap ?? setting, setting)
    }

    /// The time at which the allowance may change by itself; `nil` if it will not.
    func nextChange(now: Double) -> Double? {
        if now < pausedUntil { return pausedUntil }
        return cap == nil ? nil : lastChange + recoverySeconds
    }
}

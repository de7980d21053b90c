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
    /// The number of files refused at their first request, without any success, after which the first
    /// request of a further file waits only for the minimum pause.
    static let mostDoubtfulFiles = 8

    /// The first pause after the refusal of an only connection.
    private static let firstPauseSeconds = 1.0
    /// The maximum length of such a pause of a host that serves some requests per second.
    private static let pacedPauseSeconds = 4.0
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

    /// The factor of all pauses that the host has not requested: less than 1 for an in-memory server.
    private let pauseFactor: Double
    /// The learned cap; `nil` while the host has refused no connection.
    private(set) var cap: Int?
    /// The end of the pause after the last refusal.
    private var restsUntil = 0.0
    /// The end of the pauses that the host has requested.
    private var statedUntil = 0.0
    /// The end of the interval after the last request.
    private var spacedUntil = 0.0
    private var lastChange = 0.0
    /// The last pause that the host did not request, since it last sent bytes; 0 for none.
    private var pauseSeconds = 0.0
    /// The same for a host that sends "Retry-After: 0".
    private var unstatedSeconds = 0.0
    /// The files refused at their first request since the host sent bytes.
    private var refusedFiles = 0
    private var recoverAfterSeconds = Self.recoverySeconds
    /// Seconds between requests; `nil` while the host has no known rate limit.
    private(set) var interval: Double?
    private var lastIntervalChange = -Double.infinity
    /// True if the host has served a request since its last refusal.
    private var hasWorked = false
    /// The quotas that the host announces.
    private(set) var quotas = HostQuotas()

    init(pauseFactor: Double = 1) {
        self.pauseFactor = pauseFactor
    }

    private var minimumPause: Double { Self.minimumPauseSeconds * pauseFactor }

    /// No connection is opened before this time.
    var pausedUntil: Double { pausedUntil(of: "") }

    /// No connection is opened before this time for a request of a group (`HostQuotas`).
    func pausedUntil(of group: String) -> Double {
        max(restsUntil, spacedUntil, quotas.pausedUntil(of: group))
    }

    /// The end of the pause that the host requested or caused, not counting the wait for the responses to
    /// requests that may use up its quota.
    var requestedPauseUntil: Double { requestedPauseUntil(of: "") }

    /// The same for a request of a group.
    func requestedPauseUntil(of group: String) -> Double {
        max(restsUntil, spacedUntil, quotas.statedUntil(of: group))
    }

    /// The end of the pause that the host itself has requested for a group, at once or by its quota.
    func statedUntil(of group: String) -> Double { max(statedUntil, quotas.statedUntil(of: group)) }

    /// Records that the host refused a connection while `open` others were held.
    ///
    /// - Parameters:
    ///   - isAnswer: False if the host sent no response.
    ///   - isFirstOfFile: True if the host has not refused the file before.
    mutating func refused(
        whileOpen open: Int, retryAfter: Double?, isAnswer: Bool = true, isFirstOfFile: Bool = false,
        now: Double
    ) {
        let statesWait = retryAfter ?? 0 >= Self.minimumPauseSeconds
        let isOfRate = isAnswer && !statesWait && hasWorked && (open == 0 || interval != nil)
        hasWorked = false
        if isFirstOfFile { refusedFiles += 1 }
        let learnt = max(1, open)
        if isOfRate {
            if open > 0 { cap = min(cap ?? learnt, learnt) }
            return slowDown(now: now)
        }
        // A refusal soon after the cap was raised by one means that the earlier cap was right: raise it more
        // slowly.
        if let cap, learnt >= cap {
            recoverAfterSeconds = min(recoverAfterSeconds * 2, Self.maximumRecoverySeconds)
        }
        cap = min(cap ?? learnt, learnt)
        // Count from the end of the pause, because the absence of refusals during a pause proves nothing.
        lastChange = now + (retryAfter ?? 0)
        if let retryAfter {
            let pause = statesWait ? retryAfter : nextUnstatedPause(now: now) * pauseFactor
            restsUntil = max(restsUntil, now + pause)
            if statesWait { statedUntil = max(statedUntil, now + pause) }
        } else if open == 0 {
            // The host does not accept even one connection. The interval after the request is not a pause.
            if now >= restsUntil { restsUntil = now + nextPause(isFirstOfFile: isFirstOfFile) * pauseFactor }
        } else {
            restsUntil = max(restsUntil, now + minimumPause)
        }
    }

    /// Returns the pause after the refusal of an only connection: longer after each retry of a file. The
    /// first requests of many files, each sent only once, would otherwise wait for the maximum pause each.
    private mutating func nextPause(isFirstOfFile: Bool) -> Double {
        if isFirstOfFile, pauseSeconds <= Self.firstPauseSeconds, refusedFiles > Self.mostDoubtfulFiles {
            return Self.minimumPauseSeconds
        }
        let most = interval.map { max(Self.pacedPauseSeconds, 2 * $0) } ?? Self.maximumPauseSeconds
        let next = isFirstOfFile ? pauseSeconds : min(pauseSeconds * 2, most, Self.maximumPauseSeconds)
        pauseSeconds = max(Self.firstPauseSeconds, next)
        return pauseSeconds
    }

    /// Returns the pause after a refusal that states no wait: a host that refuses the next request as well
    /// needs a longer one.
    private mutating func nextUnstatedPause(now: Double) -> Double {
        guard now >= restsUntil else { return Self.minimumPauseSeconds }
        unstatedSeconds = min(max(Self.minimumPauseSeconds, unstatedSeconds * 2), Self.maximumPauseSeconds)
        return unstatedSeconds
    }

    private mutating func slowDown(now: Double) {
        lastChange = now
        if now >= lastIntervalChange + Self.refusalSpanSeconds {
            lastIntervalChange = now
            interval = min(
                interval.map { $0 * Self.intervalFactors.refusal } ?? Self.firstInterval,
                Self.intervals.upperBound)
        }
        restsUntil = max(restsUntil, now + max(Self.minimumPauseSeconds, 2 * (interval ?? 0)) * pauseFactor)
    }

    /// Records that the host could not be reached: during an outage, or while it bans this program, the
    /// absence of refusals proves nothing.
    mutating func lost(now: Double) {
        lastChange = max(lastChange, now)
    }

    /// Records that the host refuses everything because several connections were open.
    mutating func banned(now: Double) {
        if let cap, cap > 1 {
            recoverAfterSeconds = min(recoverAfterSeconds * 2, Self.maximumRecoverySeconds)
        }
        cap = 1
        lastChange = max(lastChange, now)
    }

    /// Records that a request is about to be sent.
    mutating func granted(_ group: String = "", now: Double) {
        if let interval { spacedUntil = max(spacedUntil, now + interval * pauseFactor) }
        quotas.sends(group, now: now)
    }

    /// Counts a request against the quota. Over an open connection, only the quota limits requests.
    ///
    /// - Parameter needsProof: See `HostQuotas.pausedUntil`.
    /// - Returns: False if the quota is exhausted; the request is then not counted.
    mutating func grantedAgain(_ group: String = "", needsProof: Bool = false, now: Double) -> Bool {
        guard now >= quotas.pausedUntil(of: group, needsProof: needsProof) else { return false }
        quotas.sends(group, now: now)
        return true
    }

    /// Records a request that does not count against the quota: it was not sent, or its response states none.
    mutating func uncounted(_ group: String = "") { quotas.uncounted(group) }

    /// Records a response that states no quota.
    mutating func toldNothing(_ group: String) { quotas.toldNothing(group) }

    /// Records that a request ended without a response, although the host may have counted it.
    mutating func endsUnanswered(_ group: String = "", now: Double) {
        quotas.endsUnanswered(group, now: now)
    }

    /// Records the request rate limit that the host announces.
    ///
    /// - Parameters:
    ///   - others: The number of other requests without a response; `nil` if it is unchanged in the host's
    ///     window.
    ///   - sentAt: The earliest time at which the request was sent; `nil` if unknown.
    mutating func told(
        _ said: RequestQuota, _ group: String = "", whileUnanswered others: Int? = nil,
        sentAt: Double? = nil, now: Double
    ) {
        told(said, group, sentAt: sentAt, now: now) { _ in others }
    }

    /// Records the request rate limits that the host announces.
    ///
    /// - Parameter unanswered: See `HostQuotas.told`.
    mutating func told(
        _ said: RequestQuota, _ group: String, sentAt: Double?, now: Double, unanswered: (String) -> Int?
    ) {
        let usable = ([said] + said.others).filter(isUsable)
        guard !usable.isEmpty else {
            quotas.toldNothing(group, name: said.name)
            return
        }
        quotas.told(usable, group, sentAt: sentAt, now: now, unanswered: unanswered)
    }

    private func isUsable(_ said: RequestQuota) -> Bool {
        guard said.resetSeconds <= QuotaAccount.maximumSeconds else { return false }
        // A host that rounds down states 0 in the last second of its window, and a host without a quota
        // always does.
        let isCounted = said.left > 0 || said.isOfOne || quotas.isCounted(said.name)
        return said.resetSeconds > 0 || said.isRounded && isCounted
    }

    /// Replaces the quota with that of a later value, because a quota holds regardless of refusals.
    mutating func keepQuota(of later: HostLimit?) { quotas = later?.quotas ?? HostQuotas() }

    /// True if the host announces a quota.
    var hasQuota: Bool { !quotas.isEmpty }

    /// The number of requests that the quota still allows; `nil` if none applies now.
    func left(now: Double) -> Int? { quotas.left(now: now) }

    /// Returns the seconds until an exhausted quota is renewed, once for each window; otherwise `nil`.
    mutating func takeQuotaDelay(_ group: String = "", now: Double) -> Double? {
        quotas.takeDelay(group, now: now)
    }

    /// Records that the host sent bytes.
    mutating func worked() {
        (pauseSeconds, unstatedSeconds, refusedFiles) = (0, 0, 0)
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
    func allowance(of group: String = "", upTo setting: Int, now: Double) -> Int {
        now < pausedUntil(of: group) ? 0 : min(cap ?? setting, setting)
    }

    /// The time at which the allowance may change by itself; `nil` if it will not.
    func nextChange(of group: String = "", now: Double) -> Double? {
        let pauseEnd = pausedUntil(of: group)
        if now < pauseEnd { return pauseEnd }
        return cap == nil ? nil : lastChange + recoverySeconds
    }
}

/// The account of the requests that a host accepts until the end of its window, as far as it announced them.
///
/// A response states how many requests the host accepts after the one that it answers. The host may have
/// counted requests without a response before or after that one, so all of them are subtracted. The result is
/// exact as soon as all responses have arrived.
///
/// The host may also count the requests of the last seconds (a sliding window), so that at the stated end it
/// accepts only as many as it had accepted that long before. Requests of a new window are therefore limited
/// by those of the last window's length until a response states its quota.
struct QuotaAccount: Equatable, Sendable {
    /// The lowest number stated in this window.
    private var stated: Int
    /// The number of requests without a response.
    private var unanswered: Int
    /// The end of the window.
    private var until: Double
    /// The known minimum of requests in a whole window.
    private var size: Int
    /// True once a single request has begun a window because the size was unknown.
    private var hasScouted = false
    /// True if the host has stated that its windows have a single request.
    private var isOfOne: Bool
    /// The beginning of a window whose quota no response has stated yet; `nil` if one has.
    private var assumedAt: Double?
    /// The quota that responses to older requests have stated since then: that of this window or the last.
    private var older: Statement?
    /// The known minimum length of a window, in seconds.
    private var span: Double
    /// The times of the last responses, in ascending order. The host has counted each request before.
    private var answered: [Double]
    /// The end of the last window that `takeDelay` returned.
    private var reportedWindow = -Double.infinity

    /// The lowest number that responses have stated for a window, and its end.
    private struct Statement: Equatable {
        var left: Int
        var until: Double

        /// Returns a statement that includes another one, unless that is about an earlier window.
        func adding(_ other: Statement, slack: Double) -> Statement {
            if other.until > until + slack { return other }
            if other.until < until - slack { return self }
            return Statement(left: min(left, other.left), until: max(until, other.until))
        }
    }

    /// The maximum pause for a quota before any refusal, so that a wrong announcement costs no more than
    /// this.
    static let maximumSeconds = 300.0
    /// The time for which the quota of a new window is assumed, so that requests without a response delay
    /// others no longer than this.
    static let assumedSeconds = 5.0
    /// The ends of one window differ by up to this much between responses, because they are in whole seconds.
    private static let slack = 2.0
    /// The maximum number of responses whose times are kept.
    private static let mostAnswered = 1000

    /// - Parameter unanswered: The number of other requests without a response.
    init(_ said: RequestQuota, unanswered: Int, now: Double) {
        (stated, self.unanswered) = (said.left, unanswered)
        span = said.longestReset
        until = now + span
        size = said.left + 1
        isOfOne = said.isOfOne
        answered = [now]
    }

    private var left: Int { stated - unanswered }

    private var isAssumed: Bool { assumedAt != nil }

    /// The number of requests that the host still accepts; `nil` if its window has ended.
    func left(now: Double) -> Int? { now < until ? max(0, left) : nil }

    /// The time until which no request may be sent; `nil` if one may.
    var exhaustedUntil: Double? {
        if left > 0 { return nil }
        if isAssumed || hasScouted && !isCounted { return until }
        // The host may count requests without a response in the next window.
        return unanswered < size ? max(until, spanEnd ?? until) : until + Self.assumedSeconds
    }

    /// True if the host has stated a quota that it counts down: some hosts always state 0.
    var isCounted: Bool { size > 1 || isOfOne }

    /// The time at which one of the requests of a full sliding window is no longer in it; `nil` if the window
    /// is not full.
    private var spanEnd: Double? {
        let index = answered.count - (size - unanswered)
        guard isCounted, answered.indices.contains(index) else { return nil }
        return answered[index] + span
    }

    /// The end of a window whose quota the host has stated to be exhausted; `nil` otherwise.
    var statedUntil: Double? { !isAssumed && stated <= 0 ? until : nil }

    /// Records that a request is about to be sent.
    mutating func sends(now: Double) {
        if now >= until { beginWindow(now: now) }
        unanswered += 1
    }

    /// Assumes that a new window has at least the size of earlier ones, because many requests may be sent
    /// before the first response states it. A size of 1 is assumed once: it is usually that of a window which
    /// others had used up, but some hosts always state 0. It is assumed each time if the host states it.
    private mutating func beginWindow(now: Double) {
        guard !isAssumed, isCounted || !hasScouted else { return }
        if size == 1 { hasScouted = true }
        let recent = isCounted ? answered.count { $0 + span > now } : 0
        (stated, until, assumedAt) = (max(stated, size - recent), now + Self.assumedSeconds, now)
        older = nil
    }

    /// Records a request that does not count: it was not sent, or its response states no quota.
    mutating func uncounted() { unanswered = max(0, unanswered - 1) }

    /// Records that a request ended without a response, although the host may have counted it.
    mutating func endsUnanswered(now: Double) {
        guard unanswered > 0 else { return }
        unanswered -= 1
        stated -= 1
        isAnswered(now: now)
    }

    /// Returns true for a request that was sent before the beginning of a window whose quota is assumed.
    private func isOlder(_ sentAt: Double?) -> Bool {
        guard let sentAt, let assumedAt else { return false }
        return sentAt < assumedAt
    }

    private mutating func isAnswered(now: Double) {
        if answered.count >= min(size, Self.mostAnswered) { answered.removeFirst() }
        answered.append(now)
    }

    /// Records what a response states.
    ///
    /// - Parameters:
    ///   - others: The number of other requests without a response; `nil` if it is unchanged in this window.
    ///   - sentAt: The earliest time at which its request was sent; `nil` if unknown.
    mutating func told(_ said: RequestQuota, unanswered others: Int?, sentAt: Double?, now: Double) {
        let end = now + said.longestReset
        let slack = max(Self.slack, now - (sentAt ?? now))
        isOfOne = said.isOfOne
        if said.isPolicy && !isAssumed && now < until || isOlder(sentAt) {
            // If the host does not count, the account does, in the window of the first response.
            stated -= 1
            unanswered = others ?? max(0, unanswered - 1)
            let new = Statement(left: said.left, until: end)
            older = older?.adding(new, slack: slack) ?? new
        } else if !isAssumed, now < until, end <= until + slack {
            (stated, until) = (min(stated, said.left), max(until, end))
            unanswered = others ?? unanswered
        } else {
            let new = Statement(left: said.left, until: end)
            let known = older.map { new.adding($0, slack: slack) } ?? new
            (stated, until, assumedAt, older) = (known.left, known.until, nil, nil)
            unanswered = others ?? 0
        }
        size = max(size, said.left + 1)
        span = max(span, said.longestReset)
        isAnswered(now: now)
    }

    /// Returns the seconds until an exhausted quota is renewed, once for each window; otherwise `nil`.
    mutating func takeDelay(now: Double) -> Double? {
        guard let until = statedUntil, now < until, until > reportedWindow + Self.slack else { return nil }
        reportedWindow = until
        return until - now
    }
}

/// The account of the requests that a host accepts until the end of its window, as far as it announced them.
///
/// A response states how many requests the host accepts after the one that it answers. The host may have
/// counted requests without a response before or after that one, so all of them are subtracted. The result is
/// exact as soon as all responses have arrived.
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
    /// True if no response has stated the quota of this window yet.
    private var isAssumed = false
    /// The end of the last window that `takeDelay` returned.
    private var reportedWindow = -Double.infinity

    /// The maximum pause for a quota before any refusal, so that a wrong announcement costs no more than
    /// this.
    static let maximumSeconds = 300.0
    /// The time for which the quota of a new window is assumed, so that requests without a response delay
    /// others no longer than this.
    static let assumedSeconds = 5.0
    /// The ends of one window differ by up to this much between responses, because they are in whole seconds.
    private static let slack = 2.0

    /// - Parameter unanswered: The number of other requests without a response.
    init(_ said: RequestQuota, unanswered: Int, now: Double) {
        (stated, self.unanswered) = (said.left, unanswered)
        until = now + said.resetSeconds
        size = said.left + 1
        isOfOne = said.isOfOne
    }

    private var left: Int { stated - unanswered }

    /// The number of requests that the host still accepts; `nil` if its window has ended.
    func left(now: Double) -> Int? { now < until ? max(0, left) : nil }

    /// The time until which no request may be sent; `nil` if one may.
    var exhaustedUntil: Double? { left > 0 ? nil : until }

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
        guard !isAssumed, size > 1 || isOfOne || !hasScouted else { return }
        if size == 1 { hasScouted = true }
        (stated, until, isAssumed) = (size, now + Self.assumedSeconds, true)
    }

    /// Records a request that does not count: it was not sent, or its response states no quota.
    mutating func uncounted() { unanswered = max(0, unanswered - 1) }

    /// Records that a request ended without a response, although the host may have counted it.
    mutating func endsUnanswered() {
        guard unanswered > 0 else { return }
        unanswered -= 1
        stated -= 1
    }

    /// Records what a response states.
    ///
    /// - Parameter others: The number of other requests without a response; `nil` if it is unchanged in this
    ///   window.
    mutating func told(_ said: RequestQuota, unanswered others: Int?, now: Double) {
        let end = now + said.resetSeconds
        isOfOne = said.isOfOne
        if said.isPolicy, !isAssumed, now < until {
            // The host does not count, so that the account does, in the window of the first response.
            stated -= 1
            unanswered = others ?? max(0, unanswered - 1)
        } else if !isAssumed, now < until, end <= until + Self.slack {
            (stated, until) = (min(stated, said.left), max(until, end))
            unanswered = others ?? unanswered
        } else {
            (stated, until, isAssumed) = (said.left, end, false)
            unanswered = others ?? 0
        }
        size = max(size, said.left + 1)
    }

    /// Returns the seconds until an exhausted quota is renewed, once for each window; otherwise `nil`.
    mutating func takeDelay(now: Double) -> Double? {
        guard let until = statedUntil, now < until, until > reportedWindow + Self.slack else { return nil }
        reportedWindow = until
        return until - now
    }
}

/// Decides when a silent connection may be tried again by another request, while no data arrives.
///
/// If the new connection is silent as well, the cause may be the server or the network, and each further
/// request would only restart a wait. At a host whose bodies otherwise arrive without pauses, both
/// connections are more likely to be dead.
struct TrialPace: Equatable, Sendable {
    /// After a trial, no other follows until bytes have arrived for this many seconds.
    static let owedSeconds = 10.0
    /// At a host whose bodies arrive without pauses, another trial follows after this many seconds, the next
    /// after twice as many, and so on.
    static let repeatSeconds = 2.0

    /// At such a host, a silence of this many seconds is tried.
    static let steadySilenceSeconds = 2.0
    /// The same once a trial has shown that a connection was the cause of its silence.
    static let provenSilenceSeconds = SlowConnectionThresholds.longestPauseSeconds

    /// True if a trial has shown that a connection was the cause of its silence.
    private(set) var hasHelped = false

    /// The number of seconds for which bytes must still arrive.
    private var owed = 0.0
    private var lastBegan = -Double.infinity
    private var inARow = 0

    /// Records that a trial begins.
    mutating func began(now: Double) {
        owed = Self.owedSeconds
        if now > lastBegan { inARow += 1 }
        lastBegan = now
    }

    /// Records that bytes have arrived for some more seconds.
    mutating func received(for seconds: Double) {
        owed -= seconds
        if owed <= 0 { inARow = 0 }
    }

    /// Records that the new connection of a trial has received all of its bytes.
    mutating func helped() {
        owed = 0
        inARow = 0
        hasHelped = true
    }

    /// Returns the seconds without a byte after which a silence is tried.
    func silence(isSteady: Bool) -> Double {
        guard isSteady else { return SlowConnectionPolicy.longestSilenceSeconds }
        return hasHelped ? Self.provenSilenceSeconds : Self.steadySilenceSeconds
    }

    /// - Parameter isSteady: True if the host's bodies arrive without pauses.
    func allowsTrial(isSteady: Bool, now: Double) -> Bool {
        if owed <= 0 { return true }
        guard isSteady else { return false }
        return now - lastBegan >= Self.repeatSeconds * Double(1 << min(inARow - 1, 10))
    }
}

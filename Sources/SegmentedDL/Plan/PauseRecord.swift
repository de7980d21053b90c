/// A record of whether the bodies of a host arrive without a pause.
///
/// A server or a scanner that pauses within its responses does so within each one. At a host whose bodies
/// have arrived without one, the silence of a connection is its own fault.
struct PauseRecord: Equatable, Sendable {
    /// The number of consecutive bodies without a pause after which the next one is expected to have none.
    static let enough = 4
    /// A body has paused if nothing of it arrived for this many seconds, and then more.
    static let shortestPauseSeconds = SlowConnectionThresholds.longestPauseSeconds

    /// The number of bodies without a pause since the last one with a pause.
    private var withoutPause = 0

    mutating func bodyEnded(hasPaused: Bool) {
        withoutPause = hasPaused ? 0 : min(withoutPause + 1, Self.enough)
    }

    /// True if the next body is expected to arrive without a pause.
    var isSteady: Bool { withoutPause >= Self.enough }
}

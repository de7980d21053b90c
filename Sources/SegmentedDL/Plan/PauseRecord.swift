/// Records whether the bodies of a host arrive without pauses.
///
/// A server or a scanner that pauses within responses does so within each of them. At a host whose bodies
/// have arrived without pauses, the cause of a silence is the connection itself.
struct PauseRecord: Equatable, Sendable {
    /// The number of consecutive bodies without a pause after which none is expected in the next one.
    static let enough = 4
    /// The number of seconds without data after which a body that then continues counts as paused.
    static let shortestPauseSeconds = SlowConnectionThresholds.longestPauseSeconds

    /// The number of bodies since the last one with a pause.
    private var withoutPause = 0

    mutating func bodyEnded(hasPaused: Bool) {
        withoutPause = hasPaused ? 0 : min(withoutPause + 1, Self.enough)
    }

    /// True if the next body is expected to arrive without pauses.
    var isSteady: Bool { withoutPause >= Self.enough }
}

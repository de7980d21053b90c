/// The load of an engine thread, that is, the time during which it does not wait for its sockets.
struct EngineLoad: Equatable, Sendable {
    private var rest = 0.0
    private var turnedAt = 0.0

    /// Records that the thread has waited.
    mutating func rested(for seconds: Double) {
        rest += seconds
    }

    /// Begins a new measurement.
    ///
    /// - Returns: The duration of the last one in seconds, and the seconds during which the thread was busy.
    mutating func turn(now: Double) -> (busy: Double, seconds: Double) {
        let seconds = now - turnedAt
        defer { (rest, turnedAt) = (0, now) }
        return (max(0, seconds - rest), seconds)
    }
}

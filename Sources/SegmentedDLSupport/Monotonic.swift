/// Seconds on a clock that never jumps, for intervals.
public enum Monotonic {
    private static let start = ContinuousClock.now

    /// Returns the seconds since the first call in this process.
    public static func now() -> Double {
        let elapsed = ContinuousClock.now - start
        return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    }
}

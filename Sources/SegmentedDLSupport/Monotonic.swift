/// Seconds on a clock that never jumps, for intervals.
public enum Monotonic {
    private static let start = ContinuousClock.now

    /// Returns the seconds since the first call in this process.
    public static func now() -> Double {
        let elapsed = ContinuousClock.now - start
        return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    }
}

extension Duration {
    /// This duration, or 50 years if it is longer: the clocks of tasks count nanoseconds in 64 bits, and a
    /// longer sleep crashes the process.
    package var asSleep: Duration { min(self, .seconds(50 * 365 * 86_400)) }
}

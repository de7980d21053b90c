extension Duration {
    /// The length in seconds, for calculations and machine-readable output.
    package var seconds: Double { self / .seconds(1) }

    /// This duration, or the minimum interval of a stream if that is longer.
    package var atLeastShortest: Duration { max(self, .milliseconds(10)) }

    /// The seconds, rounded up, for interfaces that accept only integers; `Int.max` if they exceed it.
    package var wholeSeconds: Int { Int(exactly: seconds.rounded(.up)) ?? (self < .zero ? .min : .max) }

    /// Returns a duration of at most 30 million years: an absurd length from a server must not crash the
    /// process.
    package static func bounded(seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e15), 1e15))
    }
}

/// The speed of a whole mirror over the last seconds.
package struct MirrorPace: Sendable {
    private static let window = Duration.seconds(5)

    private var samples: [(bytes: Int64, at: ContinuousClock.Instant)] = []

    package init() {}

    /// Adds a sample.
    ///
    /// - Parameter bytes: All bytes received so far.
    package mutating func add(_ bytes: Int64, at now: ContinuousClock.Instant) {
        samples.append((bytes, now))
        // The first sample may be older than the window, because otherwise the window would not be filled.
        while samples.count > 2, now - samples[1].at >= Self.window { samples.removeFirst() }
    }

    package var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return 0 }
        // The bytes of a file that starts over no longer count.
        return Double(max(0, last.bytes - first.bytes)) / ((last.at - first.at) / .seconds(1))
    }
}

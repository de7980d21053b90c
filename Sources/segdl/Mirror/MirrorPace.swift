/// The speed of a whole mirror over the last seconds.
struct MirrorPace {
    private static let window = Duration.seconds(5)

    private var samples: [(bytes: Int64, at: ContinuousClock.Instant)] = []

    /// - Parameter bytes: All that have come in so far.
    mutating func note(_ bytes: Int64, at now: ContinuousClock.Instant) {
        samples.append((bytes, now))
        // The first one may be older than the window, so that it is always filled.
        while samples.count > 2, now - samples[1].at >= Self.window { samples.removeFirst() }
    }

    var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return 0 }
        // A file that starts over takes its bytes back.
        return Double(max(0, last.bytes - first.bytes)) / ByteFormat.seconds(last.at - first.at)
    }
}

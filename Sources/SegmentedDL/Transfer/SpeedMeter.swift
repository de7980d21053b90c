/// Bytes per second over the last few seconds. A plain value that gets the time from its user.
struct SpeedMeter: Sendable {
    /// The length of the window in which the speed is measured.
    static let windowSeconds = 3.0

    private var samples: [(time: Double, bytes: Int64)] = []

    /// Notes the number of bytes so far. A number that falls, as after a download has started over, begins a
    /// new measurement.
    mutating func note(_ bytes: Int64, at now: Double) {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append((now, bytes))
        // One sample from before the window stays, to measure from.
        while samples.count > 2, samples[1].time <= now - Self.windowSeconds { samples.removeFirst() }
    }

    var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Double(last.bytes - first.bytes) / (last.time - first.time)
    }
}

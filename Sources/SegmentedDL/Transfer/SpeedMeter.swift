/// Bytes per second over the last few seconds. A plain value: its user tells the time.
struct SpeedMeter: Sendable {
    /// How far back it looks, in seconds.
    static let window = 3.0

    private var samples: [(time: Double, bytes: Int64)] = []

    /// Notes the number of bytes so far. A number that falls, as when a download starts over, starts anew.
    mutating func note(_ bytes: Int64, at now: Double) {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append((now, bytes))
        // One sample from before the window stays, to measure from.
        while samples.count > 2, samples[1].time <= now - Self.window { samples.removeFirst() }
    }

    var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Double(last.bytes - first.bytes) / (last.time - first.time)
    }
}

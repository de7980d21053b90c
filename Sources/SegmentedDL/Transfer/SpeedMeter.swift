import SegmentedDLSupport

/// Bytes per second over the last few seconds, excluding the time for which the machine was asleep. A plain
/// value that receives the time from its caller.
package struct SpeedMeter: Sendable {
    /// The length of the window in which the speed is measured, in seconds.
    private let window: Double

    private var time = AttendedTime()
    private var samples: [(time: Double, bytes: Int64)] = []

    package init(window: Double = 3) {
        self.window = window
    }

    /// Records the number of bytes so far. A lower number, as after a download has started over, begins a new
    /// measurement.
    ///
    /// - Parameter now: Seconds on any clock.
    package mutating func note(_ bytes: Int64, at now: Double) {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        time.look(at: now)
        samples.append((time.seconds, bytes))
        // One sample before the window is kept as the baseline.
        while samples.count > 2, samples[1].time <= time.seconds - window { samples.removeFirst() }
    }

    package var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Double(last.bytes - first.bytes) / (last.time - first.time)
    }
}

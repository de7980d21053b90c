/// The results of one contender's runs.
struct BenchResult: Sendable {
    struct Run: Sendable {
        var seconds: Double
        var cpu: Double
        var memory: Int64
        /// The number of opened connections; `nil` if the tool does not report it.
        var connections: Int?
        /// Received bytes beyond the file's; `nil` if the tool does not report them.
        var excess: Int64?
        /// Its bottleneck, in words; `nil` if none was observed or reported.
        var bottleneck: String?
        /// The trace of our command.
        var trace: [TraceSample] = []
    }

    let contender: Contender
    let length: Int64
    var runs: [Run] = []
    /// The reasons why runs were discarded.
    var failures: [String] = []

    /// The run with the median time, or the faster of the two middle ones.
    var typical: Run? {
        guard !runs.isEmpty else { return nil }
        return runs.sorted { $0.seconds < $1.seconds }[(runs.count - 1) / 2]
    }

    /// The median of the times, in seconds; 0 if there are no runs.
    var seconds: Double { Self.median(runs.map(\.seconds)) }

    var fastest: Double { runs.map(\.seconds).min() ?? 0 }
    var slowest: Double { runs.map(\.seconds).max() ?? 0 }

    /// Bytes per second at the median time.
    var speed: Double { runs.isEmpty ? 0 : Double(length) / max(seconds, 1e-9) }

    /// The median of the CPU seconds per GiB.
    var cpuPerGiB: Double { Self.median(runs.map(\.cpu)) * Double(1 << 30) / Double(max(length, 1)) }

    /// Returns the middle value, or the mean of the two middle ones.
    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    var memory: Int64 { runs.map(\.memory).max() ?? 0 }
}

/// A line of a trace.
struct TraceSample: Sendable, Codable {
    var time: Double
    var bytes: Int64
    var segments: [[Int64]]
}

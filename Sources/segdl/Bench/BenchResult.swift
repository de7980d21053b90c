/// The results of one contender's runs.
struct BenchResult: Sendable {
    struct Run: Sendable {
        var seconds: Double
        var cpu: Double
        var memory: Int64
        /// The number of opened connections; `nil` if the tool does not report it.
        var connections: Int?
        /// Bytes received beyond the file's; `nil` if the tool does not report them.
        var excess: Int64?
        /// The trace of our own command.
        var trace: [TraceSample] = []
    }

    let contender: Contender
    let length: Int64
    var runs: [Run] = []
    /// The reasons why runs do not count.
    var failures: [String] = []

    /// The run whose time is the median.
    var typical: Run? {
        guard !runs.isEmpty else { return nil }
        return runs.sorted { $0.seconds < $1.seconds }[runs.count / 2]
    }

    var fastest: Double { runs.map(\.seconds).min() ?? 0 }
    var slowest: Double { runs.map(\.seconds).max() ?? 0 }

    /// Bytes per second at the median time.
    var speed: Double { typical.map { Double(length) / max($0.seconds, 1e-9) } ?? 0 }

    /// Seconds of processor time for a GiB, the median.
    var cpuPerGiB: Double {
        let cpu = runs.map(\.cpu).sorted()
        return cpu.isEmpty ? 0 : cpu[cpu.count / 2] * Double(1 << 30) / Double(max(length, 1))
    }

    var memory: Int64 { runs.map(\.memory).max() ?? 0 }
}

/// A line of a trace.
struct TraceSample: Sendable, Codable {
    var time: Double
    var bytes: Int64
    var segments: [[Int64]]
}

/// Results as a table and bars in text.
struct BenchTable: Sendable {
    let results: [BenchResult]
    let unicode: Bool
    let columns: Int

    static let legend = """
        spread: the fastest and the slowest run; CPU s/GiB: seconds of processor time for a GiB; opened: \
        connections that were opened; twice: bytes received beyond the file's.
        """

    var text: String {
        let head = ["", "seconds", "spread", "speed", "CPU s/GiB", "memory", "opened", "twice"]
        let rows = [head] + results.map(row)
        let widths = head.indices.map { column in rows.map { TextWidth.columns($0[column]) }.max() ?? 0 }
        var lines = rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                TextWidth.padded(cell.0, to: cell.1, leading: column > 0)
            }.joined(separator: "  ")
        }
        lines += [""] + bars
        let heldBack = Self.heldBack(results)
        if !heldBack.isEmpty { lines += [""] + heldBack }
        for result in results where !result.failures.isEmpty {
            lines.append("\(result.contender.name): \(Set(result.failures).sorted().joined(separator: ", "))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A line per contender with the bottleneck of its median run.
    static func heldBack(_ results: [BenchResult]) -> [String] {
        results.compactMap { result in
            result.typical?.bottleneck.map { "\(result.contender.name): \($0)" }
        }
    }

    private func row(_ result: BenchResult) -> [String] {
        guard let run = result.typical else {
            return [result.contender.name, "failed", "", "", "", "", "", ""]
        }
        return [
            result.contender.name, Self.fixed(result.seconds),
            "\(Self.fixed(result.fastest))-\(Self.fixed(result.slowest))", ByteFormat.speed(result.speed),
            Self.fixed(result.cpuPerGiB), ByteFormat.size(result.memory),
            run.connections.map(String.init) ?? "", run.excess.map(ByteFormat.size) ?? "",
        ]
    }

    /// Speeds as bars: longer is faster.
    private var bars: [String] {
        let names = results.map { TextWidth.columns($0.contender.name) }.max() ?? 0
        let room = max(10, min(columns, 100) - names - ByteFormat.speedWidth - 3)
        let fastest = results.map(\.speed).max() ?? 0
        return results.map { result in
            let length = fastest > 0 ? Int((result.speed / fastest * Double(room)).rounded()) : 0
            let bar = String(repeating: unicode ? "█" : "#", count: length)
            return TextWidth.padded(result.contender.name, to: names) + "  " + bar + " "
                + ByteFormat.speed(result.speed)
        }
    }

    /// Returns a number with two decimals.
    static func fixed(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }
}

/// Results for programs, as described in `docs/bench-json.md`.
enum BenchJSON {
    static func line(_ result: BenchResult) -> String {
        var line = JSONLine(event: "result")
        line.add("contender", result.contender.name)
        line.add("bytes", result.length)
        line.add("seconds", rounding: result.typical.map { _ in result.seconds })
        line.add("seconds_min", rounding: result.typical.map { _ in result.fastest })
        line.add("seconds_max", rounding: result.typical.map { _ in result.slowest })
        line.add("cpu_per_gib", rounding: result.typical.map { _ in result.cpuPerGiB })
        line.add("memory", result.memory)
        line.add("connections_opened", result.typical?.connections)
        line.add("bytes_twice", result.typical?.excess)
        line.add("bottleneck_text", result.typical?.bottleneck)
        line.add("runs", result.runs.count)
        line.add("failures", result.failures)
        return line.line
    }
}

/// The lines of `segdl doctor`: facts, and remedies for the problems among them.
struct MachineReport: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        let name: String
        let fact: String
        /// A sentence with the remedy; `nil` if nothing is wrong.
        var advice: String?
    }

    private(set) var lines: [Line] = []
    /// 0, or the exit status of downloads that would fail.
    private(set) var status: Int32 = 0

    mutating func add(_ name: String, _ fact: String) {
        lines.append(Line(name: name, fact: fact))
    }

    /// Adds a fact that makes something slower or less convenient.
    mutating func add(_ name: String, _ fact: String, advice: String?) {
        lines.append(Line(name: name, fact: fact, advice: advice))
    }

    /// Adds a fact that makes downloads fail.
    mutating func add(_ name: String, _ fact: String, advice: String, failing status: Int32) {
        add(name, fact, advice: advice)
        self.status = max(self.status, status)
    }

    var text: String {
        let width = lines.map(\.name.count).max() ?? 0
        return lines.map { line in
            let start = TextWidth.padded(line.name, to: width + 2)
            let advice = line.advice.map { "\n\(String(repeating: " ", count: width + 2))! \($0)" } ?? ""
            return "\(start)\(line.fact)\(advice)\n"
        }.joined()
    }
}

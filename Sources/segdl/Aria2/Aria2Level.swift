/// The severity of a message, as in aria2's --console-log-level.
enum Aria2Level: String, Sendable, Comparable, CaseIterable {
    case debug, info, notice, warn, error

    static func < (one: Aria2Level, other: Aria2Level) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The verbosity of the library's messages at this level.
    var verbosity: Int {
        switch self {
        case .debug: 2
        case .info: 1
        case .notice, .warn, .error: 0
        }
    }

    /// The label in the message, in aria2's colour.
    func word(isColored: Bool) -> String {
        let word = rawValue.uppercased()
        guard isColored else { return word }
        let color =
            switch self {
            case .debug: "1;37"
            case .info: "1;36"
            case .notice: "1;32"
            case .warn: "1;33"
            case .error: "1;31"
            }
        return "\u{1B}[\(color)m\(word)\u{1B}[0m"
    }
}

/// A message of aria2's console.
struct Aria2Remark: Sendable, Equatable {
    var level: Aria2Level
    var text: String
}

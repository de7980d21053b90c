/// One JSON object on one line, its keys in the order of addition.
struct JSONLine {
    private var text: String

    init(event: String) {
        self.init("event", event)
    }

    /// Creates an object with its first key.
    init(_ key: String, _ value: String) {
        text = "{" + Self.quoted(key) + ":" + Self.quoted(value)
    }

    var line: String { text + "}\n" }

    mutating func add(_ key: String, _ value: String?) {
        add(key, literal: value.map(Self.quoted))
    }

    mutating func add(_ key: String, _ value: (some BinaryInteger)?) {
        add(key, literal: value.map { "\($0)" })
    }

    mutating func add(_ key: String, _ value: Bool) {
        add(key, literal: value ? "true" : "false")
    }

    mutating func add(_ key: String, _ values: [String]) {
        add(key, literal: "[" + values.map(Self.quoted).joined(separator: ",") + "]")
    }

    mutating func add(_ key: String, _ values: [[Int64]]) {
        let rows = values.map { "[" + $0.map(String.init).joined(separator: ",") + "]" }
        add(key, literal: "[" + rows.joined(separator: ",") + "]")
    }

    mutating func add(_ key: String, _ objects: [JSONLine]) {
        add(key, literal: "[" + objects.map { $0.text + "}" }.joined(separator: ",") + "]")
    }

    mutating func add(_ key: String, _ object: JSONLine?) {
        add(key, literal: object.map { $0.text + "}" })
    }

    /// Adds a number with at most three decimals.
    mutating func add(_ key: String, rounding value: Double?) {
        // JSON has no infinity and no NaN.
        guard let value, value.isFinite, abs(value) < 1e15 else { return add(key, literal: nil) }
        add(key, literal: "\((value * 1000).rounded() / 1000)")
    }

    private mutating func add(_ key: String, literal: String?) {
        text += "," + Self.quoted(key) + ":" + (literal ?? "null")
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // More than JSON requires, because some readers treat the last three as line endings.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                result += escape(scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func escape(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

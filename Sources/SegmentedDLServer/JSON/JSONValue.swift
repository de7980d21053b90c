internal import SegmentedDL

/// A JSON value (RFC 8259).
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// An integer, including one written with a zero fraction or an exponent.
    case integer(Int64)
    /// A number with a fraction, or out of the range of ``integer(_:)``.
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// The members, unordered.
    case object([String: JSONValue])
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object([String: JSONValue](elements) { _, last in last })
    }
}

extension JSONValue {
    /// The text, if the value is a string.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The integer, if the value is one.
    package var whole: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The elements, if the value is an array.
    package var elements: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members, if the value is an object.
    package var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The value of a member; `nil` if the value is not an object, or has no such member.
    package subscript(name: String) -> JSONValue? { members?[name] }

    /// A value, or `null` for `nil`.
    static func optional<Value>(_ value: Value?, _ make: (Value) -> JSONValue) -> JSONValue {
        value.map(make) ?? .null
    }
}

extension JSONValue {
    /// The value as text, with the members of objects sorted by name.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        // JSON has neither infinities nor NaN.
        case .number(let value): bytes += (value.isFinite ? value.description : "null").utf8
        case .string(let value): JSONString.append(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONString.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

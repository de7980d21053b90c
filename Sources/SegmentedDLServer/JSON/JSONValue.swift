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

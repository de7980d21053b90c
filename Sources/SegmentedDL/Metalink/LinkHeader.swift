/// One link of a Link field (RFC 8288, section 3).
package struct LinkHeader: Equatable, Sendable {
    /// The URL reference between the angle brackets.
    var target: String

    /// The parameters by lower-case name; the first of several with the same name.
    var parameters: [String: String]

    /// The values of `rel`, in lower case.
    var relations: [String] {
        (parameters["rel"] ?? "").split(separator: " ").map { $0.lowercased() }
    }

    /// Returns the target of the first link with a relation, such as `next`; `nil` for none.
    package static func target(of relation: String, in values: [String]) -> String? {
        values.lazy.flatMap(parse).first { $0.relations.contains(relation) }?.target
    }

    /// Parses a field's value (RFC 8288, appendix B.2). Parsing stops at the first part that is not a link.
    static func parse(_ value: String) -> [LinkHeader] {
        var rest = Array(value.utf8)[...]
        var links: [LinkHeader] = []
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard rest.first == UInt8(ascii: "<"), let close = rest.firstIndex(of: UInt8(ascii: ">")) else {
                return links
            }
            var link = LinkHeader(
                target: String(decoding: rest[(rest.startIndex + 1)..<close], as: UTF8.self), parameters: [:])
            rest = rest[(close + 1)...]
            while let (name, value) = parameter(&rest) {
                if link.parameters[name] == nil { link.parameters[name] = value }
            }
            links.append(link)
        }
    }

    private static func parameter(_ rest: inout ArraySlice<UInt8>) -> (String, String)? {
        rest = rest.drop { $0.isBlank }
        guard rest.first == UInt8(ascii: ";") else { return nil }
        rest = rest.dropFirst().drop { $0.isBlank }
        let name = rest.prefix { !$0.isBlank && $0 != UInt8(ascii: "=") && !isEnd($0) }
        rest = rest[name.endIndex...].drop { $0.isBlank }
        var value: [UInt8] = []
        if rest.first == UInt8(ascii: "=") {
            rest = rest.dropFirst().drop { $0.isBlank }
            value = rest.first == UInt8(ascii: "\"") ? quoted(&rest) : token(&rest)
        }
        return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self))
    }

    private static func token(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let value = rest.prefix { !$0.isBlank && !isEnd($0) }
        rest = rest[value.endIndex...]
        return Array(value)
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        return value
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",")
    }
}

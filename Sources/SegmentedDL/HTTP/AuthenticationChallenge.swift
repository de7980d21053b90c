/// One challenge of a WWW-Authenticate field (RFC 9110, section 11.6.1).
package struct AuthenticationChallenge: Equatable, Sendable {
    /// The scheme, in lower case.
    package let scheme: String
    /// The parameters by lower-case name; the first of several with the same name.
    package private(set) var parameters: [String: String] = [:]

    /// Returns the challenges in the value of a field. Unreadable parts are skipped.
    package static func parse(_ value: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for element in elements(value) {
            let name = element.prefix(while: isToken)
            var rest = element.dropFirst(name.count).trimmingBlanks()
            guard !name.isEmpty else { continue }
            if rest.first != UInt8(ascii: "=") {
                challenges.append(AuthenticationChallenge(scheme: text(name).lowercased()))
            } else if !challenges.isEmpty {
                rest = rest.dropFirst().trimmingBlanks()
                challenges[challenges.count - 1].add(text(name), Self.value(rest))
                continue
            }
            guard let parameter = rest.firstIndex(of: UInt8(ascii: "=")), !challenges.isEmpty else {
                continue
            }
            let key = rest[..<parameter].trimmingBlanks()
            guard !key.isEmpty, key.allSatisfy(isToken) else { continue }
            challenges[challenges.count - 1].add(
                text(key), Self.value(rest[(parameter + 1)...].trimmingBlanks()))
        }
        return challenges
    }

    private mutating func add(_ name: String, _ value: String) {
        let name = name.lowercased()
        if parameters[name] == nil { parameters[name] = value }
    }

    /// The parts between commas, ignoring commas in quoted strings.
    private static func elements(_ value: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(value.utf8)
        var (elements, start, isQuoted, isEscaped) = ([ArraySlice<UInt8>](), 0, false, false)
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                elements.append(bytes[start..<index].trimmingBlanks())
                start = index + 1
            }
        }
        return elements + [bytes[start...].trimmingBlanks()]
    }

    /// Returns a token unchanged, and a quoted string without its quotes (RFC 9110, section 5.6.4).
    private static func value(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.first == UInt8(ascii: "\"") else { return text(bytes) }
        var (content, isEscaped) = ([UInt8](), false)
        for byte in bytes.dropFirst() {
            if !isEscaped, byte == UInt8(ascii: "\"") { break }
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                content.append(byte)
                isEscaped = false
            }
        }
        return text(content)
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && !"()<>@,;:\\\"/[]?={}".utf8.contains(byte)
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }
}

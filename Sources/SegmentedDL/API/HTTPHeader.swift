/// One HTTP header field.
public struct HTTPHeader: Sendable, Hashable {
    /// The field's name; compared without regard to case (RFC 9110, section 5.1).
    public var name: String

    /// The field's value, without surrounding white space.
    public var value: String

    /// A header field from its name and value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Parses `Name: value`, the form that command lines and lists use.
    ///
    /// - Returns: `nil` if there is no colon, the name is not a token (RFC 9110, section 5.6.2), or either
    ///   part holds a control character.
    public init?(parsing line: String) {
        let scalars = line.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return nil }
        let name = line[..<colon]
        let value = line[scalars.index(after: colon)...].trimmingBlanks()
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
            value.unicodeScalars.allSatisfy({ !$0.isControl || $0 == "\t" })
        else { return nil }
        self.init(String(name), String(value))
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is of the general category Cc, which never grows.
    var isControl: Bool { value < 0x20 || (0x7f...0x9f).contains(value) }
}

extension StringProtocol {
    /// The text without the spaces and tabs around it. A mark that combines with a blank does not hide it.
    func trimmingBlanks() -> SubSequence {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return self[startIndex..<startIndex] }
        return self[first..<scalars.index(after: last)]
    }
}

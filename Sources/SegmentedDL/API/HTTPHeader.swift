/// One HTTP header field.
public struct HTTPHeader: Sendable, Hashable {
    /// The field's name. It is case-insensitive (RFC 9110, section 5.1).
    public var name: String

    /// The field's value, without surrounding white space.
    public var value: String

    /// Creates a header field from its name and value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// True if the name is a token, and the value contains no control character other than tabs. Any other
    /// field could end early, and the rest of it would become a field of its own.
    package var isValid: Bool {
        !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte) && Self.isPlain(value)
    }

    /// - Throws: `DownloadError` with code `invalidSetting` if the field is not valid. The message does not
    ///   show the value.
    package func check() throws(DownloadError) {
        try require(
            isValid,
            "The header '\(Printable.text(name))' is not a valid HTTP field; write its name without spaces, and its value without line breaks and other control characters."
        )
    }

    /// Parses `Name: value`, the form on command lines and in lists.
    ///
    /// - Returns: `nil` if the line has no colon, the name is not a token (RFC 9110, section 5.6.2), or
    ///   either part contains a control character.
    public init?(parsing line: String) {
        var line = line
        let parts = line.withUTF8 { bytes in
            Self.parts(of: UnsafeRawBufferPointer(bytes)).map {
                (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
            }
        }
        guard let (name, value) = parts else { return nil }
        self.init(name, value)
    }

    /// Splits a line like `init(parsing:)`, but without copying, because a mirror reads a million lines.
    static func parts(
        of line: UnsafeRawBufferPointer
    ) -> (name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        let name = line[..<colon]
        guard name.allSatisfy(isTokenByte), let value = value(of: line[(colon + 1)...]) else { return nil }
        return (name, value)
    }

    /// Returns text without surrounding spaces and tabs; `nil` if it contains other control characters.
    static func value(of text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        var value = text.drop { $0.isBlank }
        while let last = value.last, last.isBlank { value.removeLast() }
        return isPlain(value) ? value : nil
    }

    /// Returns true if a value has no control characters other than tabs.
    static func isPlain(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { isPlain(UnsafeRawBufferPointer($0)[...]) }
    }

    /// Returns true if the text has no control characters other than tabs.
    private static func isPlain(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        var isAfterC2 = false
        for byte in text {
            // U+0080 to U+009F are C2 80 to C2 9F.
            if isAfterC2, (0x80..<0xa0).contains(byte) { return false }
            guard byte >= 0x20 && byte != 0x7f || byte == 0x09 else { return false }
            isAfterC2 = byte == 0xc2
        }
        return true
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
            true
        default:
            "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}

extension UInt8 {
    /// True for a space and a tab.
    package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// True for a space, a tab, and the bytes that end lines.
    var isBlankOrLineEnd: Bool { isBlank || self == 0x0a || self == 0x0d }
}

extension Unicode.Scalar {
    /// True for the general category Cc, which never gets new members.
    var isControl: Bool { value < 0x20 || (0x7f...0x9f).contains(value) }
}

extension ArraySlice<UInt8> {
    /// Returns the bytes without surrounding spaces and tabs.
    package func trimmingBlanks() -> ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank })
        else { return prefix(0) }
        return self[first...last]
    }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Returns the text without surrounding spaces and tabs, even if a combining mark follows one of them.
    package func trimmingBlanks() -> SubSequence {
        guard let first = utf8.firstIndex(where: { !$0.isBlank }),
            let last = utf8.lastIndex(where: { !$0.isBlank })
        else { return self[startIndex..<startIndex] }
        return self[first..<utf8.index(after: last)]
    }
}

extension String {
    /// Returns the text without surrounding white space, such as the line break at the end of a file.
    package func trimmingBlanksAndLines() -> String {
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[...end].drop(while: \.isWhitespace))
    }
}

extension HTTPHeader {
    /// True for a field that concerns only the connection, or the coding of the response. Each request sets
    /// it itself, so the caller's can be omitted. Browsers include them in a copied command.
    package var isOfConnection: Bool { ["accept-encoding", "connection"].contains(name.lowercased()) }
}

extension [HTTPHeader] {
    /// True if the fields include Authorization.
    package var haveAuthorization: Bool { contains { $0.name.lowercased() == "authorization" } }
}

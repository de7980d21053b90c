/// Percent-encoding (RFC 3986, section 2.1) of all bytes except unreserved characters.
package enum PercentEncoding {
    /// Encodes everything except unreserved characters and slashes.
    package static func path(_ text: some StringProtocol) -> String { path(bytes: text.utf8) }

    /// Encodes everything except unreserved characters, for a query value.
    package static func query(_ text: some StringProtocol) -> String { query(bytes: text.utf8) }

    /// Like `path(_:)`, for text that may not be UTF-8.
    package static func path(bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: true) }

    /// Like `query(_:)`, for text that may not be UTF-8.
    package static func query(bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: false) }

    private static func encode(_ text: some Sequence<UInt8>, keepsSlashes: Bool) -> String {
        var bytes: [UInt8] = []
        for byte in text {
            if isUnreserved(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
                bytes.append(byte)
            } else {
                bytes += escape(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the bytes as text; bytes that are not UTF-8 are escaped, so that different bytes result in
    /// different text.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        text(bytes, escaping: { _ in false })
    }

    /// - Parameter isEscaped: True for scalars that are also escaped.
    static func text(_ bytes: some Sequence<UInt8>, escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
        let bytes = Array(bytes)
        var (made, place) = (String.UnicodeScalarView(), 0)
        func escaped(_ count: Int) -> String.UnicodeScalarView {
            String(decoding: bytes[place..<place + count].flatMap(escape), as: UTF8.self).unicodeScalars
        }
        var (parser, rest) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if isEscaped(scalar) { made += escaped(encoded.count) } else { made.append(scalar) }
                place += encoded.count
            case .error(let count):
                made += escaped(count)
                place += count
            case .emptyInput:
                return String(made)
            }
        }
    }

    /// Returns the three bytes of an escape.
    static func escape(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Returns the value of an escape's two digits; `nil` if they are not digits.
    static func value(of digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2 else { return nil }
        var value: UInt8 = 0
        for byte in digits {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            value = value << 4 | digit
        }
        return value
    }

    /// Returns true for characters that never need an escape (RFC 3986, section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

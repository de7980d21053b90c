/// Percent-encoding (RFC 3986, section 2.1) of bytes that are no unreserved characters.
package enum PercentEncoding {
    /// Encodes all but unreserved characters and slashes.
    package static func path(_ text: some StringProtocol) -> String { path(bytes: text.utf8) }

    /// Encodes all but unreserved characters, as the value of a query needs it.
    package static func query(_ text: some StringProtocol) -> String { query(bytes: text.utf8) }

    /// The same of text that may not be UTF-8.
    package static func path(bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: true) }

    /// The same of text that may not be UTF-8.
    package static func query(bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: false) }

    private static func encode(_ text: some Sequence<UInt8>, keepsSlashes: Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where keepsSlashes:
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

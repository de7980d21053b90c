/// The normalized spelling of all equivalent URLs (RFC 3986, sections 6.2.2 and 6.2.3).
enum URLIdentity {
    /// Returns the normalized spelling of a URL produced by the parser, which has neither dot segments nor a
    /// fragment.
    static func text(of url: String, _ origin: Origin) -> String {
        let rest = url.utf8.dropFirst(origin.scheme.utf8.count + "://".utf8.count)
        let tail = rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let authority = rest[..<tail.startIndex]
        // Nearly all URLs are already normalized, and then share storage with their identity.
        let isUsual =
            tail.first == UInt8(ascii: "/") && !tail.contains(UInt8(ascii: "%"))
            && authority.elementsEqual(self.authority(of: origin).utf8)
        if isUsual { return url }
        let path = tail.first == UInt8(ascii: "/") ? "" : "/"
        return "\(origin.scheme)://\(self.authority(of: origin))\(path)\(normalized(tail))"
    }

    private static func authority(of origin: Origin) -> String {
        origin.hasUsualPort ? origin.host : origin.description
    }

    /// Returns the text with upper-case escapes, and without unnecessary ones.
    private static func normalized(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if let value = PercentEncoding.value(of: rest.prefix(2)) {
                rest.removeFirst(2)
                bytes += PercentEncoding.isUnreserved(value) ? [value] : PercentEncoding.escape(value)
            } else {
                // Decoded, it would form an escape with the following characters.
                bytes += PercentEncoding.escape(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

internal import CSegCurl

/// Host names with characters outside ASCII, which are requested in their ASCII form (Punycode).
package enum HostName {
    /// The reason why a name has no ASCII form.
    struct Refusal: Error {
        var reason: String
    }

    /// Returns true if a name must be converted.
    static func isInternational(_ host: some StringProtocol) -> Bool {
        host.utf8.contains { $0 >= 0x80 }
    }

    /// Returns the ASCII form of a host name.
    static func ascii(_ host: String) throws(Refusal) -> String {
        var reason: UnsafePointer<CChar>?
        guard let text = seg_host_in_ascii(host, &reason) else {
            throw Refusal(reason: reason.map { String(cString: $0) } ?? "libidn2 is not installed")
        }
        defer { seg_host_free(text) }
        let ascii = String(cString: text)
        // A full-width slash, for example, becomes a slash, which would end the name.
        guard !ascii.isEmpty, ascii.utf8.allSatisfy(isPlain) else {
            throw Refusal(reason: "string contains a character that no host name contains")
        }
        return ascii
    }

    /// Returns the URL of a proxy, or its host and port, with the ASCII form of its host, if it has one, and
    /// with each @ of its login encoded.
    package static func asciiHost(ofProxy text: String) -> String {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let end = text[start...].firstIndex(of: "/") ?? text.endIndex
        let authority = URLText.withOneAt(Array(text[start..<end].utf8)[...])
        return hostInASCII("\(text[..<start])\(String(decoding: authority, as: UTF8.self))\(text[end...])")
    }

    private static func hostInASCII(_ text: String) -> String {
        guard isInternational(text) else { return text }
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let authority = text[start...].prefix { $0 != "/" }
        let login = authority.lastIndex(of: "@").map { text.index(after: $0) } ?? authority.startIndex
        let host = authority[login...].prefix { $0 != ":" }
        guard isInternational(host), let ascii = try? ascii(String(host)) else { return text }
        return "\(text[..<host.startIndex])\(ascii)\(text[host.endIndex...])"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

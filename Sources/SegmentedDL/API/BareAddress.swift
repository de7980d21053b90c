/// An address without a scheme, as users of curl and wget type it: `localhost:8080/file`.
package enum BareAddress {
    /// Returns the URL for an address without a scheme; the scheme is http, as in curl.
    ///
    /// - Returns: `nil` for a text that is probably not an address: a URL has a scheme, and a local path does
    ///   not begin with a host name, and has no port.
    package static func url(_ text: String) -> String? {
        let address = text.prefix { !"/?#".contains($0) }
        let rest = text[address.endIndex...]
        guard let (host, port) = hostAndPort(address) else { return nil }
        guard port != nil || isName(host) && rest.hasPrefix("/") else { return nil }
        return "http://\(text)"
    }

    /// Returns the host name or address, and the port if the text has one.
    private static func hostAndPort(_ text: Substring) -> (host: Substring, port: UInt16?)? {
        guard let colon = text.lastIndex(of: ":"), text.last != "]" else {
            return isHost(text) ? (text, nil) : nil
        }
        let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
        guard isHost(host), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else { return nil }
        return (host, port)
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let inside = text.dropFirst().dropLast()
            return inside.contains(":") && inside.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.first != "-"
                && label.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != 0x2e && $0 != 0x7e }
        }
    }

    /// True for a host that is unlikely to be the name of a local file.
    private static func isName(_ host: Substring) -> Bool {
        if host == "localhost" || host.hasPrefix("[") { return true }
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return false }
        let isNumeric = labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
        return isNumeric || last.count > 1 && last.allSatisfy { $0.isASCII && $0.isLetter }
    }
}

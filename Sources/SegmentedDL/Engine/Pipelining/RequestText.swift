/// Formats HTTP/1.1 requests that are not sent by libcurl (RFC 9112, section 3).
enum RequestText {
    /// Returns the field lines of a request.
    ///
    /// - Parameters:
    ///   - headers: The caller's fields, which replace the default ones.
    ///   - authority: The Host field (RFC 9110, section 7.2).
    ///   - userAgent: The User-Agent field; empty for none.
    static func fields(_ headers: [HTTPHeader], authority: String, userAgent: String) -> [UInt8] {
        var headers = headers
        var usuals = [HTTPHeader("Host", authority), HTTPHeader("Accept", "*/*")]
        if !userAgent.isEmpty { usuals.append(HTTPHeader("User-Agent", userAgent)) }
        for usual in usuals
        where !headers.contains(where: { $0.name.lowercased() == usual.name.lowercased() }) {
            headers.insert(usual, at: 0)
        }
        return headers.flatMap { line($0) }
    }

    static func line(_ header: HTTPHeader) -> [UInt8] {
        Array(header.name.utf8) + Array(": ".utf8) + Array(header.value.utf8) + Array("\r\n".utf8)
    }

    /// Returns the path and query of a URL as sent (RFC 9112, section 3.2.1).
    ///
    /// - Returns: `nil` if a part of the URL would have to be encoded or dropped. This is left to libcurl so
    ///   that it is done in the same way for all requests.
    static func target(of source: Source) -> String? {
        let rest = source.url.utf8.dropFirst(source.origin.scheme.utf8.count + 3)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let target = rest[slash...]
        var last = UInt8(0)
        for byte in target {
            guard (0x21...0x7e).contains(byte), byte != UInt8(ascii: "#"),
                byte != UInt8(ascii: ".") || last != UInt8(ascii: "/")
            else { return nil }
            last = byte
        }
        return String(Substring(target))
    }
}

extension Origin {
    /// The Host field of a request for the source (RFC 9110, section 7.2). It includes the port only if it is
    /// not the default.
    var authority: String {
        port == (scheme == "https" ? 443 : 80) ? host : description
    }
}

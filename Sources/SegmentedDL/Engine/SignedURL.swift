/// URLs as their signature wants them (AWS Signature Version 4, the canonical request).
///
/// libcurl signs a path and a query as they stand, and 7.88 does not even sort; a store decodes what it gets,
/// encodes it anew in the one way there is, and compares. So that way is what is asked for.
enum SignedURL {
    /// The same URL with each byte encoded that has to be, no other, and the query's fields in their order.
    static func canonical(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let scheme = parts[0].firstRange(of: "://") else { return url }
        let host = parts[0][scheme.upperBound...].prefix { $0 != "/" }
        let path = PercentEncoding.path(bytes: URLParser.decodedBytes(parts[0][host.endIndex...]))
        let query = parts.count > 1 ? "?" + canonicalQuery(parts[1]) : ""
        return parts[0][..<host.endIndex] + (path.isEmpty ? "/" : path) + query
    }

    private static func canonicalQuery(_ query: Substring) -> String {
        let fields = query.split(separator: "&").map { field in
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // A field without a value is signed as one with an empty one.
            return [encoded(pair[0]), pair.count > 1 ? encoded(pair[1]) : ""]
        }
        return fields.sorted {
            $0.lexicographicallyPrecedes($1) { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        }
        .map { $0.joined(separator: "=") }.joined(separator: "&")
    }

    /// A plus is a blank in a query.
    private static func encoded(_ text: Substring) -> String {
        let blanks = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.query(
            bytes: URLParser.decodedBytes(Substring(String(decoding: blanks, as: UTF8.self))))
    }

    /// Whether its query is a signature already; a second one is refused.
    static func isSigned(_ url: String) -> Bool {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let names = url[mark...].dropFirst().split(separator: "&").map {
            $0.prefix { $0 != "=" }.lowercased()
        }
        return names.contains("x-amz-signature")
            || (names.contains("signature") && names.contains("awsaccesskeyid"))
    }
}

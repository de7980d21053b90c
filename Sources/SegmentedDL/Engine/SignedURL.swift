/// URLs in the form required for signing (AWS Signature Version 4, canonical request).
///
/// libcurl signs the path and query unchanged, and 7.88 does not even sort the query. A store decodes the
/// URL, encodes it in canonical form, and compares the signatures. The request is therefore sent in that
/// form.
enum SignedURL {
    /// Returns the equivalent URL in which only the required bytes are encoded and the query's fields are
    /// sorted.
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
            // A field without a value is signed as if its value were empty.
            return [encoded(pair[0]), pair.count > 1 ? encoded(pair[1]) : ""]
        }
        return fields.sorted {
            $0.lexicographicallyPrecedes($1) { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        }
        .map { $0.joined(separator: "=") }.joined(separator: "&")
    }

    /// Encodes a part of a query, in which a plus is a space.
    private static func encoded(_ text: Substring) -> String {
        let blanks = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.query(
            bytes: URLParser.decodedBytes(Substring(String(decoding: blanks, as: UTF8.self))))
    }

    /// True if the host is one of Amazon's.
    static func isOfAmazon(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        let host = url[scheme.upperBound...].prefix { !"/?:".contains($0) }.lowercased()
        return host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn")
    }

    /// True if the query already contains a signature: stores refuse a second one.
    static func isSigned(_ url: String) -> Bool {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let names = url[mark...].dropFirst().split(separator: "&").map {
            $0.prefix { $0 != "=" }.lowercased()
        }
        return names.contains("x-amz-signature")
            || (names.contains("signature") && names.contains("awsaccesskeyid"))
    }
}

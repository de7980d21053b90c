/// Expected media types: `image/png`, `image/*` (RFC 9110, sections 8.3.1 and 12.5.1).
package enum MediaRange {
    /// Returns true for a valid media range. Parameters are not allowed.
    package static func isValid(_ range: String) -> Bool {
        let parts = range.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] != "*" || parts[1] == "*" else { return false }
        return parts.allSatisfy { $0 == "*" || HTTPHeader(parsing: "\($0): ") != nil && !$0.contains("*") }
    }

    /// Returns a valid media range unchanged.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` for an invalid one.
    @discardableResult
    package static func checked(_ range: String) throws(DownloadError) -> String {
        guard isValid(range) else {
            throw DownloadError(
                .invalidSetting,
                "'\(Printable.text(range))' is not a media type; write it as image/png or image/*.")
        }
        return range
    }

    /// Returns true if a Content-Type is one of the types, regardless of its parameters; a missing one never
    /// is.
    static func include(_ contentType: String?, in ranges: [String]) -> Bool {
        let type = (contentType ?? "").prefix { !"; \t,".contains($0) }.lowercased()
        guard type.contains("/") else { return false }
        return ranges.contains { range in
            let range = range.lowercased()
            return range == "*/*" || range == type
                || range.hasSuffix("/*") && type.hasPrefix(range.dropLast())
        }
    }
}

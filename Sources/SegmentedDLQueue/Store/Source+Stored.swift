import SegmentedDL

/// The text of the column `url`. A location in a hub or store is stored as the fragment of its usual URL, so
/// that versions without locations drop the fragment and can read the row.
extension Source {
    private static let mark: Character = "#"

    var stored: String {
        guard let location, let usual = try? location.usualURL() else { return url }
        return "\(usual.url)\(Self.mark)\(PercentEncoding.query(url))"
    }

    /// - Throws: `DownloadError` with code `invalidURL`.
    init(stored text: String) throws(DownloadError) {
        // A URL is stored without its fragment.
        guard let mark = text.firstIndex(of: Self.mark) else {
            try self.init(text)
            return
        }
        try self.init(named: URLParser.decoded(text[text.index(after: mark)...]))
    }
}

internal import SegmentedDL

/// The unchecked fields of one line of a list.
struct FieldLine {
    var urls: [String] = []
    var path: String?
    var size: Int64?
    var digests: [String] = []
    var etag: String?
    var lastModified: String?
    var headers: [String] = []
    var types: [String] = []

    /// Returns the item described by the fields.
    ///
    /// - Parameter hub: The URLs of `hf://` locations; `nil` to refuse locations.
    /// - Throws: `DownloadError` with code `invalidURL`, `badPath` or `invalidSetting`.
    func item(hub: HubFileURL?) throws(DownloadError) -> MirrorItem {
        let listed = try ListedSources(urls, hub: hub)
        guard let first = listed.sources.first else {
            throw DownloadError(.invalidSetting, "The entry has no URL.")
        }
        let path = if let path { try RelativePath(path) } else { try RelativePath(namedBy: first) }
        var item = MirrorItem(listed.sources, path: path)
        item.hubLocation = listed.location
        if let size {
            guard (0...ContentRange.largest).contains(size) else {
                throw DownloadError(.invalidSetting, "The size \(size) is not a number of bytes.")
            }
            item.size = size
        }
        for digest in digests { item.checksums.append(try Checksum(ofList: digest)) }
        item.etag = etag
        for text in headers {
            // The value may be a secret: show only the name.
            guard let header = HTTPHeader(parsing: text) else {
                throw DownloadError(
                    .invalidSetting,
                    "The header '\(Printable.text(text.prefix { $0 != ":" }))' is not a valid HTTP field; write NAME: VALUE."
                )
            }
            item.headers.append(header)
        }
        for type in types { item.expectedTypes.append(try MediaRange.checked(type)) }
        if let lastModified {
            guard let seconds = HTTPDate.seconds(lastModified) else {
                throw DownloadError(
                    .invalidSetting,
                    "'\(Printable.text(lastModified))' is not an HTTP date such as 'Fri, 01 Mar 2024 12:34:56 GMT'."
                )
            }
            item.modified = seconds
        }
        return item
    }
}

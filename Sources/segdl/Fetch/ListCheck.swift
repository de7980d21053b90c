import SegmentedDL

/// Checks that a text is a list of URLs.
enum ListCheck {
    /// The number of checked entries.
    static let sample = 100
    /// The maximum number of invalid entries, regardless of the number of valid ones.
    private static let mostWrong = 10

    /// - Throws: `DownloadError` with code `invalidSetting` if the text is a list of checksums, or if most
    ///   lines do not name a file. This is one error instead of one for each line of a different kind of
    ///   document.
    static func check(_ entries: some Sequence<InputList.Entry>, of list: String) throws(DownloadError) {
        let first = Array(entries.prefix(sample))
        let wrong = first.filter { !isOfList($0) }
        let lines = wrong.compactMap(\.firstURL).joined(separator: "\n")
        if !wrong.isEmpty, wrong.count == first.count, ChecksumList(lines).entries.count == first.count {
            throw DownloadError(
                .invalidSetting,
                "'\(list)' is a list of checksums, not of URLs. `segdl verify \(list)` checks existing files; `segdl mirror --base URL \(list) DIR` fetches them."
            )
        }
        guard wrong.count > mostWrong, wrong.count > first.count / 2 else { return }
        throw DownloadError(
            .invalidSetting,
            "'\(list)' does not look like a list of URLs: \(wrong.count) of its first \(first.count) entries are not URLs, such as \(list):\(wrong[0].line)."
        )
    }

    private static func isOfList(_ entry: InputList.Entry) -> Bool {
        guard let url = entry.firstURL else { return false }
        return LocationScheme(of: url) != nil || (try? Source(url)) != nil
    }
}

extension InputList.Entry {
    fileprivate var firstURL: String? {
        if case .file(let file) = self { file.urls[0] } else { nil }
    }
}

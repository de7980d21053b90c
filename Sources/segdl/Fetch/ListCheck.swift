import SegmentedDL

/// Checks that a text is a list of URLs.
enum ListCheck {
    /// The number of checked lines.
    private static let sample = 100
    /// The maximum number of invalid ones, regardless of the others.
    private static let mostWrong = 10

    /// - Throws: `DownloadError` with code `invalidSetting` if it is a list of checksums, or if most lines
    ///   name no file: one error instead of one for each line of another document.
    static func check(_ files: [NamedFile], of list: String) throws(DownloadError) {
        let first = Array(files.lazy.filter { $0.place != nil }.prefix(sample))
        let wrong = first.filter { !isOfList($0) }
        if !wrong.isEmpty, wrong.count == first.count, ChecksumList(lines(wrong)).entries.count == first.count
        {
            throw DownloadError(
                .invalidSetting,
                "'\(list)' is a list of checksums, not of URLs. `segdl verify \(list)` checks existing files; `segdl mirror --base URL \(list) DIR` fetches them."
            )
        }
        guard wrong.count > mostWrong, wrong.count > first.count / 2, let place = wrong[0].place else {
            return
        }
        throw DownloadError(
            .invalidSetting,
            "'\(list)' does not look like a list of URLs: \(wrong.count) of its first \(first.count) entries are not URLs, such as \(place)."
        )
    }

    private static func lines(_ files: [NamedFile]) -> String {
        files.map(\.url).joined(separator: "\n")
    }

    private static func isOfList(_ file: NamedFile) -> Bool {
        !file.isWrong
            && (LocationScheme(of: file.url) != nil || (try? Source(file.url)) != nil)
    }
}

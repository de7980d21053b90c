internal import SystemPackage

extension DownloadError {
    /// The error of a download whose name belongs to another one of the same run.
    package static func sameName(
        _ path: FilePath, of source: Source, and other: Source
    ) -> DownloadError {
        let text = other.description
        let both =
            source.identity == other.identity
            ? "\(text), which is given twice"
            : text == source.description
                ? "\(text), and of the same with another query" : "\(text), and of \(source)"
        return DownloadError(
            .duplicate, "'\(path)' is the name of \(both); give the second one another name.",
            url: source.description
        ).remedied(by: .ownName)
    }
}

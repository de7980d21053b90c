internal import SystemPackage

extension DownloadError {
    /// The error of a download whose name another download of the same run has reserved.
    package static func sameName(_ path: FilePath, of source: Source, and owner: NameOwner) -> DownloadError {
        switch owner {
        case .path(of: let other): sameName(path, of: source, and: other)
        case .spelling(let other):
            DownloadError(
                .duplicate,
                "'\(path.shown)' is the same file as '\(other.shown)' on this file system, which is not case-sensitive, and another file of this run has that name; fetch it into another directory.",
                url: source.description)
        case .output(let option):
            DownloadError(
                .duplicate,
                "'\(path.shown)' is the file of \(option), which would overwrite this one; choose another name for one of them.",
                url: source.description)
        }
    }

    /// The error of a download whose path another download of the same run has reserved.
    package static func sameName(
        _ path: FilePath, of source: Source, and other: Source
    ) -> DownloadError {
        let text = other.description
        let both =
            source.identity == other.identity
            ? "\(text), which is listed twice"
            : text == source.description
                ? "\(text), and of the same URL with another query" : "\(text), and of \(source)"
        return DownloadError(
            .duplicate, "'\(path)' is the name of \(both); choose another name for the second one.",
            url: source.description
        ).remedied(by: .ownName)
    }
}

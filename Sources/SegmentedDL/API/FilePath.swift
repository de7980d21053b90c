public import SystemPackage

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A file system path, from swift-system: a program that uses this library does not need to import it.
public typealias FilePath = SystemPackage.FilePath

extension DownloadRequest.Destination {
    /// Returns the file with this path.
    public static func file(path: String) -> Self { .file(FilePath(path)) }

    /// Returns the directory with this path; it is created if it is missing.
    public static func directory(path: String) -> Self { .directory(FilePath(path)) }

    /// The path of the file; `nil` if the caller has not chosen it.
    package var file: FilePath? {
        if case .file(let path) = self { path } else { nil }
    }

    /// The directory of the file; `nil` for a descriptor.
    package var directory: FilePath? {
        switch self {
        case .file(let path): path.directory
        case .directory(let path): path
        case .descriptor: nil
        }
    }
}

extension DownloadResult {
    /// The file as a URL; `nil` if the bytes were written to a descriptor.
    public var fileURL: URL? { path.map { URL(filePath: $0.string) } }
}

extension FilePath {
    /// The directory of the path; the current one for a bare name.
    package var directory: FilePath {
        let parent = removingLastComponent()
        return parent.isEmpty ? "." : parent
    }

    /// Checks the path of a setting. An empty one would mean the working directory.
    ///
    /// - Parameter problem: The predicate of the message.
    /// - Throws: `DownloadError` with code `invalidSetting` if the path is empty.
    package func checkIsNotEmpty(
        _ problem: String = "is not a directory; write '.' for the current one"
    ) throws(DownloadError) {
        try require(!isEmpty, "An empty path \(problem).")
    }

    /// The path as a user writes it: without a leading `./`.
    package var shown: String {
        let text = string
        return text.hasPrefix("./") && text.utf8.count > 2 ? String(text.dropFirst(2)) : text
    }
}

public import SystemPackage

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A path in the file system, of swift-system: a program that uses this library needs no import for it.
public typealias FilePath = SystemPackage.FilePath

extension DownloadRequest.Destination {
    /// The file with a path in text.
    public static func file(path: String) -> Self { .file(FilePath(path)) }

    /// The directory with a path in text; created if it is missing.
    public static func directory(path: String) -> Self { .directory(FilePath(path)) }
}

extension DownloadResult {
    /// The file as a URL; `nil` if the bytes went to a descriptor.
    public var fileURL: URL? { path.map { URL(filePath: $0.string) } }
}

extension FilePath {
    /// The path as a user writes it: without a `./` at its beginning.
    package var shown: String {
        let text = string
        return text.hasPrefix("./") && text.utf8.count > 2 ? String(text.dropFirst(2)) : text
    }
}

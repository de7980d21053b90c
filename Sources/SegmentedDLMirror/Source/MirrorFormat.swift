package import SegmentedDL

/// The kind of a mirror's source, by the name used in options.
package enum MirrorFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// The kind implied by the name of the source.
    case auto
    case index, s3, urls, jsonl, tsv, checksums, metalink, packages, record, debian

    /// The format of a list; `nil` if it is not a list.
    package var list: ListFormat? {
        switch self {
        case .auto, .index, .s3, .packages, .record, .debian: nil
        case .urls: .urls
        case .jsonl: .jsonLines
        case .tsv: .tabSeparated
        case .checksums: .checksums
        case .metalink: .metalink
        }
    }

    /// Returns the kind implied by a name; `nil` if it implies none.
    package static func guessed(_ name: String) -> MirrorFormat? {
        let name = name.lowercased()
        if name.hasSuffix("/") { return .index }
        let endings: [(MirrorFormat, [String])] = [
            (.jsonl, [".jsonl", ".ndjson"]), (.tsv, [".tsv"]), (.metalink, [".meta4", ".metalink"]),
            (
                .checksums,
                ["sums", "sums.txt", "checksums.txt"] + Checksum.Algorithm.hashes.map { ".\($0.rawValue)" }
            ),
        ]
        return endings.first { $0.1.contains(where: name.hasSuffix) }?.0
    }

    /// Returns the kind of a URL: a directory if the name does not imply another kind.
    package func resolved(for url: Source) -> MirrorFormat {
        guard self == .auto else { return self }
        if RecordPage.isPage(url) { return .record }
        if PackagePage.isPage(url) { return .packages }
        if DebianSource.isRelease(url) { return .debian }
        return Self.guessed(String(url.url.withoutQuery)) ?? .index
    }
}

extension MirrorSource {
    /// Creates the source for a URL.
    ///
    /// - Parameters:
    ///   - format: The kind; with `auto`, it follows from the name.
    ///   - prefix: The prefix of the keys of a bucket.
    package init(_ url: Source, _ format: MirrorFormat, prefix: String = "") {
        let format = format.resolved(for: url)
        self =
            if let list = format.list {
                .list(url, list)
            } else if format == .s3 {
                .bucket(url, prefix: prefix)
            } else if format == .packages {
                .packages(url)
            } else if format == .record {
                .record(url)
            } else if format == .debian {
                .debian(DebianSource(url))
            } else {
                .index(url)
            }
    }
}

import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// What SOURCE is, by what was said of it and by how it is called.
struct MirrorSourceOption: Equatable {
    /// The value of `--format`.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case auto, index, s3, urls, jsonl, tsv, checksums, metalink

        fileprivate var list: ListFormat? {
            switch self {
            case .auto, .index, .s3: nil
            case .urls: .urls
            case .jsonl: .jsonLines
            case .tsv: .tabSeparated
            case .checksums: .checksums
            case .metalink: .metalink
            }
        }
    }

    let source: MirrorSource
    /// The server that headers and credentials of the command line are for.
    let home: Source?
    /// What signs the requests for a bucket.
    private(set) var credentials: Credentials?

    /// - Parameter s3: How a bucket's store is reached; asked for only if it is one.
    /// - Throws: `DownloadError` with code `invalidURL`, `invalidSetting` or `badPath`.
    init(
        _ text: String, format: Format, base: String?, prefix: String?,
        s3: () throws(DownloadError) -> S3Settings = { () throws(DownloadError) in S3Settings() }
    ) throws(DownloadError) {
        if S3Location.isLocation(text) {
            self = try Self(location: text, format: format, prefix: prefix, s3: s3())
            return
        }
        let base = try base.map { text throws(DownloadError) in try Source(text) }
        guard Self.isURL(text) else {
            self = try Self(file: text, format: format, base: base, prefix: prefix)
            return
        }
        let url = try Source(text)
        home = url
        let path = url.url.prefix { $0 != "?" }
        let format = format == .auto ? Self.guessed(String(path)) ?? .index : format
        try Self.check(prefix: prefix, format)
        source =
            switch format {
            case .index, .auto: .index(url)
            case .s3: .bucket(url, prefix: prefix ?? "")
            default: .list(url, format.list ?? .urls)
            }
        if format == .s3, url.hasNoCredentials { credentials = try s3().credentials }
    }

    private init(
        location text: String, format: Format, prefix: String?, s3: S3Settings
    ) throws(DownloadError) {
        guard format == .auto || format == .s3 else {
            throw DownloadError(
                .invalidSetting,
                "s3:// names a bucket; --format \(format.rawValue) wants an http or https URL.")
        }
        let location = try S3Location(text)
        let url = try location.bucketURL(in: s3)
        // What is named is a directory, as in other sources: 's3://bucket/a' has nothing of 'ab/c'.
        let directory =
            location.key.isEmpty || location.key.hasSuffix("/") ? location.key : location.key + "/"
        source = .bucket(url, prefix: directory + (prefix ?? ""))
        home = url
        credentials = s3.credentials
    }

    private init(
        file text: String, format: Format, base: Source?, prefix: String?
    ) throws(DownloadError) {
        let known = format == .auto ? Self.guessed(text) ?? .urls : format
        try Self.check(prefix: prefix, known)
        guard let list = known.list else {
            throw DownloadError(
                .invalidURL, "'\(text)' is no http or https URL, as --format \(known.rawValue) needs one.")
        }
        let path = text == "-" ? FilePath("/dev/stdin") : FilePath(text)
        do {
            // What cannot be read is said before anything begins.
            try FileDescriptor.open(path, .readOnly, options: .nonBlocking).close()
        } catch {
            throw DownloadError(.badPath, "Cannot read the list '\(text)': \(error).")
        }
        source = .file(path, list, base: base)
        home = base
    }

    private init(source: MirrorSource, home: Source?) {
        self.source = source
        self.home = home
    }

    private static func check(prefix: String?, _ format: Format) throws(DownloadError) {
        guard prefix == nil || format == .s3 else {
            throw DownloadError(.invalidSetting, "--prefix is for s3:// and --format s3.")
        }
    }

    private static func isURL(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// What a name says; `nil` if it says nothing.
    private static func guessed(_ name: String) -> Format? {
        let name = name.lowercased()
        if name.hasSuffix("/") { return .index }
        let endings: [(Format, [String])] = [
            (.jsonl, [".jsonl", ".ndjson"]), (.tsv, [".tsv"]), (.metalink, [".meta4", ".metalink"]),
            (
                .checksums,
                ["sums", "sums.txt", "checksums.txt"] + Checksum.Algorithm.allCases.map { ".\($0.rawValue)" }
            ),
        ]
        return endings.first { $0.1.contains(where: name.hasSuffix) }?.0
    }
}

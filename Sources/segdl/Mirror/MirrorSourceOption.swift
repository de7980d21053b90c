import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// The source of a mirror, from SOURCE and its options.
struct MirrorSourceOption: Equatable {
    typealias Format = MirrorFormat

    let source: MirrorSource
    /// The server for the headers and credentials of the command line.
    let origin: Source?
    /// The keys that sign requests for a bucket.
    private(set) var credentials: Credentials?
    /// The header fields for a hub.
    private(set) var headers: [HTTPHeader] = []
    /// The remedy for an exhausted quota, as a clause; `nil` for none.
    private(set) var quotaAdvice: String?
    /// The settings of the hub that a list may name; `nil` for other sources.
    private(set) var hub: HubSettings?

    /// - Parameters:
    ///   - isPlain: True for a registry without TLS.
    ///   - s3: Returns the settings of a bucket's store, with the profile in its location; called only for a
    ///     bucket.
    ///   - hub: Returns the settings of a model hub; called only for a repository.
    ///   - releases: Returns the settings of GitHub; called only for a URL.
    /// - Throws: `DownloadError` with code `invalidURL`, `invalidSetting` or `badPath`.
    init(
        _ text: String, format: Format, base: String?, prefix: String?, isPlain: Bool = false,
        s3: (String?) throws(DownloadError) -> S3Settings = { _ throws(DownloadError) in S3Settings() },
        hub: () throws(DownloadError) -> HubSettings = { () throws(DownloadError) in try HubSettings() },
        releases: () throws(DownloadError) -> ReleasesSettings = { () throws(DownloadError) in
            try ReleasesSettings()
        }
    ) throws(DownloadError) {
        switch LocationScheme(of: text) {
        case .hub:
            guard format == .auto, prefix == nil else {
                throw DownloadError(
                    .invalidSetting,
                    "hf:// is a repository; leave out --format and --prefix, and filter with --include.")
            }
            let settings = try hub()
            source = .hub(HubSource(try HubLocation(text), settings))
            origin = settings.endpoint
            headers = settings.headers
            quotaAdvice = settings.quotaAdvice
            return
        case .image:
            guard format == .auto, prefix == nil else {
                throw DownloadError(
                    .invalidSetting, "oci:// is an image; leave out --format and --prefix.")
            }
            let named = try RegistrySource(RegistryLocation(text), isPlain: isPlain ? true : nil)
            (source, origin) = (.registry(named), named.endpoint)
            return
        case .object:
            let location = try S3Location(text)
            self = try Self(location: location, format: format, prefix: prefix, s3: s3(location.profile))
            return
        case nil: break
        }
        let base = try base.map { text throws(DownloadError) in try Source(text) }
        guard Self.isURL(text) else {
            self = try Self(file: text, format: format, base: base, prefix: prefix)
            // Invalid settings matter only to lists that name a hub.
            self.hub = try? hub()
            return
        }
        let url = try Source(text)
        if format == .auto {
            let settings = try releases()
            if let named = ReleasesSource(url, settings) {
                try Self.check(prefix: prefix, format)
                source = .releases(named)
                origin = settings.api
                headers = settings.headers
                quotaAdvice = settings.quotaAdvice
                return
            }
        }
        origin = url
        let format = format.resolved(for: url)
        try Self.check(prefix: prefix, format)
        source = MirrorSource(url, format, prefix: prefix ?? "")
        if format == .s3, !url.hasCredentials { credentials = try s3(nil).credentials }
    }

    private init(
        location: S3Location, format: Format, prefix: String?, s3: S3Settings
    ) throws(DownloadError) {
        guard format == .auto || format == .s3 else {
            throw DownloadError(
                .invalidSetting,
                "s3:// is a bucket; --format \(format.rawValue) needs an http or https URL.")
        }
        let url = try location.bucketURL(in: s3)
        // The key is a directory, as in other sources: 's3://bucket/a' does not include 'ab/c'.
        let directory =
            location.key.isEmpty || location.key.hasSuffix("/") ? location.key : location.key + "/"
        source = .bucket(url, prefix: directory + (prefix ?? ""))
        origin = url
        credentials = s3.credentials
    }

    private init(
        file text: String, format: Format, base: Source?, prefix: String?
    ) throws(DownloadError) {
        if text.lowercased().hasPrefix("docker://") {
            throw DownloadError(
                .invalidURL,
                "'\(Printable.text(text))' is an image in a registry; write oci://HOST/NAME:TAG, as in oci://docker.io/library/alpine:3.20."
            )
        }
        let path = text == "-" ? FilePath("/dev/stdin") : FilePath(text)
        let known =
            format == .auto
            ? Format.guessed(text) ?? (Self.isJSONLines(path) ? .jsonl : .urls) : format
        try Self.check(prefix: prefix, known)
        guard let list = known.list else {
            throw DownloadError(
                .invalidURL,
                BareAddress.url(text).map { "'\(text)' is not a full URL; write \($0)." }
                    ?? "'\(text)' is not an http or https URL, which --format \(known.rawValue) requires."
            )
        }
        guard list != .checksums || base != nil else {
            throw DownloadError(
                .invalidSetting,
                "'\(text)' lists names without URLs; give their directory with --base URL.")
        }
        do {
            // An unreadable list is reported before anything starts.
            try FileDescriptor.open(path, .readOnly, options: .nonBlocking).close()
        } catch {
            throw DownloadError(.badPath, "Cannot read the list '\(text)': \(error).")
        }
        if format == .auto, list == .urls, Self.isChecksums(path) {
            throw DownloadError(
                .invalidSetting,
                "'\(text)' is a list of checksums, not of URLs; add --format checksums"
                    + (base == nil ? ", and --base URL with the directory that its files are in." : "."))
        }
        source = .file(path, list, base: base)
        origin = base
    }

    /// True for a file that begins with a JSON object. A pipe is not examined, as for checksums.
    private static func isJSONLines(_ path: FilePath) -> Bool {
        guard (try? SystemCalls.statusFollowingLinks(path))?.kind == .file else { return false }
        let beginning = TextFile.beginning(of: path)
        let text = beginning.starts(with: ByteOrderMark.utf8) ? beginning.dropFirst(3) : beginning[...]
        return text.first { !Array(" \t\r\n".utf8).contains($0) } == UInt8(ascii: "{")
    }

    /// True for a file that begins with checksums. A pipe is not examined, because its bytes can be read only
    /// once.
    private static func isChecksums(_ path: FilePath) -> Bool {
        guard (try? SystemCalls.statusFollowingLinks(path))?.kind == .file else { return false }
        let beginning = TextFile.beginning(of: path)
        let list = ChecksumList(String(decoding: beginning, as: UTF8.self))
        // The last line may be incomplete.
        return !list.entries.isEmpty && list.unreadableLines.count <= (beginning.count < 65_536 ? 0 : 1)
    }

    private init(source: MirrorSource, origin: Source?) {
        self.source = source
        self.origin = origin
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
}

extension MirrorFormat: ExpressibleByArgument {}

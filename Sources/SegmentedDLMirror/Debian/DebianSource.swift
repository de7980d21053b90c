public import SegmentedDL

/// Suites of a Debian repository: their indexes, and the packages listed in them.
///
///     var source = DebianSource(try Source("https://deb.debian.org/debian/dists/bookworm/"))
///     source.components = ["main"]
///     source.architectures = ["amd64"]
///     let report = await downloader.mirror(job, of: downloader.entries(of: .debian(source))).report()
///
/// Files keep their paths in the repository. After all of them are complete, the mirror renames the indexes
/// to their final names, `InRelease` last, so that a client of the mirror never sees an index whose files are
/// missing.
public struct DebianSource: Sendable, Hashable {
    /// The URL of the repository, with a trailing slash: the directory that contains `dists`.
    public let root: Source

    /// The suites, by their paths below `dists`, such as `bookworm-updates`. One with a trailing slash is a
    /// directory below the root that directly contains its indexes, such as `./`.
    public var suites: [String]

    /// The components, such as `main`; empty for all components of a suite.
    public var components: [String] = []

    /// The architectures, such as `amd64`, and `source` for source packages; empty for all architectures,
    /// without sources.
    public var architectures: [String] = []

    private static let releases: Set<Substring> = ["InRelease", "Release", "Release.gpg"]

    /// Creates the source for a URL: that of a repository, of one of its suites (`…/dists/bookworm/`), or of
    /// a suite's `InRelease`. For the URL of a repository, set ``suites``.
    public init(_ url: Source) {
        let text = url.url.withoutQuery
        let last = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let isRelease = Self.releases.contains(last)
        let place = isRelease ? text.dropLast(last.utf8.count) : text
        let directory = place.hasSuffix("/") ? String(place) : place + "/"
        let bytes = Array(directory.utf8)
        let dists = Array("/dists/".utf8)
        let start = bytes.indices.last { bytes[$0...].starts(with: dists) }
        var (root, suites) = (directory, isRelease ? ["./"] : [])
        if let start {
            root = String(decoding: bytes[...start], as: UTF8.self)
            let suite = URLParser.decoded(
                String(decoding: bytes[(start + dists.count)...].dropLast(), as: UTF8.self))
            suites = suite.isEmpty ? [] : [suite]
        }
        self.root = (try? Source(root))?.with(url.credentials) ?? url
        self.suites = suites
    }

    /// Returns true for the URL of a suite's `InRelease`.
    static func isRelease(_ url: Source) -> Bool { url.lastPathComponent == "InRelease" }

    /// Returns the directory of a suite below the root, with a trailing slash; empty for the root.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    static func directory(of suite: String) throws(DownloadError) -> String {
        guard suite.hasSuffix("/") else { return try RelativePath("dists/\(suite)").text + "/" }
        let text = (suite.hasPrefix("./") ? suite.dropFirst(2) : suite[...]).dropLast()
        return text.isEmpty ? "" : try RelativePath(text).text + "/"
    }

    /// Identifies this source in the mirror's state.
    var identity: String {
        let parts = [suites, components, architectures].map { $0.joined(separator: " ") }
        return "\(root.identity)\n\(parts.joined(separator: "\n"))"
    }
}

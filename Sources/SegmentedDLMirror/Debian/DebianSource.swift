public import SegmentedDL

/// Suites of a Debian repository: their indexes, and the packages that these name.
///
///     var source = DebianSource(try Source("https://deb.debian.org/debian/dists/bookworm/"))
///     source.components = ["main"]
///     source.architectures = ["amd64"]
///     let report = await downloader.mirror(job, of: downloader.entries(of: .debian(source))).report()
///
/// Files have the paths that they have in the repository. Once all of them are there, the mirror gives the
/// indexes their names, and `InRelease` last, so that a client of the mirror never sees an index whose files
/// are missing.
public struct DebianSource: Sendable, Hashable {
    /// The URL of the repository, with a slash at its end: the directory that has `dists`.
    public let root: Source

    /// The suites, by their paths below `dists`, such as `bookworm-updates`. One with a slash at its end is a
    /// directory below the root that has its indexes itself, as `./`.
    public var suites: [String]

    /// The components, such as `main`; empty for all that a suite names.
    public var components: [String] = []

    /// The architectures, such as `amd64`, and `source` for source packages; empty for all but these.
    public var architectures: [String] = []

    private static let releases: Set<Substring> = ["InRelease", "Release", "Release.gpg"]

    /// Creates the source of a URL: of a repository, of one of its suites (`…/dists/bookworm/`), or of a
    /// suite's `InRelease`. The URL of a repository leaves the suites to be named.
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

    /// Returns the directory of a suite below the root, with a slash at its end; empty for the root.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    static func directory(of suite: String) throws(DownloadError) -> String {
        guard suite.hasSuffix("/") else { return try RelativePath("dists/\(suite)").text + "/" }
        let text = (suite.hasPrefix("./") ? suite.dropFirst(2) : suite[...]).dropLast()
        return text.isEmpty ? "" : try RelativePath(text).text + "/"
    }

    /// The text that tells the sources of two runs apart.
    var identity: String {
        let parts = [suites, components, architectures].map { $0.joined(separator: " ") }
        return "\(root.identity)\n\(parts.joined(separator: "\n"))"
    }
}

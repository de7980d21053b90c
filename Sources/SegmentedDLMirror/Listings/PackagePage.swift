internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A project's page in an index of Python packages: its files, in JSON (PEP 691) or HTML (PEP 503).
enum PackagePage {
    private struct Project: Decodable {
        struct File: Decodable {
            var filename: String
            var url: String
            var hashes: [String: String]?
            var size: Int64?
        }

        /// An element of the list; `nil` if it is not a file with a URL.
        struct Element: Decodable {
            let file: File?

            init(from decoder: any Decoder) {
                file = try? File(from: decoder)
            }
        }

        var files: [Element]
    }

    /// The version of a page in JSON (PEP 629).
    private struct Version: Decodable {
        struct Meta: Decodable {
            var version: String

            enum CodingKeys: String, CodingKey {
                case version = "api-version"
            }
        }

        var meta: Meta
    }

    /// The endings of a distribution's file name. Other links of a page in HTML lead elsewhere.
    private static let endings = [
        ".whl", ".zip", ".tar", ".tgz", ".tbz", ".txz", ".tlz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.lz",
        ".tar.lzma", ".tar.z", ".egg", ".exe", ".msi", ".rpm", ".deb", ".dmg",
    ]

    /// The media types to request: JSON includes sizes; HTML is the older format.
    static let accepted =
        "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"

    /// Returns true for the URL of a project in an index: `/simple/NAME/`, and its page on pypi.org.
    static func isPage(_ url: Source) -> Bool {
        let path = URLPath(of: url).components
        let parts = path.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
        return url.origin.host == "pypi.org" && parts.count == 2 && ["simple", "project"].contains(parts[0])
    }

    /// Returns the URL of a project's page in the index.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    static func place(_ url: Source) throws(DownloadError) -> Source {
        let parts = URLPath(of: url).components.map { String(decoding: $0, as: UTF8.self) }.filter {
            !$0.isEmpty
        }
        guard url.origin.host == "pypi.org", parts.count == 2, parts[0] == "project" else {
            // Without the trailing slash, the index would redirect.
            return url.hasQuery || url.url.hasSuffix("/")
                ? url : try Source(url.url + "/").with(credentialsOf: url)
        }
        return try URLParser.parse("/simple/\(PercentEncoding.path(normalized(parts[1])))/", relativeTo: url)
    }

    /// The normalized name of a project (PEP 503).
    static func normalized(_ name: String) -> String {
        name.lowercased().split { "-_.".contains($0) }.joined(separator: "-")
    }

    /// Reads a page. One in HTML that is truncated ends with an entry for the missing files.
    ///
    /// - Parameter redirected: The final URL after redirects.
    /// - Throws: `DownloadError` with code `badResponse` if it is not such a page.
    static func entries(_ bytes: [UInt8], of place: Source, from redirected: Source) throws(DownloadError)
        -> [MirrorEntry]
    {
        let base = redirected.hasQuery ? place : redirected
        let version = (try? JSONDecoder().decode(Version.self, from: Data(bytes)))?.meta.version ?? "1.0"
        guard version.split(separator: ".").first == "1" else {
            throw DownloadError(
                .badResponse,
                "'\(place)' is in version \(Printable.text(version)) of the format of Python package indexes, but segdl reads only version 1; use a later version of segdl.",
                url: place.description)
        }
        if let project = try? JSONDecoder().decode(Project.self, from: Data(bytes)) {
            return project.files.compactMap(\.file).map { file in
                entry(
                    file.filename, file.url, base: base, size: file.size,
                    (file.hashes ?? [:]).map { ($0, $1) })
            }
        }
        let end = PageEnd(of: bytes)
        // The name in a truncated tag may be truncated, too.
        let whole = Array(bytes.prefix(end.wholeBytes))
        let files = try links(whole, of: place, from: base).compactMap { file(of: $0.link, base: $0.base) }
        guard !files.isEmpty else {
            throw DownloadError(
                .badResponse,
                "'\(place)' is not a project page of a Python package index: it contains neither a JSON list of files nor links to files; write it like https://pypi.org/simple/NAME/.",
                url: place.description)
        }
        guard end.isCut else { return files }
        // Without a path, it prevents all deletions.
        let missing = UnusableEntry(
            place: place.description,
            reason:
                "'\(place)' ends in the middle of its page, so it may list more files; run again, or mirror a list of the files."
        )
        return files + [.unusable(missing)]
    }

    /// Returns the distribution that a link leads to; `nil` for other links.
    private static func file(of link: String, base: Source) -> MirrorEntry? {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let path = parts[0].prefix { $0 != "?" }
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let name = String(decoding: URLParser.decodedBytes(last), as: UTF8.self)
        let lowercased = name.lowercased()
        guard endings.contains(where: { lowercased.hasSuffix($0) }) else { return nil }
        let digest = (parts.count > 1 ? parts[1] : "").split(separator: "=", maxSplits: 1).map(String.init)
        return entry(
            name, parts[0], base: base, size: nil, digest.count == 2 ? [(digest[0], digest[1])] : [])
    }

    /// Returns the links of a page in HTML, each with the URL that it is relative to.
    private static func links(
        _ bytes: [UInt8], of place: Source, from page: Source
    ) throws(DownloadError) -> [(link: String, base: Source)] {
        var parser = try MarkupParser(.html(elements: ["a", "base"]), name: place.description)
        var base: Source?
        var found: [(link: String, base: Source)] = []
        for event in try parser.feed(bytes) + parser.finish() {
            guard case .start(let element, _, let attributes) = event, let link = attributes["href"] else {
                continue
            }
            switch element {
            // The first `<base>` applies (HTML, section 4.2.3).
            case "base": base = base ?? (try? URLParser.parse(link, relativeTo: page))
            default: found.append((link, base ?? page))
            }
        }
        return found
    }

    private static func entry(
        _ name: String, _ link: String, base: Source, size: Int64?, _ digests: [(String, String)]
    ) -> MirrorEntry {
        do throws(DownloadError) {
            let url = try URLParser.parse(link, relativeTo: base)
            var item = MirrorItem([url], path: try RelativePath(name))
            if let size, size >= 0 { item.size = size }
            for (algorithm, digest) in digests.sorted(by: { $0.0 < $1.0 }) {
                guard let algorithm = Checksum.Algorithm(rawValue: algorithm.lowercased()) else { continue }
                item.checksums.append(try Checksum(algorithm, digest))
            }
            return .item(item)
        } catch {
            return .unusable(UnusableEntry(place: Printable.text("\(base): \(name)"), error))
        }
    }
}

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

        var files: [File]
    }

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

    /// Reads a page.
    ///
    /// - Parameter redirected: The final URL after redirects.
    /// - Throws: `DownloadError` with code `badResponse` if it is not such a page.
    static func entries(_ bytes: [UInt8], of place: Source, from redirected: Source) throws(DownloadError)
        -> [MirrorEntry]
    {
        let base = redirected.hasQuery ? place : redirected
        if let project = try? JSONDecoder().decode(Project.self, from: Data(bytes)) {
            return project.files.map { file in
                entry(
                    file.filename, file.url, base: base, size: file.size,
                    (file.hashes ?? [:]).map { ($0, $1) })
            }
        }
        let links = try links(bytes, of: place)
        guard !links.isEmpty else {
            throw DownloadError(
                .badResponse,
                "'\(place)' is not a project page of a Python package index: it contains neither a JSON list of files nor links to files; write it like https://pypi.org/simple/NAME/.",
                url: place.description)
        }
        return links.map { link in
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let path = parts[0].prefix { $0 != "?" }
            let last =
                path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            let name = String(decoding: URLParser.decodedBytes(Substring(last)), as: UTF8.self)
            let digest = (parts.count > 1 ? parts[1] : "").split(separator: "=", maxSplits: 1).map(
                String.init)
            return entry(
                name, parts[0], base: base, size: nil, digest.count == 2 ? [(digest[0], digest[1])] : [])
        }
    }

    private static func links(_ bytes: [UInt8], of place: Source) throws(DownloadError) -> [String] {
        var parser = try MarkupParser(.html(elements: ["a"]), name: place.description)
        let events = try parser.feed(bytes) + parser.finish()
        return events.compactMap { event in
            guard case .start("a", _, let attributes) = event else { return nil }
            return attributes["href"]
        }
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

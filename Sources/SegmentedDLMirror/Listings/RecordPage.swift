internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A record of Zenodo or another repository of research data on InvenioRDM, as described by its API.
enum RecordPage {
    private struct File: Decodable {
        struct Links: Decodable {
            var content: String?
            var own: String?

            enum CodingKeys: String, CodingKey {
                case content
                case own = "self"
            }
        }

        var key: String
        var size: Int64?
        var checksum: String?
        var links: Links?
    }

    private struct Record: Decodable {
        /// InvenioRDM's format.
        struct Files: Decodable {
            var entries: [String: File]
        }

        var files: [File]

        enum CodingKeys: CodingKey { case files }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            do {
                files = try container.decode([File].self, forKey: .files)
            } catch {
                files = try container.decode(Files.self, forKey: .files).entries.values.sorted {
                    $0.key < $1.key
                }
            }
        }
    }

    /// The hosts whose record pages are recognized.
    private static let hosts: Set = ["zenodo.org", "www.zenodo.org", "sandbox.zenodo.org"]
    /// The prefix of Zenodo's DOIs, followed by a record's number.
    private static let doi = "/10.5281/zenodo."

    /// Returns true for the URL of a Zenodo record, or its DOI.
    static func isPage(_ url: Source) -> Bool {
        let origin = url.origin
        if ["doi.org", "dx.doi.org"].contains(origin.host) { return url.url.contains(doi) }
        return hosts.contains(origin.host) && number(in: URLPath(of: url)) != nil
    }

    /// Returns the API's URL for a record's page; other URLs are API URLs already.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    static func place(_ url: Source) throws(DownloadError) -> Source {
        if let range = url.url.firstRange(of: doi), url.origin.host.hasSuffix("doi.org") {
            let number = url.url[range.upperBound...].prefix { $0.isASCII && $0.isNumber }
            return try Source("https://zenodo.org/api/records/\(number)")
        }
        guard let number = number(in: URLPath(of: url)) else { return url }
        return try URLParser.parse("/api/records/\(number)", relativeTo: url).with(credentialsOf: url)
    }

    /// The number of a record in the path of its page: `/records/NUMBER`, possibly followed by more.
    private static func number(in path: URLPath) -> String? {
        let parts = path.components.map { String(decoding: $0, as: UTF8.self) }
        guard parts.count >= 2, ["records", "record"].contains(parts[0]), !parts[1].isEmpty else {
            return nil
        }
        return PercentEncoding.path(parts[1])
    }

    /// Reads a record.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if it is not a record, or lists no files.
    static func entries(_ bytes: [UInt8], of place: Source) throws(DownloadError)
        -> [MirrorEntry]
    {
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes)) else {
            throw DownloadError(
                .badResponse,
                "'\(place)' describes no files: it is not a record of Zenodo's or InvenioRDM's API, or its files are restricted; in that case, send a token with -H 'Authorization: Bearer …'.",
                url: place.description)
        }
        return record.files.map { file in
            do throws(DownloadError) {
                guard let link = file.links?.content ?? file.links?.own else {
                    throw DownloadError(.badResponse, "The file has no link.")
                }
                let url = try URLParser.parse(link, relativeTo: place)
                var item = MirrorItem([url], path: try RelativePath(file.key))
                if let size = file.size, size >= 0 { item.size = size }
                if let checksum = file.checksum { item.checksums = try Self.checksums(checksum) }
                return .item(item)
            } catch {
                return .unusable(UnusableEntry(place: Printable.text("\(place): \(file.key)"), error))
            }
        }
    }

    /// Parses `md5:HEX`; unknown algorithms are ignored.
    private static func checksums(_ text: String) throws(DownloadError) -> [Checksum] {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw DownloadError(.badResponse, "The checksum '\(Printable.text(text))' has no algorithm.")
        }
        guard let algorithm = Checksum.Algorithm(rawValue: parts[0].lowercased()) else { return [] }
        return [try Checksum(algorithm, parts[1])]
    }
}

internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The responses of GitHub's API about releases.
enum ReleasePage {
    private struct Release: Decodable {
        struct Asset: Decodable {
            var name: String
            var size: Int64
            var digest: String?
            var browserDownloadURL: String
            var url: String?

            enum CodingKeys: String, CodingKey {
                case name, size, digest, url
                case browserDownloadURL = "browser_download_url"
            }
        }

        var tag: String
        var draft: Bool?
        var assets: [Asset]

        enum CodingKeys: String, CodingKey {
            case draft, assets
            case tag = "tag_name"
        }
    }

    private struct Repository: Decodable {
        var isPrivate: Bool

        enum CodingKeys: String, CodingKey { case isPrivate = "private" }
    }

    /// Returns true if the description of a repository says that anyone can read it.
    static func isPublic(_ bytes: [UInt8]) -> Bool {
        (try? JSONDecoder().decode(Repository.self, from: Data(bytes)))?.isPrivate == false
    }

    /// Reads a page of all releases, with a directory for each release, or a single release without
    /// directories.
    ///
    /// - Parameter byAPI: True to fetch the files from the API, which alone has those of a private
    ///   repository.
    /// - Throws: `DownloadError` with code `badResponse` if it is neither.
    static func entries(
        _ bytes: [UInt8], of place: Source, in source: ReleasesSource, byAPI: Bool = false
    ) throws(DownloadError) -> [MirrorEntry] {
        let data = Data(bytes), decoder = JSONDecoder()
        if source.part == .all, let releases = try? decoder.decode([Release].self, from: data) {
            // Drafts are visible only to the owner, and their files have no permanent URL.
            return releases.filter { $0.draft != true }.flatMap { release in
                release.assets.map { entry($0, at: "\(release.tag)/\($0.name)", in: source, byAPI) }
            }
        }
        if source.part != .all, let release = try? decoder.decode(Release.self, from: data) {
            return release.assets.map { entry($0, at: $0.name, in: source, byAPI) }
        }
        throw DownloadError(
            .badResponse, "'\(place)' did not respond like GitHub's API; check GITHUB_API_URL.",
            url: place.description)
    }

    private static func entry(
        _ asset: Release.Asset, at path: String, in source: ReleasesSource, _ byAPI: Bool
    ) -> MirrorEntry {
        do throws(DownloadError) {
            var item = MirrorItem([try Source(asset.browserDownloadURL)], path: try RelativePath(path))
            if byAPI, let url = asset.url, let own = try? Source(url), own.origin == source.api.origin {
                item.sources = [own]
                // Otherwise the API describes the file instead of sending it.
                item.headers = [HTTPHeader("Accept", "application/octet-stream")]
            }
            if asset.size >= 0 { item.size = asset.size }
            // Assets uploaded before June 2025 have no digest.
            if let digest = asset.digest, digest.hasPrefix("sha256:") {
                item.checksums = [try Checksum(.sha256, String(digest.dropFirst("sha256:".count)))]
            }
            return .item(item)
        } catch {
            return .unusable(
                UnusableEntry(place: Printable.text("\(source.repository): \(path)"), error))
        }
    }
}

internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The responses of a hub's API.
enum HubPage {
    private struct Revision: Decodable {
        var sha: String
    }

    private struct Entry: Decodable {
        struct Large: Decodable {
            var oid: String
            var size: Int64
        }

        var type: String
        var path: String
        var size: Int64?
        var oid: String?
        var lfs: Large?
    }

    /// Reads the commit of a revision.
    ///
    /// - Throws: `DownloadError` with code `badResponse`.
    static func commit(_ bytes: [UInt8], of place: Source) throws(DownloadError) -> String {
        guard let sha = try? JSONDecoder().decode(Revision.self, from: Data(bytes)).sha, isObjectID(sha)
        else { throw garbled(place) }
        return sha
    }

    /// Reads a page of a tree.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if it cannot be read.
    static func entries(
        _ bytes: [UInt8], of place: Source, in source: HubSource, commit: String
    ) throws(DownloadError) -> [MirrorEntry] {
        guard let entries = try? JSONDecoder().decode([Entry].self, from: Data(bytes)) else {
            throw garbled(place)
        }
        return entries.compactMap { $0.type == "file" ? Self.entry($0, in: source, commit: commit) : nil }
    }

    private static func entry(_ entry: Entry, in source: HubSource, commit: String) -> MirrorEntry {
        do throws(DownloadError) {
            let url = try source.url(of: entry.path, at: commit)
            // Paths are relative to the directory in the location, as in other sources.
            let prefix = source.location.path.isEmpty ? "" : source.location.path + "/"
            guard entry.path.utf8.starts(with: prefix.utf8) else {
                throw DownloadError(
                    .badPath, "'\(Printable.text(entry.path))' is not in '\(source.location)'.")
            }
            let path = Substring(entry.path.utf8.dropFirst(prefix.utf8.count))
            var item = MirrorItem([url], path: try RelativePath(path))
            item.size = (entry.lfs?.size ?? entry.size).flatMap { (size: Int64) -> Int64? in
                size >= 0 ? size : nil
            }
            if let large = entry.lfs {
                item.checksums = [try Checksum(.sha256, large.oid)]
            } else if let oid = entry.oid, isObjectID(oid) {
                // The hub sends the ID of a small file's Git object as its ETag.
                item.etag = "\"\(oid)\""
                if let checksum = try? Checksum(.gitsha1, oid) { item.checksums = [checksum] }
            }
            return .item(item)
        } catch {
            return .unusable(UnusableEntry(place: Printable.text("\(source.location): \(entry.path)"), error))
        }
    }

    /// True for the ID of a Git object, SHA-1 or SHA-256.
    static func isObjectID(_ text: String) -> Bool {
        [40, 64].contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func garbled(_ place: Source) -> DownloadError {
        DownloadError(
            .badResponse,
            "'\(place)' did not respond like the API of a hub; check HF_ENDPOINT.", url: place.description)
    }
}

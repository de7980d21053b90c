internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The responses of a hub's API.
enum HubPage {
    /// The commit of a revision, and the paths of its files; no paths if the hub does not list them.
    struct Revision: Equatable {
        var commit: String
        var files: [String]
    }

    /// The content of a page of a tree.
    struct Content {
        var entries: [MirrorEntry]
        /// The paths of all entries, including directories.
        var paths: [String]
    }

    private struct RevisionAnswer: Decodable {
        struct Sibling: Decodable {
            var rfilename: String
        }

        var sha: String
        var siblings: Lenient<[Lenient<Sibling>?]>?
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

    /// Reads the description of a revision.
    ///
    /// - Throws: `DownloadError` with code `badResponse`.
    static func revision(_ bytes: [UInt8], of place: Source) throws(DownloadError) -> Revision {
        guard let answer = try? JSONDecoder().decode(RevisionAnswer.self, from: Data(bytes)),
            isObjectID(answer.sha)
        else { throw garbled(place) }
        let siblings = answer.siblings?.value ?? []
        return Revision(commit: answer.sha, files: siblings.compactMap { $0?.value?.rfilename })
    }

    /// Reads a page of a tree. An entry that cannot be read is unusable.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if no entry can be read.
    static func tree(
        _ bytes: [UInt8], of place: Source, in source: HubSource, commit: String
    ) throws(DownloadError) -> Content {
        guard let answer = try? JSONDecoder().decode([Lenient<Entry>?].self, from: Data(bytes)) else {
            throw garbled(place)
        }
        let read = answer.map { $0?.value }
        let paths = read.compactMap { $0?.path }
        guard !paths.isEmpty || read.isEmpty else { throw garbled(place) }
        let entries = read.compactMap { entry -> MirrorEntry? in
            guard let entry else {
                return .unusable(
                    UnusableEntry(
                        place: place.description, reason: "An entry of the hub's listing cannot be read."))
            }
            return entry.type == "file" ? Self.entry(entry, in: source, commit: commit) : nil
        }
        return Content(entries: entries, paths: paths)
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
            item.hubLocation = source.fileLocation(of: entry.path, at: commit)
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

/// A value whose malformed content does not affect the document that contains it.
struct Lenient<Value: Decodable>: Decodable {
    /// `nil` if it cannot be read.
    let value: Value?

    init(from decoder: any Decoder) {
        value = try? Value(from: decoder)
    }
}

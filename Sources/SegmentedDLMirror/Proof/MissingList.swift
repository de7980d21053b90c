internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The missing files of a run, as a list that can itself be mirrored.
enum MissingList {
    private static let batch = 1024

    /// Writes the list. Blocks.
    static func write(_ store: MirrorStore, to path: FilePath) throws {
        let file = try ListFile(path, isPrivate: true)
        var turn: Int64 = 0
        while true {
            let waiting = try store.waiting(after: turn, atMost: batch)
            guard let end = waiting.last else { break }
            turn = end.turn
            for waiting in waiting { try file.add(JSONText.line(Line(waiting.item))) }
        }
        try file.finish()
    }

    private struct Line: Encodable {
        let path: String
        let url: [String]
        let size: Int64?
        let digest: [Checksum]?
        let etag: String?
        let expectTypes: [String]?
        let header: [String]?

        private enum CodingKeys: String, CodingKey {
            case path, url, size, digest, etag, header
            case expectTypes = "expect_type"
        }

        init(_ item: MirrorItem) {
            path = item.shownPath.text
            // The URL of a hub's file would be requested without the hub's token.
            let location = item.hubLocation.map { [$0.text] } ?? []
            url = location + item.sources.dropFirst(location.count).map(\.url)
            size = item.size
            digest = item.checksums.isEmpty ? nil : item.checksums
            etag = item.etag
            expectTypes = item.expectedTypes.isEmpty ? nil : item.expectedTypes
            header = item.headers.isEmpty ? nil : item.headers.map { "\($0.name): \($0.value)" }
        }
    }
}

/// Encodes values as JSON lines.
enum JSONText {
    /// Returns a value as one line of JSON.
    ///
    /// - Throws: `DownloadError` with code `ioFailed`, which never happens for strings and numbers.
    static func line(_ value: some Encodable) throws(DownloadError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw DownloadError(.ioFailed, "A line cannot be written as JSON: \(error).", cause: error)
        }
    }
}

internal import SegmentedDL
internal import SystemPackage

/// The files of a download, other than the finished one, that may be on disk.
package struct Leftovers: Sendable, Hashable, Codable {
    /// The part file.
    package var unfinished: String?
    /// The file that was set aside because its digest was wrong.
    package var rejected: String?

    init(of record: QueueRecord) {
        unfinished = record.part?.part.string
        guard record.error?.code == .checksumMismatch else { return }
        rejected = record.path?.namingBeside(".rejected").string
    }

    /// Returns those that currently exist; `nil` if there are none. Blocks.
    package func present() -> Leftovers? {
        var present = self
        present.unfinished = unfinished.flatMap(Self.ifThere)
        present.rejected = rejected.flatMap(Self.ifThere)
        return present.unfinished == nil && present.rejected == nil ? nil : present
    }

    private static func ifThere(_ path: String) -> String? {
        ((try? SystemCalls.statusIfThere(FilePath(path))) ?? nil) == nil ? nil : path
    }
}

extension DownloadManager {
    /// Returns the files that may remain when downloads are removed.
    ///
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist.
    package func leftovers(of selection: Selection) throws -> [Receipt.ID: Leftovers] {
        var leftovers: [Receipt.ID: Leftovers] = [:]
        queue.records.forEach(try queue.ids(selection)) { leftovers[$0.id] = Leftovers(of: $0) }
        return leftovers
    }
}

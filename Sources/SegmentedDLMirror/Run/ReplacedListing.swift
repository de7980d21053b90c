internal import SegmentedDL
internal import SystemPackage

/// Recognizes a page that a server sends instead of a listing, such as that of a login, of maintenance or of
/// a network's operator. Its links would be taken for the files of the directory, and all others for removed
/// ones.
struct ReplacedListing: Sendable {
    private static let batchSize = 256

    let session: MirrorSession
    let filter: PathFilter

    /// Returns true if a page links to none of the files that earlier runs have fetched from a directory, and
    /// some of these exist.
    ///
    /// - Parameters:
    ///   - directory: `nil` for the first directory.
    ///   - linked: The files and directories to which a page links that does not look like a listing.
    func isReplaced(_ directory: RelativePath?, by linked: [RelativePath]) async throws -> Bool {
        try await DiskThread.run { () throws -> Bool in
            guard try !linked.contains(where: { try session.store.hasCopies(at: $0) }) else { return false }
            return try hasFiles(below: directory.map { $0.text + "/" } ?? "")
        }
    }

    /// Returns true if a file exists that a run without this directory would remove. Blocks.
    private func hasFiles(below prefix: String) throws -> Bool {
        var place = prefix
        while true {
            let files = try session.store.copies(after: place, atMost: Self.batchSize)
            guard let end = files.last else { return false }
            place = end.path.text
            for file in files {
                guard file.path.text.utf8.starts(with: prefix.utf8) else { return false }
                guard session.job.isOwn(file.path.text), filter.accepts(file.path) else { continue }
                if file.record.identity.isAt(session.job.root.appending(file.path.text)) { return true }
            }
        }
    }
}

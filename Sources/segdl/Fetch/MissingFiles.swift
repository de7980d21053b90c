import SegmentedDL
import SegmentedDLSupport
import SystemPackage

/// The files that a run has not completed, written as a list for another run when it ends.
final class MissingFiles: Sendable {
    private let list: Lock<ListFile?>
    private let missing: Lock<Set<Int>>
    private let requests: RunRequests
    /// The name of the list that contains the files.
    private let origin: String

    /// - Parameter path: The path of the list, which is written at the end; an existing file is kept until
    ///   then.
    /// - Throws: `DownloadError` if the list cannot be written.
    init(_ path: String, _ requests: RunRequests, of origin: String) throws(DownloadError) {
        self.requests = requests
        self.origin = origin
        do {
            // URLs and header fields may contain secrets.
            list = Lock(try ListFile(FilePath(path), isPrivate: true))
        } catch {
            throw error.asDownloadError
        }
        missing = Lock(Set(requests.indices))
    }

    /// Records that a file of the run is complete.
    func completed(_ id: Int) {
        missing.withLock { _ = $0.remove(id) }
    }

    /// Writes the list. Blocks.
    ///
    /// - Throws: `StorageError`.
    func write() throws {
        guard let list = list.withLock({ $0 }) else { return }
        for id in missing.withLock({ $0.sorted() }) {
            guard let entry = requests.entry(id) else { continue }
            try list.add(InputList.text(of: entry, in: origin).utf8)
        }
        try list.finish()
    }
}

import Dispatch
import SegmentedDL
import SegmentedDLSupport

/// Stores the paths and the identities of small files before they receive their names, many files in one
/// transaction: after a kill, a file without its record would count as another program's.
final class BatchJournal: CompletionJournal {
    struct File: Sendable {
        let id: Receipt.ID
        let run: Int
        /// The settings that it was requested with.
        let request: DownloadRequest
        let identity: FileIdentity
    }

    private let store: @Sendable ([File]) async throws -> Void
    private let files = Lock<[File]>([])

    /// - Parameter store: Returns when the files are stored.
    init(_ store: @escaping @Sendable ([File]) async throws -> Void) {
        self.store = store
    }

    func add(_ file: File) { files.withLock { $0.append(file) } }

    /// Blocks until the manager, which never waits for the thread that calls this, has stored the files.
    func commit() throws {
        let added = files.withLock { files in
            defer { files = [] }
            return files
        }
        let (result, isStored) = (Lock<Result<Void, any Error>>(.success(())), DispatchSemaphore(value: 0))
        CallerClosure.task { [store] in
            do {
                try await store(added)
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            isStored.signal()
        }
        isStored.wait()
        try result.withLock { $0 }.get()
    }
}

import SegmentedDLSupport
internal import SystemPackage

/// Renames small files to their final names, in batches.
///
/// A sync of one file waits for the journal of the whole file system, and a directory allows one change at a
/// time. A batch waits only once, and its files do not delay each other.
final class CommitQueue: Sendable {
    fileprivate enum Work: Sendable {
        case prepare(Commit, CheckedContinuation<Finalizer.ReadyFile, any Error>)
        case publish(Publishing)
    }

    /// A file to rename.
    struct Publishing: Sendable {
        let commit: Commit
        /// `nil` if it has not been prepared yet.
        var ready: Finalizer.ReadyFile?
        /// Receives the final name, or the error.
        let done: @Sendable (Result<FilePath, any Error>) -> Void
    }

    /// The maximum number of files that may wait in addition to the active ones: each holds a descriptor, so
    /// this is 0 if the process has few.
    private let most: Int

    private let queue = BatchQueue<Work>(label: "SegmentedDL.commit", process: CommitQueue.run)

    /// - Parameter most: The maximum number of files that may wait in addition to the active ones.
    init(most: Int = 32) {
        self.most = min(most, max(0, SystemCalls.descriptorLimit - 128) / 8)
    }

    /// True while few files wait.
    var hasRoom: Bool { queue.count < most }

    /// Prepares a file for its final name.
    ///
    /// - Throws: The errors of `Finalizer.prepare`.
    func prepare(_ commit: Commit) async throws -> Finalizer.ReadyFile {
        try await withCheckedThrowingContinuation { queue.add(.prepare(commit, $0)) }
    }

    /// Renames a file to its final name, in the next batch.
    ///
    /// - Parameter ready: The result of `prepare`; `nil` if that was not called.
    /// - Throws: The errors of `Finalizer.prepare` and `Finalizer.publish`.
    func publish(_ commit: Commit, _ ready: Finalizer.ReadyFile? = nil) async throws -> FilePath {
        try await withCheckedThrowingContinuation { continuation in
            queue.add(
                .publish(Publishing(commit: commit, ready: ready) { continuation.resume(with: $0) }))
        }
    }

    private static func run(_ batch: [Work]) {
        var publishing: [Publishing] = []
        // Start the writeback of all files before waiting for the first.
        for work in batch { work.unready?.beginWriteback() }
        for work in batch {
            switch work {
            case .prepare(let commit, let continuation):
                continuation.resume(with: Result { try commit.ready() })
            case .publish(let file): publishing.append(file)
            }
        }
        prepareAndName(publishing)
    }

    /// Renames files to their final names, and delivers each result. Blocks.
    static func publish(_ files: [Publishing]) {
        for file in files { file.unready?.beginWriteback() }
        prepareAndName(files)
    }

    private static func prepareAndName(_ files: [Publishing]) {
        var complete: [Complete] = []
        for file in files {
            do {
                let ready = try file.ready ?? file.commit.ready()
                let journal = file.commit.record?(ready.identity)
                complete.append(
                    Complete(commit: file.commit, ready: ready, journal: journal, done: file.done))
            } catch {
                file.done(.failure(error))
            }
        }
        giveNames(to: commitJournals(of: complete))
    }

    private struct Complete {
        let commit: Commit
        let ready: Finalizer.ReadyFile
        let journal: (any CompletionJournal)?
        let done: @Sendable (Result<FilePath, any Error>) -> Void
    }

    /// - Returns: The files whose journals have been committed, and that may be renamed.
    private static func commitJournals(of files: [Complete]) -> [Complete] {
        var failures: [ObjectIdentifier: any Error] = [:]
        let journals = files.compactMap(\.journal).map { (ObjectIdentifier($0), $0) }
        for journal in Dictionary(journals, uniquingKeysWith: { first, _ in first }).values {
            do {
                try journal.commit()
            } catch {
                failures[ObjectIdentifier(journal)] = error
            }
        }
        guard !failures.isEmpty else { return files }
        return files.filter { file in
            guard let journal = file.journal, let failure = failures[ObjectIdentifier(journal)] else {
                return true
            }
            file.done(.failure(failure))
            return false
        }
    }

    private static func giveNames(to files: [Complete]) {
        var directories: [FilePath: StorageError?] = [:]
        let named = files.map { file in
            Result {
                let commit = file.commit
                let name = try Finalizer.giveName(file.ready, of: commit.part, policy: commit.policy)
                if commit.durability == .power { directories.updateValue(nil, forKey: name.directory) }
                return name
            }
        }
        for directory in directories.keys {
            do {
                try Finalizer.synchronize(directory)
            } catch {
                directories.updateValue(error, forKey: directory)
            }
        }
        for (file, name) in zip(files, named) {
            file.done(
                Result {
                    let name = try name.get()
                    if let failure = directories[name.directory] ?? nil { throw failure }
                    return name
                })
        }
    }
}

extension CommitQueue.Work {
    /// The file whose data must be made durable.
    fileprivate var unready: PartFile? {
        switch self {
        case .prepare(let commit, _): commit.durability == .power ? commit.part : nil
        case .publish(let file): file.unready
        }
    }
}

extension CommitQueue.Publishing {
    /// The file whose data must be made durable.
    fileprivate var unready: PartFile? {
        ready == nil && commit.durability == .power ? commit.part : nil
    }
}

internal import Logging
import SegmentedDLSupport
internal import SystemPackage

/// Stores the files of the fast path in batches, on one thread.
final class FastPathStore: Sendable {
    struct Item: Sendable {
        let file: FastPathFile
        let answer: PlainAnswer
        /// True if a connection was opened for its request.
        let opened: Bool
        /// False if other requests of the connection were still unanswered.
        let wasAlone: Bool
        /// The path that the caller has chosen; `nil` for the expected one.
        var chosen: FilePath?

        /// The final name.
        var path: FilePath { chosen ?? file.path }
        /// True if the caller chooses the path of its file.
        var awaitsChoice: Bool { file.task.hooks.choosePath != nil }
        var response: ResponseInfo {
            ResponseInfo(answer.resource, answer.head, from: file.request.source, of: file.request)
        }
    }

    enum End: Sendable {
        case complete(DownloadResult)
        case failed(any Error)
        /// Nothing was stored. An ordinary download must be started, which determines and reports the reason.
        case leaves

        /// `nil` if the download has not ended.
        var result: Result<DownloadResult, any Error>? {
            switch self {
            case .complete(let result): .success(result)
            case .failed(let error): .failure(error)
            case .leaves: nil
            }
        }
    }

    /// The maximum number of files in a batch, each of which holds a descriptor.
    private static let most = min(64, max(1, (SystemCalls.descriptorLimit - 128) / 8))

    private let queue: BatchQueue<Item>

    /// - Parameter ended: Receives the files of a batch, on the disk thread.
    init(
        durability: Durability, logger: Logger, ended: @escaping @Sendable ([(Item, End)]) -> Void
    ) {
        queue = BatchQueue(label: "SegmentedDL.fastpath") { items in
            for start in stride(from: 0, to: items.count, by: Self.most) {
                let batch = items[start..<min(start + Self.most, items.count)]
                ended(Self.store(Array(batch), durability, logger))
            }
        }
    }

    func add(_ item: Item) {
        queue.add(item)
    }

    /// Returns when the files added so far are stored.
    func flush() async {
        // Processing never throws an error.
        try? await queue.flush()
    }

    /// Stores files and renames them to their final names. Blocks.
    static func store(_ items: [Item], _ durability: Durability, _ logger: Logger) -> [(Item, End)] {
        let ends = Lock([End](repeating: .leaves, count: items.count))
        var written: [IncompleteFile] = []
        var files: [CommitQueue.Publishing] = []
        var directories: Set<FilePath> = []
        for (index, item) in items.enumerated() {
            guard let digests = item.verified, let file = Self.write(item, &directories) else { continue }
            written.append(file)
            files.append(
                CommitQueue.Publishing(commit: item.commit(file, digests, durability)) { name in
                    ends.withLock { $0[index] = item.end(name, digests, logger) }
                })
        }
        CommitQueue.publish(files)
        for file in written {
            logger.tellOfLacks(of: file.part)
            file.close()
        }
        return Array(zip(items, ends.withLock { $0 }))
    }

    /// - Parameter directories: The directories that are known to exist.
    /// - Returns: `nil` if the file system refuses to store the file, or another file now has its name.
    private static func write(_ item: Item, _ directories: inout Set<FilePath>) -> IncompleteFile? {
        let path = item.path
        do {
            let isChosen = item.chosen != nil
            if isChosen || item.file.request.makesDirectory, directories.insert(path.directory).inserted {
                try DestinationChoice.makeDirectory(path.directory)
            }
            guard try SystemCalls.statusIfThere(path) == nil else { return nil }
            // The expected path was checked before the request.
            if isChosen {
                let owner = item.file.task.hooks.takeName?(path)
                guard owner == nil, FastPathEntrance.isFree(path) else { return nil }
            }
            return try IncompleteFile.unnamed(DownloadPaths(path), with: item.answer.body)
        } catch {
            return nil
        }
    }
}

extension FastPathStore.Item {
    private var expectations: Expectations {
        var expectations = Expectations(of: file.task, server: answer.resource.digest)
        expectations.add(answer.resource.composite)
        return expectations
    }

    /// The policy for a file that has appeared in the meantime. Only an ordinary download chooses another
    /// name, because this one was recorded.
    private var policy: ExistingFilePolicy {
        file.request.ifExists == .rename ? .fail : file.request.ifExists
    }

    /// The computed digests; `nil` if one differs from the expected one.
    fileprivate var verified: [Checksum]? {
        let expectations = expectations
        guard let digests = try? expectations.digests(of: answer.body) else { return nil }
        return expectations.mismatch(digests) == nil ? digests : nil
    }

    fileprivate func commit(
        _ part: IncompleteFile, _ digests: [Checksum], _ durability: Durability
    ) -> Commit {
        let (task, validators) = (file.task, answer.resource.validators)
        let date = task.request.keepsRemoteDate ? validators.lastModified.flatMap(HTTPDate.seconds) : nil
        return Commit(
            part: part.part, paths: part.paths, manifest: part.store, length: Int64(answer.body.count),
            modified: date, origin: task.origin(validators, from: nil), policy: policy,
            durability: durability,
            record: task.hooks.recorder(
                digests, validators, from: nil, proofs: expectations.proofs(digests, of: answer.body),
                server: task.request.source))
    }

    fileprivate func end(
        _ name: Result<FilePath, any Error>, _ digests: [Checksum], _ logger: Logger
    ) -> FastPathStore.End {
        switch name {
        // Another program has taken the name. An ordinary download compares the files.
        case .failure(let error as DownloadError) where error.code == .fileExists: return .leaves
        case .failure(let error): return .failed((error as? StorageError)?.asDownloadError ?? error)
        case .success(let path):
            if file.task.replacesFile { ControlFile.removeUseless(for: path, logger) }
            let length = Int64(answer.body.count)
            var result = DownloadResult(
                outcome: .downloaded, path: path, length: length, bytesWritten: length,
                duration: ContinuousClock.now - file.began, connections: 1)
            result.proofs = expectations.proofs(digests, of: answer.body)
            result.connectionsOpened = opened ? 1 : 0
            result.bytesReceived = length
            result.response = response
            return .complete(result)
        }
    }
}

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
    }

    enum End: Sendable {
        case complete(DownloadResult)
        case failed(any Error)
        /// Nothing was stored: the download must begin in the ordinary way, which finds the reason, and
        /// reports it.
        case leaves
    }

    /// The files of one batch: each holds a descriptor.
    private static let most = min(64, max(1, (SystemCalls.descriptorLimit - 128) / 8))

    private let queue: BatchQueue<Item>

    /// - Parameter ended: Receives the files of a batch, on the thread of the disk.
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

    /// Returns when the files that were added are stored.
    func flush() async {
        // Processing them throws no error.
        try? await queue.flush()
    }

    /// Stores files and gives them their final names. Blocks.
    static func store(_ items: [Item], _ durability: Durability, _ logger: Logger) -> [(Item, End)] {
        let ends = Lock([End](repeating: .leaves, count: items.count))
        var written: [(index: Int, file: IncompleteFile)] = []
        var files: [CommitQueue.Publishing] = []
        for (index, item) in items.enumerated() {
            guard let digests = item.verified, let file = Self.write(item) else { continue }
            written.append((index, file))
            files.append(
                CommitQueue.Publishing(commit: item.commit(file, durability)) { name in
                    ends.withLock { $0[index] = item.end(name, digests, logger) }
                })
        }
        CommitQueue.publish(files)
        for (_, file) in written {
            logger.tellOfLacks(of: file.part)
            file.close()
        }
        return Array(zip(items, ends.withLock { $0 }))
    }

    /// - Returns: `nil` if the disk refuses it, or another file has taken its name since.
    private static func write(_ item: Item) -> IncompleteFile? {
        let path = item.file.path
        do {
            guard try SystemCalls.statusIfThere(path) == nil else { return nil }
            return try IncompleteFile.unnamed(DownloadPaths(path), with: item.answer.body)
        } catch {
            return nil
        }
    }
}

extension FastPathStore.Item {
    /// The proofs of the server's digest; `nil` if it differs.
    fileprivate var verified: [DigestProof]? {
        guard let digest = answer.resource.digest else { return [] }
        let expectations = Expectations(server: digest)
        guard let digests = try? expectations.digests(of: answer.body),
            expectations.mismatch(digests) == nil
        else { return nil }
        return expectations.proofs(digests)
    }

    fileprivate func commit(_ part: IncompleteFile, _ durability: Durability) -> Commit {
        let validators = answer.resource.validators
        let date = file.request.keepsRemoteDate ? validators.lastModified.flatMap(HTTPDate.seconds) : nil
        return Commit(
            part: part.part, paths: part.paths, manifest: part.store, length: Int64(answer.body.count),
            modified: date,
            origin: OriginMark.Origin(
                file.request.source, validators, hasPendingAction: file.task.hasPendingAction),
            policy: file.request.ifExists, durability: durability)
    }

    fileprivate func end(
        _ name: Result<FilePath, any Error>, _ proofs: [DigestProof], _ logger: Logger
    ) -> FastPathStore.End {
        switch name {
        case .failure(let error): return .failed((error as? StorageError)?.asDownloadError ?? error)
        case .success(let path):
            if file.request.ifExists.replaces { ControlFile.removeUseless(for: path, logger) }
            let length = Int64(answer.body.count)
            var result = DownloadResult(
                outcome: .downloaded, path: path, length: length, bytesWritten: length,
                duration: ContinuousClock.now - file.began, connections: 1)
            result.proofs = proofs
            result.connectionsOpened = opened ? 1 : 0
            result.bytesReceived = length
            return .complete(result)
        }
    }
}

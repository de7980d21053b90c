internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The downloader's fast path, while a queue uses it.
struct BatchFetcher: Sendable {
    let path: FastPath
    let journal: BatchJournal
    /// The task of the fast path, which exists only while there are batches. It does not keep the manager.
    private(set) var run: Task<Void, Never>?

    init(path: FastPath, journal: BatchJournal) {
        (self.path, self.journal) = (path, journal)
    }

    mutating func start() {
        guard run == nil else { return }
        run = CallerClosure.task { [path] in await path.run() }
    }
}

/// Small files that are fetched in batches.
extension DownloadManager {
    /// Prepares the fetcher of the next batches, with the current caps.
    ///
    /// - Returns: The task of the previous fetcher, which is cancelled: files that are not being stored yet
    ///   return to the queue.
    @discardableResult
    func renewBatchFetcher() -> Task<Void, Never>? {
        let last = batchFetcher?.run
        last?.cancel()
        batchFetcher = configuration.allowsBatches ? makeBatchFetcher() : nil
        guard let path = batchFetcher?.path else {
            queue.acceptsInBatch = nil
            return last
        }
        queue.acceptsInBatch = { record in
            path.serves(record.source.origin) && path.mayEnter(DownloadTask(record.request(nil)))
        }
        return last
    }

    private func makeBatchFetcher() -> BatchFetcher? {
        downloader.makeFastPath().map { path in
            let journal = BatchJournal { [weak self] files in
                guard let self else { throw CancellationError() }
                try await self.willName(files)
            }
            return BatchFetcher(path: path, journal: journal)
        }
    }

    func beginBatch(_ ids: [Receipt.ID], firstRun: Int) {
        let runs = Dictionary(zip(firstRun..., ids), uniquingKeysWith: { first, _ in first })
        guard let fetcher = batchFetcher else { return leave(runs) }
        batchFetcher?.start()
        batches[firstRun] = CallerClosure.task { await self.run(runs, from: firstRun, fetcher) }
    }

    /// Fetches small files, and returns when all of them have ended or must begin alone.
    ///
    /// - Parameter runs: The downloads by the numbers of their runs.
    private func run(_ runs: [Int: Receipt.ID], from first: Int, _ fetcher: BatchFetcher) async {
        var runs = runs
        let entries = runs.sorted { $0.key < $1.key }.compactMap { run, id in
            task(for: id, run: run, fetcher.journal).map { FastPath.Entry(id: run, task: $0) }
        }.filter { fetcher.path.mayEnter($0.task) }
        let batch = await fetcher.path.add(entries)
        // Operations that were requested before the files were in the batch.
        fetcher.path.withdraw(Set(runs.filter { queue.isStopping($0.value) }.keys))
        let entered = Set(entries.map(\.id))
        leave(runs.filter { !entered.contains($0.key) })
        runs = runs.filter { entered.contains($0.key) }
        while let event = await batch.next() {
            switch event {
            case .ended(let ends): end(ends, &runs)
            case .left(let entries):
                let left = Set(entries.map(\.id))
                leave(runs.filter { left.contains($0.key) })
                runs = runs.filter { !left.contains($0.key) }
            }
        }
        // The fetcher was cancelled before they were requested.
        ended(runs.map { (id: $0.value, run: $0.key, outcome: .stopped) })
        batches[first] = nil
        if batches.isEmpty, !isShutDown { renewBatchFetcher() }
    }

    /// Returns the task of a small file; `nil` if it must begin alone, which reports the reason.
    private func task(for id: Receipt.ID, run: Int, _ journal: BatchJournal) -> DownloadTask? {
        guard let record = queue.records[id], !queue.isStopping(id) else { return nil }
        let own = authorizations[id]
        let request = record.request(own)
        guard own != nil || !record.isAuthorized, let path = DestinationPath.expected(for: request) else {
            return nil
        }
        var task = DownloadTask(request)
        task.refusesOtherURL = false
        task.marksRecorded = true
        task.hooks.record = { [asked = record.request] copy in
            journal.add(.init(id: id, run: run, request: asked, path: path, identity: copy.identity))
            return journal
        }
        return task
    }

    /// Stores the paths and identities of files before they receive their names.
    private func willName(_ files: [BatchJournal.File]) async throws {
        // Otherwise later changes could not be stored. A changed download returns to the queue, and with it
        // all files of the call, because names are given to all or none.
        guard !isShutDown, files.allSatisfy({ queue.mayName($0.id, requestedWith: $0.request) }) else {
            throw CancellationError()
        }
        var actions: [QueueState.Action] = []
        for file in files { actions += queue.willName(file.path, file.identity, file.id, run: file.run) }
        apply(actions)
        // After a kill, this distinguishes the files from another program's.
        try await flush()
    }

    /// Ends downloads, and stores their results in one transaction.
    private func end(_ ends: [FastPath.End], _ runs: inout [Int: Receipt.ID]) {
        var actions: [QueueState.Action] = []
        var outcomes: [(id: Receipt.ID, run: Int, outcome: QueueState.Outcome)] = []
        for end in ends {
            guard let id = runs.removeValue(forKey: end.id) else { continue }
            let began = queue.run(of: id)?.counted ?? Date()
            switch end.result {
            case .success(let result):
                let steps: [DownloadState] =
                    result.proofs.isEmpty
                    ? [.downloading, .finalizing] : [.downloading, .verifying, .finalizing]
                actions += queue.step(id, run: end.id, through: steps, began: began)
                actions += queue.edit(id) { record in
                    record.results.response = result.response?.storable ?? record.results.response
                    record.results.proofs = result.proofs
                    record.results.found = FoundFile(result)
                }
                outcomes.append(
                    (id: id, run: end.id, outcome: .completed(result.path, length: result.length)))
            case .failure(let error):
                let outcome = Self.outcome(error, of: id)
                if case .failed = outcome, !isShutDown {
                    actions += queue.step(id, run: end.id, through: [], began: began)
                }
                outcomes.append((id: id, run: end.id, outcome: outcome))
            }
        }
        ended(outcomes, after: actions)
    }

    private static func outcome(_ error: any Error, of id: Receipt.ID) -> QueueState.Outcome {
        switch error {
        case is CancellationError: .stopped
        case let error as DownloadError: .failed(error)
        default: .failed(DownloadError(.ioFailed, "Download \(id) failed: \(error).", cause: error))
        }
    }

    /// Returns downloads to the queue, where they begin alone.
    private func leave(_ runs: [Int: Receipt.ID]) {
        for id in runs.values where !queue.isStopping(id) { queue.leaveBatch(id) }
        ended(runs.map { (id: $0.value, run: $0.key, outcome: .stopped) })
    }
}

extension ManagerConfiguration {
    /// False if downloads wait for disk space or for closures, each of which would delay a whole batch.
    fileprivate var allowsBatches: Bool {
        runsDownloads && mayStart == nil && reservedSpace == nil && authorize == nil && pieces == nil
            && chooseDestination == nil && afterCompletion == nil
    }
}

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
        batchFetcher = configuration.runsDownloads ? makeBatchFetcher() : nil
        guard let path = batchFetcher?.path else {
            queue.acceptsInBatch = nil
            return last
        }
        queue.acceptsInBatch = { record in
            path.serves(record.source.origin) && path.mayEnter(DownloadTask(record.request(nil)))
        }
        return last
    }

    /// Replaces the fetcher once no file is in a batch, so that its connections are closed.
    func renewIdleFetcher() {
        guard batchFetcher?.run != nil, batches.isEmpty, queue.batched.isEmpty, !isShutDown else { return }
        renewBatchFetcher()
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
        guard let fetcher = startedFetcher() else { return leave(runs) }
        batches[firstRun] = CallerClosure.task { await self.fetch(runs, from: firstRun, fetcher) }
    }

    private func startedFetcher() -> BatchFetcher? {
        batchFetcher?.start()
        return batchFetcher
    }

    /// Fetches small files about which no closure decides.
    ///
    /// - Parameter runs: The downloads by the numbers of their runs.
    private func fetch(_ runs: [Int: Receipt.ID], from first: Int, _ fetcher: BatchFetcher) async {
        var entries: [FastPath.Entry] = []
        for (run, id) in runs.sorted(by: { $0.key < $1.key }) where !queue.isStopping(id) {
            let own = authorizations[id]
            // A download that begins alone reports that they are missing.
            guard let record = queue.records[id], own != nil || !record.isAuthorized,
                let entry = makeEntry(for: record, run: run, Answers(authorization: own), fetcher)
            else { continue }
            entries.append(entry)
        }
        let entered = Set(entries.map(\.id))
        leave(runs.filter { !entered.contains($0.key) })
        await fetch(entries, of: runs.filter { entered.contains($0.key) }, from: first, fetcher)
    }

    /// Fetches small files, and returns when all of them have ended or must begin alone.
    private func fetch(
        _ entries: [FastPath.Entry], of runs: [Int: Receipt.ID], from first: Int, _ fetcher: BatchFetcher
    ) async {
        var runs = runs
        let batch = await fetcher.path.add(entries)
        // Operations that were requested before the files were in the batch.
        fetcher.path.withdraw(Set(runs.filter { queue.isStopping($0.value) }.keys))
        addsJoined = false
        addJoined()
        var following: [Task<Void, Never>] = []
        while let event = await batch.next() {
            switch event {
            case .ended(let ends): following += end(ends, &runs)
            case .left(let entries):
                let left = Set(entries.map(\.id))
                leave(runs.filter { left.contains($0.key) })
                runs = runs.filter { !left.contains($0.key) }
            }
        }
        // The fetcher was cancelled before they were requested.
        ended(runs.map { (id: $0.value, run: $0.key, outcome: .stopped) })
        // A shutdown waits for the batch, and thus for the caller's closures.
        for task in following { await task.value }
        batches[first] = nil
        renewIdleFetcher()
    }

    /// Returns a small file for the fast path; `nil` if it must begin alone.
    private func makeEntry(
        for record: QueueRecord, run: Int, _ answers: Answers, _ fetcher: BatchFetcher
    ) -> FastPath.Entry? {
        let id = record.id
        var task = DownloadTask(record.request(answers.authorization))
        task.request.pieces = answers.pieces
        task.refusesOtherURL = false
        task.marksRecorded = true
        // The queue has checked the rest of the request.
        guard answers.isEmpty || fetcher.path.mayEnter(task) else { return nil }
        task.hooks.record = { [asked = record.request, journal = fetcher.journal] copy in
            journal.add(.init(id: id, run: run, request: asked, identity: copy.identity))
            return journal
        }
        if configuration.chooseDestination != nil {
            task.hooks.choosePath = { [self] in try await choosePathInBatch(for: $0, id, run: run) }
        }
        return FastPath.Entry(id: run, task: task)
    }

    // MARK: Closures

    /// Asks closures about a small file, which then joins a batch if their answers allow it.
    ///
    /// - Returns: The answers for a file that begins alone; `nil` for one that has joined a batch.
    func answersForBatch(_ id: Receipt.ID, run: Int) async throws -> Answers? {
        do {
            guard let asked = queue.records[id] else { throw CancellationError() }
            // It begins now, after the checks.
            queue.countFrom(Date(), id)
            let answers = try await answers(for: asked.begun())
            try Task.checkCancellation()
            guard !isShutDown, let record = queue.records[id] else { throw CancellationError() }
            if join(record, run: run, answers) { return nil }
            apply(queue.beginAlone(id, run: run, now: Date()))
            return answers
        } catch  where !(error is CancellationError) && !isShutDown {
            // A download whose closure fails has begun.
            apply(queue.beginAlone(id, run: run, now: Date()))
            throw error
        }
    }

    /// - Returns: False if the file must begin alone.
    private func join(_ record: QueueRecord, run: Int, _ answers: Answers) -> Bool {
        guard let fetcher = batchFetcher, let entry = makeEntry(for: record, run: run, answers, fetcher)
        else {
            return false
        }
        tasks[record.id] = nil
        queue.joinBatch(record.id)
        joined.append((id: record.id, entry: entry))
        addJoined()
        reschedule()
        return true
    }

    /// Adds the files that have joined to the fast path. More may join meanwhile, and are added afterwards.
    private func addJoined() {
        guard !addsJoined, let first = joined.first?.entry.id else { return }
        let files = joined
        joined = []
        let runs = Dictionary(files.map { ($0.entry.id, $0.id) }, uniquingKeysWith: { first, _ in first })
        guard !isShutDown, let fetcher = startedFetcher() else { return leave(runs) }
        addsJoined = true
        batches[first] = CallerClosure.task {
            await self.fetch(files.map(\.entry), of: runs, from: first, fetcher)
        }
    }

    private func choosePathInBatch(
        for response: ResponseInfo, _ id: Receipt.ID, run: Int
    ) async throws -> FilePath? {
        guard queue.isCurrent(id, run: run), let record = queue.records[id] else {
            throw CancellationError()
        }
        let path: FilePath?
        if let choice = choice(for: record) {
            path = choice.path
        } else {
            path = try await inTurn { try await chosenPath(for: response, record.begun()) }
            choices[id] = (record.request, path)
        }
        if let path, !queue.reserve(path, for: id, run: run) { throw LeavesFastPath() }
        return path
    }

    /// Calls the closure that follows a complete file.
    private func follow(_ id: Receipt.ID, run: Int, _ result: DownloadResult) -> Task<Void, Never> {
        let task = CallerClosure.task { await self.complete(id, run: run, result) }
        tasks[id] = task
        if isShutDown || queue.isStopping(id) { task.cancel() }
        return task
    }

    private func complete(_ id: Receipt.ID, run: Int, _ result: DownloadResult) async {
        let outcome: QueueState.Outcome
        do {
            try await inTurn { try await follow(nil, id, result.path, length: result.length) }
            outcome = .completed(result.path, length: result.length)
        } catch {
            outcome = self.outcome(of: error, id)
        }
        note(outcome, of: id, run: run)
        ended(id, run: run, outcome)
    }

    // MARK: The end

    /// Stores the paths and identities of files before they receive their names.
    private func willName(_ files: [BatchJournal.File]) async throws {
        // Otherwise later changes could not be stored. A changed download returns to the queue, and with it
        // all files of the call, because names are given to all or none.
        guard !isShutDown, files.allSatisfy({ queue.mayName($0.id, requestedWith: $0.request) }) else {
            throw CancellationError()
        }
        var actions: [QueueState.Action] = []
        for file in files { actions += queue.willName(file.id, as: file.identity, run: file.run) }
        apply(actions)
        // After a kill, this distinguishes the files from another program's.
        try await flush()
    }

    /// Ends downloads, and stores their results in one transaction.
    ///
    /// - Returns: The tasks of closures that follow their files, and end the others.
    private func end(_ ends: [FastPath.End], _ runs: inout [Int: Receipt.ID]) -> [Task<Void, Never>] {
        var actions: [QueueState.Action] = []
        var outcomes: [(id: Receipt.ID, run: Int, outcome: QueueState.Outcome)] = []
        var complete: [(id: Receipt.ID, run: Int, result: DownloadResult)] = []
        for end in ends {
            guard let id = runs.removeValue(forKey: end.id) else { continue }
            switch end.result {
            case .success(let result):
                actions += step(id, run: end.id, to: result)
                if configuration.afterCompletion != nil {
                    complete.append((id: id, run: end.id, result: result))
                } else {
                    let outcome = QueueState.Outcome.completed(result.path, length: result.length)
                    outcomes.append((id: id, run: end.id, outcome: outcome))
                }
            case .failure(let error):
                let outcome = outcome(of: error, id)
                if !(error is CancellationError), !isShutDown {
                    actions += reported(queue.step(id, run: end.id, through: [], began: began(id)))
                    actions += queue.edit(id) { $0.bytesTotal = $0.bytesTotal ?? end.progress.bytesTotal }
                    note(outcome, of: id, run: end.id)
                }
                outcomes.append((id: id, run: end.id, outcome: outcome))
            }
        }
        ended(outcomes, after: actions)
        return complete.map { follow($0.id, run: $0.run, $0.result) }
    }

    /// Performs the steps of a complete file, except the last one.
    private func step(_ id: Receipt.ID, run: Int, to result: DownloadResult) -> [QueueState.Action] {
        // Its bytes are on disk, although a closure may still follow.
        spaceClaims[id] = nil
        var actions = reported(queue.step(id, run: run, through: [], began: began(id)))
        actions += queue.edit(id) { record in
            record.bytesCompleted = result.length
            record.bytesTotal = result.length
        }
        actions += reported(queue.entered(.downloading, id, run: run))
        actions += queue.edit(id) { record in
            record.results.response = result.response?.storable ?? record.results.response
        }
        if !result.proofs.isEmpty { actions += reported(queue.entered(.verifying, id, run: run)) }
        actions += reported(queue.entered(.finalizing, id, run: run))
        return actions
            + queue.edit(id) { record in
                record.results.proofs = result.proofs
                record.results.found = FoundFile(result)
            }
    }

    /// The time at which the batch of a download began.
    private func began(_ id: Receipt.ID) -> Date { queue.run(of: id)?.counted ?? Date() }

    /// Returns downloads to the queue, where they begin alone.
    private func leave(_ runs: [Int: Receipt.ID]) {
        for id in runs.values where !queue.isStopping(id) { queue.leaveBatch(id) }
        ended(runs.map { (id: $0.value, run: $0.key, outcome: .stopped) })
    }
}

extension DownloadManager.Answers {
    /// True if they add nothing to the request.
    fileprivate var isEmpty: Bool { authorization ?? Authorization() == Authorization() && pieces == nil }
}

extension QueueRecord {
    /// Returns the record as it would be if the download had begun alone, for closures.
    fileprivate func begun() -> QueueRecord {
        var record = self
        record.begin(now: Date())
        return record
    }
}

extension ManagerConfiguration {
    /// True if a download may have to wait for the caller's permission, or for disk space.
    var asksFirst: Bool { mayStart != nil || reservedSpace != nil }

    /// True if closures decide about each file before it is requested.
    var asksOfEach: Bool { asksFirst || authorize != nil || pieces != nil }
}

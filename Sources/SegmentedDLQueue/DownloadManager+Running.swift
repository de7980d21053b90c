internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The run of one download.
extension DownloadManager {
    /// Runs one attempt to its end.
    func runAttempt(_ id: Receipt.ID, run: Int) async {
        let outcome: QueueState.Outcome
        do {
            guard let ended = try await attempt(id, run: run) else { return }
            outcome = ended
        } catch {
            outcome = await explained(self.outcome(of: error, id), id)
        }
        note(outcome, of: id, run: run)
        ended(id, run: run, outcome)
    }

    func outcome(of error: any Error, _ id: Receipt.ID) -> QueueState.Outcome {
        switch error {
        case is CancellationError: .stopped
        case let error as DownloadError where error.code == .diskFull && configuration.reservedSpace != nil:
            .held(Self.spaceHold(error.message))
        case let error as DownloadError: .failed(error)
        case let error as TriesUsedUp: .gaveUp(error.last)
        default: .failed(DownloadError(.ioFailed, "Download \(id) failed: \(error).", cause: error))
        }
    }

    private func explained(
        _ outcome: QueueState.Outcome, _ id: Receipt.ID
    ) async -> QueueState.Outcome {
        switch outcome {
        case .failed(let error): .failed(await explained(error, of: id))
        case .gaveUp(let error): .gaveUp(await explained(error, of: id))
        case .completed, .stopped, .held: outcome
        }
    }

    private static let codesOfClosures: Set<DownloadError.Code> = [.closureFailed, .completionFailed]

    /// Keeps the response and the closure's error of a run that has failed.
    func note(_ outcome: QueueState.Outcome, of id: Receipt.ID, run: Int) {
        causes[id] = nil
        switch outcome {
        case .failed(let error), .gaveUp(let error):
            keep(error.response, of: id)
            if Self.codesOfClosures.contains(error.code), queue.isCurrent(id, run: run) {
                causes[id] = error.cause
            }
        case .completed, .stopped, .held: break
        }
    }

    /// Stores the server's response with a download.
    private func keep(_ response: ResponseInfo?, of id: Receipt.ID) {
        guard let response else { return }
        apply(queue.edit(id) { $0.results.response = response.storable })
    }

    /// - Returns: `nil` if the file has joined a batch, which ends the run.
    private func attempt(_ id: Receipt.ID, run: Int) async throws -> QueueState.Outcome? {
        if let hold = try await hold(of: id) { return .held(hold) }
        var answers: Answers?
        if queue.isAsked(id) {
            answers = try await answersForBatch(id, run: run)
            if answers == nil { return nil }
        } else if queue.asksFirst {
            apply(queue.passedGate(id, run: run, now: Date()))
        }
        guard let record = queue.records[id] else { throw CancellationError() }
        var path: FilePath?
        var length: Int64
        var isNew = true
        if let found = try await DiskThread.run({ try record.finished() }) {
            // An earlier run was killed after the last step.
            (path, length) = (found.path, found.length)
            apply(queue.entered(.finalizing, id, run: run))
        } else {
            let result = try await downloadResolving(record, answers, run: run)
            (path, length) = (result.path, result.length)
            let proofs = await proofs(of: result, record)
            keep(result.response, of: id)
            apply(
                queue.edit(id) { record in
                    record.results.proofs = proofs
                    record.results.found = FoundFile(result)
                })
            // The file and all subsequent steps had been completed before.
            isNew = result.outcome == .downloaded || !record.isAddedAgain
        }
        if isNew { try await follow(record.onComplete, id, path, length: length) }
        return .completed(path, length: length)
    }

    /// Returns the verified digests of a result's file; an unchanged file on disk keeps its previous ones.
    private func proofs(of result: DownloadResult, _ record: QueueRecord) async -> [DigestProof] {
        guard result.proofs.isEmpty, result.outcome == .unchanged, let path = result.path,
            let identity = record.identity, await DiskThread.run({ identity.isAt(path) })
        else { return result.proofs }
        return record.results.proofs
    }

    /// Downloads, and repeats this once if the caller chooses another policy for an existing file.
    private func downloadResolving(
        _ record: QueueRecord, _ answers: Answers?, run: Int
    ) async throws -> DownloadResult {
        do {
            return try await download(record, answers, run: run)
        } catch let error as DownloadError {
            guard try await resolves(error, of: record, run: run), let next = queue.records[record.id] else {
                throw error
            }
            return try await download(next, nil, run: run)
        }
    }

    /// The answers of closures that belong to a download's request.
    struct Answers: Sendable {
        var authorization: Authorization?
        var pieces: PieceHashes?
    }

    func answers(for record: QueueRecord) async throws -> Answers {
        Answers(
            authorization: try await authorization(for: record), pieces: try await pieces(for: record))
    }

    /// Returns the downloader's task for the next attempt of a download.
    ///
    /// - Parameter known: The answers of closures; `nil` to call them.
    func task(
        for record: QueueRecord, _ resolved: ResolvedSource? = nil, _ known: Answers? = nil
    ) async throws -> DownloadTask {
        var answers = known
        if answers == nil { answers = try await self.answers(for: record) }
        var request = record.request(answers?.authorization)
        if let resolved { request.resolve(to: resolved) }
        request.pieces = answers?.pieces
        if let old = record.replaces, let path = record.path,
            await DiskThread.run({ old.isAt(path) })
        {
            request.ifExists = .replace
        }
        var task = DownloadTask(request, paths: record.part)
        task.recognizesCopies = record.replaces == nil && !record.startsOver
        task.refusesOtherURL = false
        // Do not wait, because other downloads of the queue could run instead.
        task.patienceSeconds = 5
        return task
    }

    private func download(
        _ record: QueueRecord, _ answers: Answers?, run: Int
    ) async throws -> DownloadResult {
        let resolved = try await resolved(record)
        do {
            return try await download(record, resolved, answers, run: run)
        } catch let error as DownloadError {
            throw resolved?.explained(error) ?? error
        } catch let error as TriesUsedUp {
            throw TriesUsedUp(last: resolved?.explained(error.last) ?? error.last)
        }
    }

    private func download(
        _ record: QueueRecord, _ resolved: ResolvedSource?, _ answers: Answers?, run: Int
    ) async throws -> DownloadResult {
        var task = try await task(for: record, resolved, answers)
        task.hooks = hooks(of: record.id, run: run)
        if case .directory = record.destination, let path = record.path {
            // The directory may have been removed since the path was chosen.
            try await DiskThread.run { try DestinationChoice.makeDirectory(path.directory) }
        }
        try Task.checkCancellation()
        // Cancelling this task cancels the download, and still waits for its checkpoint.
        do {
            return try await asClosure { [task] in
                let handle = downloader.start(task)
                handles[record.id] = handle
                return try await handle.finish()
            }
        } catch let error as DownloadError where task.request.tries != nil && error.isRetryable {
            throw TriesUsedUp(last: error)
        }
    }

    /// Runs a transfer, which may call a closure of an `AuthorizationSource` or an `AWSKeySource`: its
    /// run and its slot wait for that.
    private func asClosure<Value>(_ transfer: () async throws -> Value) async throws -> Value {
        try await CallerClosure.run(of: self, .run) {
            try await CallerClosure.run(of: self, .transfer, transfer)
        }
    }

    private func pieces(for record: QueueRecord) async throws -> PieceHashes? {
        guard let pieces = configuration.pieces else { return nil }
        return try await asking("The piece digests of \(record.source) could not be obtained", record) {
            try await pieces(Receipt(record), self)
        }
    }

    private func authorization(for record: QueueRecord) async throws -> Authorization? {
        let own = authorizations[record.id]
        if let authorize = configuration.authorize {
            let receipt = Receipt(record)
            let supplied = try await asking("The headers of \(record.source) could not be obtained", record) {
                try await authorize(receipt, self)
            }
            if let supplied { return supplied }
        }
        guard own == nil, record.isAuthorized else { return own }
        throw DownloadError(
            .invalidSetting,
            "\(record.source) needs headers or credentials, which are not stored; supply them again (the manager's authorize), or add it again.",
            url: record.source.description)
    }

    /// Runs the steps after a file is complete: its own action, and the hook for all downloads.
    func follow(_ action: String?, _ id: Receipt.ID, _ path: FilePath?, length: Int64) async throws {
        guard action != nil || configuration.afterCompletion != nil, var record = queue.records[id] else {
            return
        }
        record.path = path
        record.bytesCompleted = length
        record.bytesTotal = length
        let receipt = Receipt(record)
        if let action {
            guard let onComplete = configuration.onComplete else {
                throw DownloadError(
                    .completionFailed,
                    "'\(path ?? "")' is complete, but this program does not know the action that follows it ('\(action)'); set the manager's onComplete, or use the program that added the download."
                )
            }
            try await completing(path, "'\(action)'") { try await onComplete(action, receipt, self) }
        }
        if let hook = configuration.afterCompletion {
            try await completing(path, "the step after each download") { try await hook(receipt, self) }
        }
    }

    /// - Parameter what: The name of the closure for messages.
    private func completing(
        _ path: FilePath?, _ what: String, _ closure: () async throws -> Void
    ) async throws {
        do {
            try await CallerClosure.run(of: self, .run, closure)
        } catch  where !(error is CancellationError && Task.isCancelled) {
            throw DownloadError(
                ofClosure: error, "'\(path ?? "")' is complete, but \(what) failed", .completionFailed)
        }
    }

    // MARK: Hooks

    private func hooks(of id: Receipt.ID, run: Int) -> DownloadHooks {
        var hooks = DownloadHooks()
        hooks.entered = { [self] in await entered($0, id, run: run) }
        hooks.choosePath = { [self] in try await choosePath(for: $0, id) }
        hooks.claim = { [self] in try await claim($0, id, run: run) }
        hooks.willFinalize = { [self] in try await willFinalize($0, $1, id, run: run) }
        return hooks
    }

    private func entered(_ state: DownloadState, _ id: Receipt.ID, run: Int) {
        apply(queue.entered(state, id, run: run))
        if state == .downloading || state == .finalizing, queue.isCurrent(id, run: run) {
            keep(handles[id]?.response, of: id)
        }
        // From here on, bytes of this download are on disk.
        guard state == .downloading, queue.isCurrent(id, run: run) else { return }
        spaceClaims[id] = nil
        let directory = configuration.downloads.incompleteDirectory
        apply(
            queue.edit(id) { record in
                record.part = record.part ?? record.path.map { DownloadPaths($0, in: directory) }
            })
    }

    private func choosePath(for response: ResponseInfo, _ id: Receipt.ID) async throws -> FilePath? {
        guard let record = queue.records[id] else { throw CancellationError() }
        if let path = record.keptPath { return path }
        if let choice = choice(for: record) { return choice.path }
        return try await chosenPath(for: response, record)
    }

    /// Returns the choice of the closure in an earlier run, if the download has not been changed since.
    func choice(for record: QueueRecord) -> (request: DownloadRequest, path: FilePath?)? {
        choices[record.id].flatMap { $0.request == record.request ? $0 : nil }
    }

    /// Calls the closure that chooses the path of a file.
    func chosenPath(for response: ResponseInfo, _ record: QueueRecord) async throws -> FilePath? {
        guard let choose = configuration.chooseDestination else { return nil }
        return try await asking("The destination of \(record.source) could not be chosen", record) {
            try await CallerClosure.run(of: self, .transfer) {
                try await choose(Receipt(record), response, self)?.storable()
            }
        }
    }

    /// Runs a caller's closure.
    ///
    /// - Parameter what: The clause that begins the message if it fails.
    /// - Throws: `DownloadError`: that of the closure, or one with code `closureFailed` and the closure's
    ///   error as its cause; `CancellationError` if the download is stopped.
    func asking<Answer>(
        _ what: String, _ record: QueueRecord, _ closure: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await CallerClosure.run(of: self, .run, closure)
        } catch  where !(error is CancellationError && Task.isCancelled) {
            throw DownloadError(ofClosure: error, what, url: record.source.description)
        }
    }

    private func claim(_ path: FilePath, _ id: Receipt.ID, run: Int) async throws -> Bool {
        guard !isShutDown, queue.isCurrent(id, run: run) else { throw CancellationError() }
        guard let actions = queue.claim(path, for: id) else { return false }
        apply(actions)
        // The path must be stored before the first byte: otherwise a kill would leave a file that no
        // record refers to.
        if !actions.isEmpty { try await flush() }
        return true
    }

    private func willFinalize(
        _ path: FilePath, _ identity: FileIdentity, _ id: Receipt.ID, run: Int
    ) async throws {
        // Otherwise later changes could not be stored.
        guard !isShutDown, queue.isCurrent(id, run: run) else { throw CancellationError() }
        apply(
            queue.edit(id) { record in
                record.identity = identity
                record.isAddedAgain = false
            })
        // After a kill, this distinguishes the file from another program's.
        try await flush()
    }
}

/// The end of a download with its own number of tries.
private struct TriesUsedUp: Error {
    let last: DownloadError
}

/// Files in hubs and stores.
extension DownloadManager {
    /// Returns the URL of a download's location, and its keys; `nil` for a download from a URL.
    func resolved(_ record: QueueRecord) async throws -> ResolvedSource? {
        guard let location = record.source.location else { return nil }
        guard let resolve = configuration.resolve else {
            throw DownloadError(
                .invalidSetting,
                "\(record.source): this program has no settings for hubs and stores; run the queue with segdl queue start or segdl serve.",
                url: record.source.description)
        }
        return try await asking("The location \(record.source) could not be resolved", record) {
            try await resolve(location)
        }
    }
}

internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The operations that callers request. A running download is first stopped; then the last requested
/// operation takes effect.
///
/// Nothing begins before `reschedule`, so that if many downloads are resumed at once, the most urgent ones
/// begin first.
extension QueueState {
    mutating func pause(_ id: ID) -> [Action] {
        if isRunning(id) { return setRun(id, intent: .pause) }
        guard let state = records.state(of: id), state == .queued || state == .retrying else { return [] }
        return edit(id) { record in
            record.state = .paused
            record.hasBegun = false
        }
    }

    /// Resumes a paused download.
    mutating func resume(_ id: ID) -> [Action] {
        if intent(of: id) == .pause { return setRun(id, intent: .resume) }
        guard records.state(of: id) == .paused else { return [] }
        return enqueue(id)
    }

    /// Resumes or retries a download that is not complete.
    mutating func start(_ id: ID) -> [Action] {
        if let intent = intent(of: id) { return intent == .resume ? [] : setRun(id, intent: .resume) }
        guard !isRunning(id), let state = records.state(of: id), state != .queued, state != .completed else {
            return release([id])
        }
        return enqueue(id)
    }

    mutating func cancel(_ id: ID, now: Date) -> [Action] {
        if isRunning(id) { return setRun(id, intent: .cancel) }
        guard let state = records.state(of: id), state != .completed, state != .cancelled else { return [] }
        return finish(id, .cancelled, now: now)
    }

    mutating func remove(_ id: ID, withFiles: Bool) -> [Action] {
        if isRunning(id) { return setRun(id, intent: .remove(withFiles: withFiles)) }
        return erase(id, withFiles: withFiles)
    }

    mutating func restart(_ id: ID) -> [Action] {
        if isRunning(id) { return setRun(id, intent: .restart) }
        return edit(id) { $0.forgetBytes() } + enqueue(id)
    }

    /// Requeues a download because it was added again. For a complete one, the next run asks the server
    /// whether the file has changed, and the file is kept as this download's; a failed one resumes.
    mutating func addAgain(_ id: ID) -> [Action] {
        guard !isRunning(id), let state = records.state(of: id) else { return [] }
        if state == .failed { return enqueue(id) }
        guard state == .completed else { return [] }
        return edit(id) { record in
            record.isAddedAgain = true
            // Only a restart replaces a file regardless of the policy for existing ones.
            record.replaces = nil
        } + enqueue(id)
    }

    /// Sets the source of a download.
    ///
    /// - Throws: `DownloadError` with code `duplicate` if another download has that URL.
    mutating func setSource(_ source: Source, of id: ID) throws(DownloadError) -> [Action] {
        guard let record = records[id], record.source != source else { return [] }
        try checkIsOnly(source, key: record.key, for: id)
        let waitsForLink = record.state == .failed || record.state == .retrying
        let actions = edit(id) { $0.request.source = source }
        if isRunning(id) { return actions + (intent(of: id) == nil ? setRun(id, intent: .resume) : []) }
        return actions + (waitsForLink ? enqueue(id) : [])
    }

    /// Changes the settings of a download.
    ///
    /// - Parameters:
    ///   - changed: A record of the changed entry.
    ///   - isReauthorized: True if its header fields or credentials have changed.
    /// - Throws: `DownloadError`: `duplicate` or `invalidSetting`; in these cases nothing was changed.
    mutating func change(
        _ id: ID, to changed: QueueRecord, isReauthorized: Bool = false
    ) throws(DownloadError) -> [Action] {
        guard let record = records[id] else { return [] }
        let isMoved = changed.destination != record.destination
        if isMoved {
            try require(
                record.part == nil && record.state != .completed && !isNamed(record),
                "Download \(id) already has bytes at '\(record.path ?? "")'; its path can no longer be changed."
            )
            try checkIsFree(changed.destination, for: id)
        }
        try checkIsOnly(changed.source, key: changed.key, for: id)
        let actions = edit(id) { $0.adopt(changed, isReauthorized: isReauthorized) }
        if isMoved, let path = changed.destination.file { own(path, id) }
        guard !actions.isEmpty || isReauthorized, isRunning(id), intent(of: id) == nil else { return actions }
        return actions + setRun(id, intent: .resume)
    }

    // MARK: Reports of runs

    /// Advances the download of a run to its next step.
    mutating func entered(_ state: DownloadState, _ id: ID, run: Int) -> [Action] {
        guard isCurrent(id, run: run), let known = records.state(of: id), known.successors.contains(state)
        else {
            return []
        }
        return edit(id) { record in
            record.state = state
            guard state == .downloading else { return }
            // The earlier bytes were removed, as the manifest records.
            record.startsOver = false
            // The results so far are those of the earlier file.
            if record.isAddedAgain, record.part == nil { record.forgetResults() }
        }
    }

    /// The end of a run.
    enum Outcome: Sendable {
        case completed(FilePath?, length: Int64)
        case failed(DownloadError)
        /// It failed and has no tries left.
        case gaveUp(DownloadError)
        case stopped
        /// It waits for something other than a free slot.
        case held(Receipt.Hold)

        /// True if the next run continues where this one ended.
        var isInterruption: Bool {
            switch self {
            case .stopped, .held: true
            case .completed, .failed, .gaveUp: false
            }
        }
    }

    /// Records that a run and all of its tasks have ended.
    ///
    /// - Parameters:
    ///   - jitter: A random number from 0 to 1.
    ///   - reschedules: False if further runs end now, so that their downloads begin together.
    mutating func ended(
        _ id: ID, run: Int, _ outcome: Outcome, now: Date, jitter: Double, reschedules: Bool = true
    ) -> [Action] {
        guard isCurrent(id, run: run) else { return [] }
        let last = self.run(of: id)
        let intent = intent(of: id)
        // A small file that is still queued was not active.
        let hasBegun = last?.batchPath == nil || records.state(of: id) != .queued
        var actions = hasBegun ? countTime(id, now: now) : []
        removeRun(id)
        var isComplete = false
        if case .completed(let path, let length) = outcome {
            isComplete = true
            actions += complete(id, path, length: length, now: now)
        }
        switch intent {
        case .remove(let withFiles):
            actions += erase(id, withFiles: withFiles)
        case .restart:
            actions += edit(id) { $0.forgetBytes() } + enqueue(id)
        case _ where isComplete:
            // It completed before the operation could take effect.
            break
        case .pause:
            actions += edit(id) { record in
                record.state = .paused
                record.hasBegun = false
            }
        case .cancel:
            actions += finish(id, .cancelled, now: now)
        case .resume:
            actions += edit(id) { $0.state = .queued }
        case nil:
            switch outcome {
            case .failed(let error): actions += fail(id, error, now: now, jitter: jitter)
            case .gaveUp(let error): actions += fail(id, error, isLast: true, now: now, jitter: jitter)
            // Its task was cancelled from outside the queue.
            case .stopped, .completed: actions += edit(id) { $0.state = .queued }
            case .held(let hold): actions += self.hold(id, hold)
            }
        }
        list(id, after: last)
        return reschedules ? actions + reschedule(now: now) : actions
    }

    private mutating func complete(_ id: ID, _ path: FilePath?, length: Int64, now: Date) -> [Action] {
        let moved = path.flatMap { claim($0, for: id) } ?? []
        return moved
            + edit(id) { record in
                record.bytesCompleted = length
                record.bytesTotal = length
                record.failures = 0
                record.error = nil
                record.startsOver = false
                record.isAddedAgain = false
                record.part = nil
            } + finish(id, .completed, now: now)
    }

    /// - Parameter isLast: True if no further try follows, regardless of the error.
    private mutating func fail(
        _ id: ID, _ error: DownloadError, isLast: Bool = false, now: Date, jitter: Double
    ) -> [Action] {
        guard var record = records[id] else { return [] }
        if record.bytesCompleted > record.bytesAtFailure { record.failures = 0 }
        // A host that requested a delay earlier has not failed. A response with a status counts, even if it
        // requests one.
        if error.retryAfter == nil || error.isOfFile || error.status != nil { record.failures += 1 }
        let (failures, bytes) = (record.failures, record.bytesCompleted)
        // If there are no retries, a delay requested by the host is not awaited either.
        let willRetry = !isLast && error.isRetryable && retry.retries > 0 && failures <= retry.retries
        let usual = retry.delay(failures: failures, jitter: jitter)
        let wait = error.retryAfter.map { asked in
            let seconds = asked.seconds + jitter
            return error.status == nil || error.isOfFile ? seconds : max(seconds, usual)
        }
        return edit(id) { record in
            record.failures = failures
            record.bytesAtFailure = bytes
            record.error = Receipt.Failure(error)
            // The bytes with the wrong digest were set aside.
            if error.code == .checksumMismatch { record.bytesCompleted = 0 }
            if willRetry {
                record.state = .retrying
                record.retriesAt = now.addingTimeInterval(wait ?? usual)
            }
        } + (willRetry ? [] : finish(id, .failed, now: now))
    }

    // MARK: Small steps

    /// - Throws: `DownloadError` with code `duplicate` if another download has that key or URL.
    private func checkIsOnly(_ source: Source, key: String?, for id: ID) throws(DownloadError) {
        guard let other = self.record(QueueRecord.Identifier(key, source))?.id, other != id else { return }
        throw DownloadError(
            .duplicate, "Download \(other) of the queue already has that \(key == nil ? "URL" : "key").",
            url: source.description)
    }

    private mutating func finish(_ id: ID, _ state: DownloadState, now: Date) -> [Action] {
        edit(id) { record in
            record.state = state
            record.hasBegun = false
            record.ended = now
        }
    }

    private mutating func enqueue(_ id: ID) -> [Action] {
        edit(id) { record in
            record.state = .queued
            record.hasBegun = false
            record.failures = 0
            record.ended = nil
        }
    }
}

extension QueueRecord {
    /// Starts over: the bytes on disk are no longer valid, and may be replaced.
    fileprivate mutating func forgetBytes() {
        startsOver = true
        isAddedAgain = false
        replaces = identity ?? replaces
        identity = nil
        bytesCompleted = 0
        bytesTotal = request.expectedLength
        failures = 0
        bytesAtFailure = -1
        error = nil
        forgetResults()
    }

    fileprivate mutating func forgetResults() {
        seconds = 0
        results = Results()
    }
}

import SegmentedDL

/// The downloads of one command, with their progress on the terminal.
struct FetchRun: Sendable {
    typealias Finished = Result<DownloadResult, any Error>
    /// Shows the result of a file, with its URL, and the last progress of a file without a handle.
    private typealias Show = @Sendable (Int, String, FileOutcome, DownloadProgress?) -> Void

    let downloader: Downloader
    let messages: MessageLog
    /// The requests for the files, indexed by the files' numbers.
    let requests: RunRequests
    /// Called when a file begins, because keys and tokens may have changed since the start.
    var resolve: RunRequest.Resolve = { _ in nil }
    var trace: Trace?
    /// The other files of the run, whose names no download receives.
    var outputs = RunOutputs()
    /// True if a command follows each complete file.
    var hasPendingAction = false
    /// The time after which the run stops with checkpoints; `nil` for no limit.
    var limit: Duration?
    /// Called at the end of a run that has reached the limit.
    var late: @Sendable () -> Void = {}
    /// Modifies the task of a file.
    var completing: @Sendable (Int, inout DownloadTask) -> Void = { _, _ in }
    /// Called when a file is complete and its command has succeeded.
    var completed: @Sendable (Int) -> Void = { _ in }
    /// Runs alongside each file from its submission to the scheduler; a signal cancels it.
    var follow: @Sendable (Int, DownloadHandle) async -> Void = { _, _ in }
    /// Called at the end of each file. Its return value or error replaces the file's result.
    var ended: @Sendable (Int, RunRequest, Finished) async throws -> DownloadResult = { try $2.get() }

    private var count: Int { requests.count }

    /// - Returns: The exit status.
    func run(with renderer: some ProgressRenderer) async -> Int32 {
        let display = Display(renderer, messages: messages)
        let progress = RunFiles(count: count)
        let loop = RunLoop(display: display) { progress.snapshot }
        let show: Show = { [trace, completed] id, url, outcome, last in
            if case .done = outcome { completed(id) }
            let file = progress.end(id, outcome, url: url, last)
            trace?.ended(file)
            display.show { $0.finished(file, outcome: outcome) }
        }
        let (isLate, signal) = await withTaskGroup(of: Void.self) { tracing in
            if let trace { tracing.addTask { await trace.follow(progress) } }
            return await loop.run {
                await Deadline.run(limit) { await download(progress, show) }
            } cleanUp: {
                tracing.cancelAll()
                await tracing.waitForAll()
            } end: { output, _ in
                output.end(progress.snapshot.overall)
            }
        }
        if let signal { return signal }
        guard isLate else { return progress.exitStatus }
        late()
        return DownloadError(.timedOut, "").exitStatus
    }

    /// Submits the files to the scheduler, in order, and returns when all have ended.
    private func download(_ progress: RunFiles, _ show: @escaping Show) async {
        let names = RunNames(requests, outputs: outputs)
        // The errors of all files are reported before any download starts.
        for id in Set(requests.failures + names.refused).sorted() {
            let wanted = requests[id].checked(names, id)
            guard case .failure(let error) = wanted else { continue }
            show(id, wanted.shownURL, await outcome(of: id, wanted, .failure(error)), nil)
        }
        guard count > 1, let fastPath = downloader.makeFastPath() else {
            return await submit(names, nil, progress, show)
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await fastPath.run() }
            await submit(names, fastPath, progress, show)
            fastPath.finish()
        }
    }

    /// The maximum number of small files in a batch, and of active batches.
    private static let filesAtOnce = 32
    private static let mostBatches = 16

    private func submit(
        _ names: RunNames, _ fastPath: FastPath?, _ progress: RunFiles, _ show: @escaping Show
    ) async {
        let limits = downloader.limits
        let isReversed = limits.queueOrder == .lifo
        // Each task returns the slots that it has used.
        await withTaskGroup(of: Int.self) { group in
            // Enough that the scheduler never waits for a file, but no more, because a list may have very
            // many files.
            var room = 2 * min(limits.mostActiveFiles, count) + 16
            let ofBatch = max(1, room / Self.mostBatches)
            func takeRoom(_ count: Int) async -> Bool {
                while room < count, let freed = await group.next() { room += freed }
                room -= count
                return !Task.isCancelled
            }
            var small: [FastPath.Entry] = []
            func startSmall() async {
                guard let fastPath, !small.isEmpty, await takeRoom(ofBatch) else { return }
                let batch = await fastPath.add(small)
                small = []
                group.addTask {
                    await run(batch, progress, show)
                    return ofBatch
                }
            }
            for index in 0..<count {
                let id = isReversed ? count - 1 - index : index
                let wanted = requests[id].checked(names, id)
                guard case .success = wanted else { continue }
                if Task.isCancelled { break }
                var task: DownloadTask
                do {
                    task = names.task(try wanted.resolved(resolve).get(), id)
                } catch {
                    show(id, wanted.shownURL, await outcome(of: id, wanted, .failure(error)), nil)
                    continue
                }
                task.hasPendingAction = hasPendingAction
                completing(id, &task)
                let isSmall = fastPath?.mayEnter(task) ?? false
                if isSmall { small.append(FastPath.Entry(id: id, task: task)) }
                // Files are requested in order.
                if !isSmall || small.count >= Self.filesAtOnce { await startSmall() }
                if !isSmall, await takeRoom(1) {
                    let rest = start(id, task, progress, show)
                    group.addTask {
                        await rest()
                        return 1
                    }
                }
            }
            await startSmall()
        }
    }

    /// Submits a file to the scheduler.
    ///
    /// - Returns: The remainder of its run.
    private func start(
        _ id: Int, _ task: DownloadTask, _ progress: RunFiles, _ show: @escaping Show
    ) -> @Sendable () async -> Void {
        let wanted = RunRequest.success(task.request)
        let handle = downloader.start(task)
        progress.start(id, wanted.shownURL, handle)
        return {
            async let followed: Void = follow(id, handle)
            let end = await Self.end(of: handle)
            await followed
            show(id, wanted.shownURL, await outcome(of: id, wanted, end), nil)
        }
    }

    /// Runs small files as a batch, and then individually those that leave the fast path.
    private func run(_ batch: FastPathBatch, _ progress: RunFiles, _ show: @escaping Show) async {
        await withTaskGroup(of: Void.self) { group in
            while let event = await batch.next() {
                switch event {
                case .ended(let ends):
                    for end in ends {
                        let wanted = RunRequest.success(end.request)
                        let outcome = await outcome(of: end.id, wanted, end.result)
                        show(end.id, wanted.shownURL, outcome, end.progress)
                    }
                case .left(let files):
                    for file in files where !Task.isCancelled {
                        let rest = start(file.id, file.task, progress, show)
                        group.addTask { await rest() }
                    }
                }
            }
        }
    }

    private static func end(of handle: DownloadHandle) async -> Finished {
        do {
            return .success(try await handle.finish())
        } catch {
            return .failure(error)
        }
    }

    private func outcome(of id: Int, _ request: RunRequest, _ end: Finished) async -> FileOutcome {
        do {
            return .done(try await ended(id, request, end))
        } catch let error as DownloadError {
            return FileOutcome(explained(error, id))
        } catch {
            return FileOutcome(error)
        }
    }

    /// Adds information about the hub that the file is in to an error of its download.
    private func explained(_ error: DownloadError, _ id: Int) -> DownloadError {
        guard case .success(let request) = requests[id] else { return error }
        return (try? resolve(request.source))?.explained(error) ?? error
    }
}

internal import SegmentedDL
internal import SystemPackage

// The run as a whole, from opening the database to writing the proof.
extension MirrorSession {
    /// Runs a job, and returns the report.
    static func run<Entries: AsyncSequence & Sendable>(
        _ job: MirrorJob, of entries: Entries, with downloader: Downloader, _ reporter: MirrorReporter
    ) async -> MirrorReport where Entries.Element == MirrorEntry {
        let began = ContinuousClock.now
        var report: MirrorReport
        do {
            try job.validate()
        } catch {
            await reporter.fail(MirrorReport.Failure(error))
            report = reporter.report
            report.ending = .invalidJob
            return report
        }
        do {
            let store = try await open(job, downloader.durability)
            defer { store.close() }
            report = try await run(job, of: entries, with: downloader, reporter, store)
        } catch {
            let wasCancelled = error is CancellationError
            if !wasCancelled { await reporter.fail(MirrorReport.Failure(error)) }
            report = reporter.report
            report.ending = wasCancelled ? .cancelled : .sourceFailed
        }
        report.seconds = Double((ContinuousClock.now - began) / .nanoseconds(1)) / 1e9
        return report
    }

    private static func run<Entries: AsyncSequence & Sendable>(
        _ job: MirrorJob, of entries: Entries, with downloader: Downloader, _ reporter: MirrorReporter,
        _ store: MirrorStore
    ) async throws -> MirrorReport where Entries.Element == MirrorEntry {
        func begin(startsOver: Bool) async throws -> MirrorSession {
            try await Self.begin(
                job, of: entries as? MirrorEntries, with: downloader, reporter, store, startsOver: startsOver)
        }
        if !store.isLocked {
            downloader.note(FileSystemFeature.locks.notice(in: store.path.directory))
        }
        let session = try await begin(startsOver: job.startsOver || job.isDryRun)
        guard let start = session.earlierStart else { return try await session.mirror(entries) }
        if let report = try await session.catchUp(entries, since: start) { return report }
        return try await begin(startsOver: true).mirror(entries)
    }

    private static func open(_ job: MirrorJob, _ durability: Durability) async throws -> MirrorStore {
        try await DiskThread.run {
            guard let path = job.state else { return try MirrorStore(copyOf: nil) }
            if job.isDryRun { return try MirrorStore(copyOf: path) }
            try DestinationChoice.makeDirectory(job.root)
            try DestinationChoice.makeDirectory(path.directory)
            return try MirrorStore(path: path, durability: durability)
        }
    }

    /// Begins a run in the database, or resumes an unfinished one.
    private static func begin(
        _ job: MirrorJob, of entries: MirrorEntries?, with downloader: Downloader, _ reporter: MirrorReporter,
        _ store: MirrorStore, startsOver: Bool
    ) async throws -> MirrorSession {
        try await DiskThread.run {
            let shard = job.shard.map { " shard \($0)" } ?? ""
            let source = try entries?.identity().map { $0 + shard }
            let start = try store.lastStart()
            var run = try store.begin(source, startsOver: startsOver, now: WallClock.seconds())
            // The sources of files completed by earlier starts are no longer stored.
            if run.isResumed, try !hasCopies(of: run, store, below: job.root) {
                run = try store.begin(source, startsOver: true, now: WallClock.seconds())
            }
            let continues = try run.isResumed || run.pass > 1 && store.done(in: run).files > 0
            return MirrorSession(
                job, with: downloader, reporter, store: store, run: run, lastTurn: try store.lastTurn(),
                source: entries?.source ?? job.source,
                earlierStart: continues ? start : nil)
        }
    }

    /// Returns true if all files completed by earlier starts of a run still exist. Blocks.
    private static func hasCopies(
        of run: MirrorStore.Run, _ store: MirrorStore, below root: FilePath
    ) throws -> Bool {
        var last = ""
        while true {
            let files = try store.complete(in: run, after: last, atMost: 1024)
            guard let end = files.last else { return true }
            last = end.path.text
            guard files.allSatisfy({ $0.record.identity.isAt(root.appending($0.path.text)) }) else {
                return false
            }
        }
    }

    private func mirror<Entries: AsyncSequence & Sendable>(_ entries: Entries) async throws -> MirrorReport
    where Entries.Element == MirrorEntry {
        try await writeSummary()
        await download(entries)
        try await writer.flush()
        return try await finish(entries as? MirrorEntries)
    }

    /// Processes the listing of an earlier start of the run. The source may have changed since, so it must be
    /// listed again afterwards.
    ///
    /// - Parameter start: The time of the earlier start, in seconds since 1970.
    /// - Returns: The report of a run that ended during this pass.
    private func catchUp<Entries: AsyncSequence & Sendable>(
        _ entries: Entries, since start: Int64
    ) async throws -> MirrorReport? where Entries.Element == MirrorEntry {
        downloader.note(
            "the run of \(WallClock.timeOfDay(start)) was not finished: continuing it, and listing the source again at the end"
        )
        // A file that fails now may have been removed or replaced since, which the second listing will show.
        reporter.holdFailures()
        try await writeSummary()
        try await takeOverListing()
        await download(entries)
        try await writer.flush()
        if Task.isCancelled || reporter.wasInterrupted || failure != nil {
            await reporter.releaseFailures()
            return try await finish(entries as? MirrorEntries)
        }
        reporter.beginAgain()
        await reporter.send(.listedAgain)
        return nil
    }

    private func finish(_ entries: MirrorEntries?) async throws -> MirrorReport {
        noteForeign()
        let all = try await DiskThread.run { [store, run] in try store.done(in: run) }
        if !job.isDryRun { reporter.addEarlierTotals(files: all.files, bytes: all.bytes) }
        let ending = try await conclude(entries, files: all.files)
        reporter.addCaughtUp(isThrough: ending == .finished)
        var report = reporter.report
        report.ending = ending
        try await writeSummary(of: report)
        return report
    }

    private func noteForeign() {
        let count = foreignFiles
        guard count > 0 else { return }
        let files = count == 1 ? "1 local file was" : "\(count) local files were"
        downloader.note(
            "\(files) not fetched from this source, and \(job.isDryRun ? "will be fetched" : "had to be fetched"); --adopt keeps those that have the source's size and date"
        )
    }

    /// Adds the totals of earlier starts of this run, and reports their failed entries again.
    private func takeOverListing() async throws {
        let (completed, listed, problems) = try await DiskThread.run { [store, run] in
            (try store.done(in: run).files, try store.listed(in: run), try store.problems())
        }
        listing.resume(after: completed)
        listing.add(listed)
        for problem in problems {
            listing.addFailure()
            await reporter.fail(problem)
        }
    }

    /// Removes files that the source no longer has, and writes the proof. Does neither if the run ended
    /// early.
    ///
    /// - Parameter files: The number of files that are present.
    private func conclude(_ entries: MirrorEntries?, files: Int) async throws -> MirrorReport.Ending {
        try await writeMissing()
        if let ending = await earlyEnding() { return ending }
        guard try await !hasLostAll() else {
            await reporter.fail(MirrorReport.Failure(emptySourceOf: job, entries?.filter ?? PathFilter()))
            try await end()
            return .sourceFailed
        }
        guard try await !hasOnlyFailed(files) else {
            await reporter.fail(MirrorReport.Failure(unreachableFilesOf: job))
            try await end()
            return .sourceFailed
        }
        let isPublished = await publish()
        do {
            let deletion = MirrorDeletion(session: self, entries: entries)
            // The old indexes still refer to the files that the source no longer has.
            let deletes = job.deletion != .nothing && isPublished
            let isDone = deletes ? try await deletion.run() : false
            if !isDone { reporter.found(gone: try await deletion.count()) }
        } catch is CancellationError {
            return .cancelled
        }
        guard !job.isDryRun else { return .finished }
        if let directory = job.proof {
            do {
                try await MirrorProof(session: self, directory: directory, files: files).write()
            } catch {
                await reporter.fail(MirrorReport.Failure(error))
            }
        }
        try await end()
        return .finished
    }

    /// Assigns the final names of the source's files.
    ///
    /// - Returns: False if this failed.
    private func publish() async -> Bool {
        guard let publication = listing.publication, !job.isDryRun else { return true }
        guard reporter.report.failed == 0 else {
            downloader.note(
                "the indexes of '\(job.root)' were left unchanged, because files of the new ones are missing")
            return false
        }
        do {
            try require(
                job.shard == nil, "The files of a suite belong together; mirror it without shards.")
            try await DiskThread.run { [job] in
                let removes = job.deletion != .nothing
                if removes { try publication.checkIsAlone(below: job.root) }
                for step in publication.steps {
                    try job.pathCheck?.run(job.root.appending(step.path.text))
                }
                try publication.publish(below: job.root, removes: removes)
            }
        } catch {
            await reporter.fail(MirrorReport.Failure(error))
            return false
        }
        return true
    }

    private func end() async throws {
        try await DiskThread.run { [store, run] in try store.end(run, now: WallClock.seconds()) }
    }

    /// True if the source lists no files, although it had some before or local files would be removed. A
    /// server with a broken disk, or under maintenance, may respond in this way. All local files are then
    /// kept.
    private func hasLostAll() async throws -> Bool {
        guard listing.isEmpty else { return false }
        if job.deletion != .nothing { return true }
        return try await DiskThread.run { [store] in try store.hasCopies() }
    }

    /// True if none of the files listed by the source is present, although it had some before. The listing
    /// may have been a login page whose links were mistaken for files, or the server may be down.
    private func hasOnlyFailed(_ present: Int) async throws -> Bool {
        guard present == 0, !job.isDryRun, listing.files > 0 else { return false }
        return try await DiskThread.run { [store] in try store.hasCopies() }
    }

    /// The ending of a run that did not process its whole source; `nil` if it did.
    private func earlyEnding() async -> MirrorReport.Ending? {
        if Task.isCancelled || reporter.wasInterrupted { return .cancelled }
        // When a run stops, its listing is cancelled as well, so check this first.
        if reporter.isOver { return .stopped }
        guard let error = failure ?? listing.error else { return nil }
        if error is CancellationError { return .cancelled }
        await reporter.fail(MirrorReport.Failure(error))
        return .sourceFailed
    }

    private func writeMissing() async throws {
        guard let path = job.missing, !job.isDryRun else { return }
        try await DiskThread.run { [store] in try MissingList.write(store, to: path) }
    }
}

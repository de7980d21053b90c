internal import DequeModule
internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// A mirror that remembers: one run, from its database to its proof.
struct StoredMirror: Sendable {
    /// How many files are looked up at a time.
    private static let batch = 1024

    let job: MirrorJob
    let downloader: Downloader
    let channel: EventChannel<MirrorEvent>
    let tally: MirrorTally

    func carryOut<Entries: AsyncSequence & Sendable>(_ entries: Entries) async -> MirrorReport
    where Entries.Element == MirrorEntry {
        let began = ContinuousClock.now
        var report: MirrorReport
        do {
            try job.validate()
            let store = try await open()
            defer { store.close() }
            report = try await carryOut(entries, store)
        } catch {
            if !(error is CancellationError) { await fail(MirrorReport.Failure(Self.known(error))) }
            report = tally.report
            report.ending = error is CancellationError ? .cancelled : .sourceFailed
        }
        report.seconds = Double((ContinuousClock.now - began) / .nanoseconds(1)) / 1e9
        return report
    }

    private func open() async throws -> MirrorStore {
        try await DiskThread.run { [job] in
            let path = job.state ?? MirrorJob.defaultState(in: job.root, shard: job.shard)
            if job.isDryRun { return try MirrorStore(copyOf: path) }
            try DestinationChoice.makeDirectory(job.root)
            try DestinationChoice.makeDirectory(path.directory)
            return try MirrorStore(path: path)
        }
    }

    private func carryOut<Entries: AsyncSequence & Sendable>(
        _ entries: Entries, _ store: MirrorStore
    ) async throws -> MirrorReport where Entries.Element == MirrorEntry {
        let listed = entries as? MirrorEntries
        let (run, done, problems, lastTurn) = try await DiskThread.run { [job] in
            let shard = job.shard.map { " shard \($0)" } ?? ""
            let run = try store.begin(
                try listed?.identity().map { $0 + shard }, startsOver: job.startsOver || job.isDryRun,
                now: WallClock.seconds())
            return (run, try store.done(in: run), try store.problems(), try store.lastTurn())
        }
        let work = Work(mirror: self, store: store, run: run, lastTurn: lastTurn)
        try await summarize(work)
        if run.goesOn {
            work.listing.goesOn(with: done.files)
            work.listing.added(try await DiskThread.run { try store.listed(in: run) })
            for problem in problems {
                work.listing.hasFailed()
                await fail(problem)
            }
        }
        await download(entries, work)
        try await work.writer.flush()
        let all = try await DiskThread.run { try store.done(in: run) }
        if !job.isDryRun { tally.settle(files: all.files, bytes: all.bytes) }
        let report = try await conclude(work, listed, files: all.files)
        try await summarize(work, report)
        return report
    }

    private func conclude(_ work: Work, _ entries: MirrorEntries?, files: Int) async throws -> MirrorReport {
        var report = tally.report
        try await writeMissing(work)
        let isListingCut = work.failure == nil && work.listing.error is CancellationError
        if Task.isCancelled || tally.isCut || isListingCut {
            report.ending = .cancelled
            return report
        }
        if tally.isOver {
            report.ending = .stopped
            return report
        }
        if let error = work.failure ?? work.listing.error {
            await fail(MirrorReport.Failure(Self.known(error)))
            report = tally.report
            report.ending = .sourceFailed
            return report
        }
        do {
            if job.deletion != .nothing {
                try await MirrorDeletion(work: work, entries: entries).carryOut()
            }
        } catch is CancellationError {
            report = tally.report
            report.ending = .cancelled
            return report
        }
        if !job.isDryRun {
            if let directory = job.proof {
                do {
                    try await MirrorProof(work: work, directory: directory, files: files).write()
                } catch {
                    await fail(MirrorReport.Failure(Self.known(error)))
                }
            }
            try await DiskThread.run { try work.store.end(work.run, now: WallClock.seconds()) }
        }
        return tally.report
    }

    private func writeMissing(_ work: Work) async throws {
        guard let path = job.missing, !job.isDryRun else { return }
        try await DiskThread.run { try MissingList.write(work.store, to: path) }
    }

    // MARK: Downloads

    private func download<Entries: AsyncSequence & Sendable>(_ entries: Entries, _ work: Work) async
    where Entries.Element == MirrorEntry {
        await withTaskGroup(of: Ended.self) { group in
            group.addTask {
                await list(entries, work)
                return .listing
            }
            var parts = Parts()
            do {
                try await handOut(&parts, work, to: &group)
            } catch {
                work.fails(error)
            }
            while !work.isOver, let ended = await group.next() {
                goOn(after: ended, &parts, work, in: &group)
            }
            group.cancelAll()
            // What has begun ends with a checkpoint.
            await group.waitForAll()
        }
    }

    /// What a task of the run says at its end.
    private enum Ended: Sendable {
        /// All is listed, or there may be something new.
        case listing, ring
        /// What is to be done now that some files are known.
        case files([FileWork])
    }

    /// The work on files that are known: how many parts of it are under way, and those that wait for one to end.
    private struct Parts {
        var running = 0
        var waiting: Deque<FileWork> = []
    }

    private func goOn(
        after ended: Ended, _ parts: inout Parts, _ work: Work, in group: inout TaskGroup<Ended>
    ) {
        guard case .files(let more) = ended else { return }
        parts.running -= 1
        for part in more.reversed() {
            // What has to be fetched goes first. What is still to be asked has had a turn.
            if case .ask = part { parts.waiting.append(part) } else { parts.waiting.prepend(part) }
        }
        begin(&parts, work, in: &group)
    }

    private func begin(_ parts: inout Parts, _ work: Work, in group: inout TaskGroup<Ended>) {
        while parts.running < downloader.limits.begunFiles, !work.isOver,
            let part = parts.waiting.popFirst()
        {
            group.addTask { .files(await part.carryOut(work)) }
            parts.running += 1
        }
    }

    private func list<Entries: AsyncSequence & Sendable>(_ entries: Entries, _ work: Work) async
    where Entries.Element == MirrorEntry {
        guard !work.run.isListed else {
            await channel.send(.listed(work.listing.state(isComplete: true)))
            work.listing.end(nil)
            return
        }
        let listing = StoredListing(
            job: job, store: work.store, run: work.run, lastTurn: work.lastTurn, channel: channel,
            tally: tally, progress: work.listing)
        do {
            try await listing.carryOut(entries)
            work.listing.end(nil)
        } catch {
            work.listing.end(error)
        }
    }

    private func handOut(_ parts: inout Parts, _ work: Work, to group: inout TaskGroup<Ended>) async throws {
        var turn = Int64(0)
        while !Task.isCancelled, !work.isOver {
            let isAll = work.listing.isOver
            let (next, last) = try await waiting(work, after: turn)
            if let last {
                turn = last
                parts.waiting += next
                begin(&parts, work, in: &group)
                while !parts.waiting.isEmpty, !work.isOver, let ended = await group.next() {
                    goOn(after: ended, &parts, work, in: &group)
                }
                continue
            }
            if isAll { return }
            group.addTask {
                await work.listing.ring()
                return .ring
            }
            // What is found out meanwhile is gone on with.
            while !work.isOver, let ended = await group.next() {
                goOn(after: ended, &parts, work, in: &group)
                if case .ring = ended { break }
            }
        }
    }

    /// What is to be done for files that wait, and the place of the last of them; `nil` if there is none.
    private func waiting(_ work: Work, after turn: Int64) async throws -> ([FileWork], last: Int64?) {
        try await DiskThread.run {
            let batch = try work.store.waiting(after: turn, atMost: Self.batch)
            // A part goes on when the run is over: one that may stop at a failure has small ones.
            let size = job.failurePolicy == .goOn ? 128 : 8
            return (FileWork.parts(of: batch, work, atMost: size), batch.last?.turn)
        }
    }

    func fail(_ failure: MirrorReport.Failure) async {
        tally.add(failure)
        await channel.send(.failed(failure))
    }

    private static func known(_ error: any Error) -> any Error {
        (error as? StorageError)?.asDownloadError ?? error
    }

    /// What the parts of one run share.
    final class Work: Sendable {
        let mirror: StoredMirror
        let store: MirrorStore
        let run: MirrorStore.Run
        /// The last place that was given away before this start of the run.
        let lastTurn: Int64
        let writer: MirrorWriter
        let listing = ListingProgress()
        private let error: Lock<(any Error)?>
        /// For each host, how many times in a row several of its copies were asked about in vain.
        private let inVain = Lock<[Origin: Int]>([:])

        init(mirror: StoredMirror, store: MirrorStore, run: MirrorStore.Run, lastTurn: Int64) {
            self.mirror = mirror
            self.store = store
            self.run = run
            self.lastTurn = lastTurn
            let error = Lock<(any Error)?>(nil)
            self.error = error
            writer = MirrorWriter(store) { failure in error.withLock { $0 = $0 ?? failure } }
        }

        var job: MirrorJob { mirror.job }

        /// Where a file goes.
        func place(of item: MirrorItem) -> DownloadPaths {
            mirror.downloader.place(for: job.root.appending(item.path.text))
        }

        /// Why the database could not be read or written.
        var failure: (any Error)? { error.withLock { $0 } }

        /// Whether no more files are to be begun.
        var isOver: Bool { mirror.tally.isOver || failure != nil }

        /// Whether a host is asked about each copy by itself: others were in vain, and not by an accident.
        func isAskedSingly(_ host: Origin) -> Bool { inVain.withLock { $0[host, default: 0] >= 3 } }

        /// Whether it was of use to ask a host about several copies at a time.
        func note(isInVain: Bool, for host: Origin) {
            inVain.withLock { inVain in
                let count = inVain[host, default: 0]
                inVain[host] = isInVain ? count + 1 : count < 3 ? 0 : count
            }
        }

        func fails(_ error: any Error) {
            self.error.withLock { $0 = $0 ?? error }
        }
    }
}

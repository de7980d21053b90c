public import SegmentedDL

extension Downloader {
    /// Carries out a mirror: downloads the files that a sequence of entries names, under this downloader's caps.
    ///
    /// Entries are taken as there is room for them, so that a million of them do not lie in memory, and while files
    /// already download. A path that comes twice is a failure.
    ///
    /// With a `MirrorJob.state`, files that have not changed are not fetched again, and a run that was killed goes on
    /// without the listings that it has finished; an iteration of other entries begins anew.
    ///
    ///     let source = try Source("https://example.com/pub/")
    ///     var job = MirrorJob(root: "copy")
    ///     job.failurePolicy = .stop(after: 10)
    ///     let run = downloader.mirror(job, of: downloader.entries(of: .index(source)))
    ///     print(await run.report().isComplete)
    ///
    /// - Parameters:
    ///   - job: Where the files go, and what happens when one fails.
    ///   - entries: What to download: those of a `MirrorSource`, or a sequence of your own.
    /// - Returns: The events. It begins when they are iterated, or `MirrorRun.report()` is called.
    public func mirror<Entries: AsyncSequence & Sendable>(
        _ job: MirrorJob, of entries: Entries
    ) -> MirrorRun where Entries.Element == MirrorEntry {
        MirrorRun { [self] channel in
            let tally = MirrorTally(job.failurePolicy)
            guard job.state != nil else {
                return await Mirror(job: job, downloader: self, channel: channel, tally: tally)
                    .carryOut(entries)
            }
            return await StoredMirror(job: job, downloader: self, channel: channel, tally: tally)
                .carryOut(entries)
        }
    }
}

/// One mirror while it is carried out.
private struct Mirror: Sendable {
    let job: MirrorJob
    let downloader: Downloader
    let channel: EventChannel<MirrorEvent>
    let tally: MirrorTally

    func carryOut<Entries: AsyncSequence>(_ entries: Entries) async -> MirrorReport
    where Entries.Element == MirrorEntry {
        let began = ContinuousClock.now
        do {
            try job.validate()
        } catch {
            await fail(MirrorReport.Failure(error))
            var report = tally.report
            report.ending = .sourceFailed
            return report
        }
        let failure = await download(entries)
        var report = tally.report
        if Task.isCancelled || tally.isCut || failure is CancellationError {
            report.ending = .cancelled
        } else if tally.isOver {
            report.ending = .stopped
        } else if let failure {
            await fail(MirrorReport.Failure(failure))
            report = tally.report
            report.ending = .sourceFailed
        }
        report.seconds = Double((ContinuousClock.now - began) / .nanoseconds(1)) / 1e9
        return report
    }

    /// - Returns: Why the entries could not be read to their end.
    private func download<Entries: AsyncSequence>(_ entries: Entries) async -> (any Error)?
    where Entries.Element == MirrorEntry {
        await withTaskGroup(of: Void.self) { group in
            var failure: (any Error)?
            do {
                try await handOut(entries, to: &group)
            } catch {
                // What has begun is gone on with.
                failure = error
            }
            while !tally.isOver, await group.next() != nil {}
            group.cancelAll()
            return failure
        }
    }

    private func handOut<Entries: AsyncSequence>(
        _ entries: Entries, to group: inout TaskGroup<Void>
    ) async throws where Entries.Element == MirrorEntry {
        var paths = PathSet()
        var running = 0
        var iterator = entries.makeAsyncIterator()
        while !Task.isCancelled, !tally.isOver, let entry = try await iterator.next(isolation: #isolation) {
            switch entry {
            case .unusable(let entry):
                await fail(MirrorReport.Failure(place: entry.place, message: entry.reason))
            case .item(let item) where !job.isOwn(item.path.text): continue
            case .item(let item) where !paths.insert(item.path):
                await fail(MirrorReport.Failure(duplicate: item))
            case .item(let item):
                while running >= downloader.limits.begunFiles, await group.next() != nil { running -= 1 }
                guard !tally.isOver else { return }
                group.addTask { await download(item) }
                running += 1
            }
        }
    }

    private func download(_ item: MirrorItem) async {
        do {
            let one = ItemDownload(item: item, job: job, downloader: downloader) { handle in
                await channel.send(.started(item, handle))
            }
            let result = try await one.run()
            tally.add(CollectionOfOne(result))
            await channel.send(.completed(item, result))
        } catch is CancellationError {
            tally.fileWasCancelled()
        } catch {
            await fail(MirrorReport.Failure(error, of: item))
        }
    }

    private func fail(_ failure: MirrorReport.Failure) async {
        tally.add(failure)
        await channel.send(.failed(failure))
    }
}

extension MirrorReport.Failure {
    init(_ error: any Error, of item: MirrorItem? = nil) {
        let known = error as? DownloadError
        self.init(
            path: item?.path, place: known?.url ?? item?.sources.first?.description ?? "", code: known?.code,
            message: known?.message ?? "\(error)")
    }

    init(duplicate item: MirrorItem) {
        self.init(
            path: item.path, place: item.sources.first?.description ?? "", code: .duplicate,
            message: "'\(item.path)' is named more than once; only the first one is downloaded.")
    }
}

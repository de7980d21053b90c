public import SegmentedDL

extension Downloader {
    /// Downloads the files that a sequence of entries names, under this downloader's caps.
    ///
    /// The mirror downloads files while it takes further entries. Without a `MirrorJob.state` it takes
    /// entries as there is room for them; with a state they wait in its database. In both cases a million
    /// entries are never in memory. A path that comes twice is a failure, unless it is the same file.
    ///
    /// With a `MirrorJob.state`, the mirror does not fetch files again that have not changed, and resumes a
    /// run that was killed without the listings that it has finished; then it lists the source once more,
    /// because it may have changed since (`MirrorEvent.listedAgain`). Entries of a caller's own are iterated
    /// from the beginning.
    ///
    ///     let source = try Source("https://example.com/pub/")
    ///     var job = MirrorJob(root: "copy")
    ///     job.failurePolicy = .stop(after: 10)
    ///     let run = downloader.mirror(job, of: downloader.entries(of: .index(source)))
    ///     print(await run.report().isComplete)
    ///
    /// - Parameters:
    ///   - job: The directory of the files, and what to do when one fails.
    ///   - entries: The files to download: the entries of a `MirrorSource`, or a sequence of your own.
    /// - Returns: The events. The mirror begins when they are iterated, or when `MirrorRun.report()` is
    ///   called.
    public func mirror<Entries: AsyncSequence & Sendable>(
        _ job: MirrorJob, of entries: Entries
    ) -> MirrorRun where Entries.Element == MirrorEntry {
        MirrorRun { [self] channel in
            await MirrorSession.run(
                job, of: entries, with: self, MirrorReporter(job.failurePolicy, channel: channel))
        }
    }

    /// Downloads the files of a list, under this downloader's caps.
    ///
    /// - Parameters:
    ///   - job: The directory of the files, and what to do when one fails.
    ///   - items: The files.
    /// - Returns: As for a sequence of entries.
    public func mirror(_ job: MirrorJob, of items: some Sequence<MirrorItem> & Sendable) -> MirrorRun {
        mirror(
            job,
            of: AsyncStream { continuation in
                for item in items { continuation.yield(MirrorEntry.item(item)) }
                continuation.finish()
            })
    }
}

public import SegmentedDL

extension Downloader {
    /// Downloads the files of a sequence of entries, under this downloader's caps.
    ///
    /// Downloading overlaps with listing. Without a `MirrorJob.state`, entries are requested only as fast as
    /// they are downloaded; with a state, they are queued in its database. In both cases, memory use does not
    /// grow with the number of entries. A path that occurs twice is a failure, unless both entries refer to
    /// the same file.
    ///
    /// With a `MirrorJob.state`, the mirror does not fetch unchanged files again. It resumes a run that was
    /// killed without repeating the listings that are complete. Afterwards it lists the source again, because
    /// the source may have changed since (`MirrorEvent.listedAgain`). A caller's own entries are iterated
    /// from the beginning.
    ///
    ///     let source = try Source("https://example.com/pub/")
    ///     var job = MirrorJob(root: "copy")
    ///     job.failurePolicy = .stop(after: 10)
    ///     let run = downloader.mirror(job, of: downloader.entries(of: .index(source)))
    ///     print(await run.report().isComplete)
    ///
    /// - Parameters:
    ///   - job: The directory of the files, and the action if one fails.
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
    ///   - job: The directory of the files, and the action if one fails.
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

import SegmentedDLSupport

/// Updates the manifest while a download runs.
///
/// Each write is recorded in the manifest's journal at once, so that a kill loses only the bytes that were
/// still in memory. Two loops do the rest, because syncing data may take long: one makes data durable, and
/// the other replaces the manifest with one that records this and has an empty journal.
///
/// A small file has no manifest at first. If the transfer is slow, the file gets a manifest and a name, but
/// no syncs until it is complete.
final class Checkpointer: Sendable {
    /// The interval between manifests.
    private static let manifestInterval = Duration.seconds(1)

    /// The interval between the end of one sync and the next: short, so that the disk is busy while bytes
    /// arrive, and little remains for the last sync.
    private static let syncInterval = Duration.milliseconds(200)

    private let part: PartFile
    private let store: ManifestStore
    private let plan: SharedPlan
    private let template: @Sendable () -> Manifest
    private let durability: Durability
    private let extents: ExtentRecorder?
    /// Signalled once writes are recorded.
    private let hasManifest = OnceFlag()
    /// Held while a manifest is saved: concurrent drafts would share one file.
    private let saves = Lock(())
    private let durable: Lock<Durable>
    private let journal = Lock(Journal())

    private struct Durable {
        var ranges: ByteRangeSet
        /// The extents as of the last sync.
        var extents = ExtentList()
        /// The revoked ranges, in order: a sync that began earlier does not cover the bytes that replace
        /// them.
        var takenBack: [ByteRange] = []
    }

    private struct Journal {
        /// The manifest to whose journal lines are appended.
        var manifest: ManifestDraft?
        /// The failure after which nothing more is recorded.
        var failure: StorageError?
    }

    /// - Parameters:
    ///   - template: Returns the manifest, with the initially durable ranges; the plan has the written ones.
    ///     Not called for a small file without a manifest, because a URL's digest takes time.
    ///   - extents: Computes the fingerprints of the bytes; `nil` for a manifest without them.
    ///   - waits: True for a small file of which nothing is on disk yet.
    init(
        part: PartFile, store: ManifestStore, plan: SharedPlan,
        template: @autoclosure @escaping @Sendable () -> Manifest, durability: Durability,
        extents: ExtentRecorder? = nil, waits: Bool = false
    ) {
        self.part = part
        self.store = store
        self.plan = plan
        self.template = template
        self.durability = durability
        self.extents = extents
        durable = Lock(Durable(ranges: ByteRangeSet()))
        guard !waits else { return }
        hasManifest.raise()
        let first = template()
        durable.withLock { $0.ranges = Manifest.rangeSet(first.durable, within: first.total) }
    }

    /// False for a small file that has needed no manifest so far.
    var keeps: Bool { hasManifest.isRaised }

    deinit {
        journal.withLock { $0.manifest?.close() }
    }

    /// Records bytes that are now in the part file.
    ///
    /// - Parameter count: Adds the bytes to the plan. Called after their fingerprints have been computed.
    /// - Returns: The result of `count`.
    func wrote<Result>(
        _ bytes: UnsafeRawBufferPointer, at start: Int64, count: () -> Result
    ) -> Result {
        guard keeps else { return count() }
        let written = extents?.wrote(bytes, at: start)
        let result = count()
        let range = start..<(start + Int64(bytes.count))
        let lines = written.map { $0.flatMap(ManifestCodec.encode) } ?? ManifestCodec.encode(range)
        journal.withLock { $0.manifest?.append(lines) }
        return result
    }

    /// Drops a byte range that must be fetched again, so that the next manifest does not list it. Call this
    /// after changing the plan.
    func takeBack(_ range: ByteRange) {
        extents?.takeBack(range)
        durable.withLock { durable in
            durable.ranges.remove(contentsOf: range)
            durable.extents.remove(overlapping: range)
            durable.takenBack.append(range)
        }
    }

    /// Saves a manifest with the journal to which writes are appended. The bytes of an earlier run are made
    /// durable first.
    func begin() async throws {
        guard keeps else { return }
        try await DiskThread.run { [self] in
            if durability == .power, !plan.snapshot.written.isEmpty { try synchronizeData() }
            try saveManifest()
        }
    }

    /// Writes checkpoints until the task is cancelled.
    ///
    /// - Throws: `StorageError` if the manifest or the data cannot be made durable.
    func run() async throws {
        guard keeps else { return await keepIfSlow() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.repeatedly(every: Self.manifestInterval) { try self.saveManifest() }
            }
            if durability == .power {
                group.addTask {
                    try await self.repeatedly(every: Self.syncInterval) { try self.synchronizeData() }
                }
            }
            // Do not use `waitForAll`, which would throw one loop's failure only after the other loop has
            // ended.
            for try await _ in group {}
        }
    }

    /// Waits until a small file is worth a manifest, and then creates it.
    private func keepIfSlow() async {
        guard let total = plan.snapshot.total else { return }
        let began = Monotonic.now()
        while (try? await Task.sleep(for: .seconds(ManifestThreshold.interval))) != nil {
            let isSlow = ManifestThreshold.isWorthIt(
                written: plan.snapshot.written.byteCount, of: total, after: Monotonic.now() - began)
            if isSlow { return await DiskThread.run { self.keep() } }
        }
    }

    /// Gives a small file a manifest, whose journal records all further writes, and then the name of a part
    /// file; a part file without a manifest would be taken for another program's. Blocks.
    ///
    /// Nothing is synced, so a power cut loses the file as if it were unnamed. If this fails, the download
    /// continues without a manifest.
    func keep() {
        guard (try? part.lacksItsName()) == false else { return }
        hasManifest.raise()
        do {
            try extents?.add(plan.snapshot.written, of: part)
            try saveManifest(durably: false)
            try part.giveName()
        } catch {
            journal.withLock { journal in
                journal.manifest?.close()
                journal.manifest = nil
            }
            // If another download has since claimed the name, that file must not lose its manifest.
            if (error as? DownloadError)?.code != .locked { try? store.remove() }
        }
    }

    /// Checks that every sync succeeded.
    ///
    /// - Throws: `StorageError` if a sync failed, even if too late for `run()` to throw the error.
    func checkNothingIsLost() throws(StorageError) {
        if let failure = journal.withLock({ $0.failure }) { throw failure }
    }

    /// Empties the manifest, because bytes on disk may be lost. Blocks.
    func lost(because failure: StorageError) {
        journal.withLock { journal in
            journal.failure = failure
            journal.manifest?.close()
            journal.manifest = nil
            // Ignore an error here: the original failure is the one to report.
            try? store.forget(after: failure)
        }
    }

    private func repeatedly(
        every interval: Duration, _ step: @escaping @Sendable () throws -> Void
    ) async throws {
        while (try? await Task.sleep(for: interval)) != nil {
            try await DiskThread.run(step)
        }
    }

    /// Makes the data durable, then writes the manifest that records it.
    func checkpoint() async throws {
        guard keeps else { return }
        try await DiskThread.run { [self] in
            if durability == .power { try synchronizeData() }
            try saveManifest()
        }
    }

    private func synchronizeData() throws {
        // Read this before the sync, which may not cover bytes written during it.
        let written = plan.snapshot.written
        let extents = extents?.list ?? ExtentList()
        let takenBack = durable.withLock { $0.takenBack.count }
        do {
            try part.synchronize()
        } catch {
            lost(because: error)
            throw error
        }
        durable.withLock { durable in
            durable.ranges = written
            durable.extents = extents
            for range in durable.takenBack[takenBack...] {
                durable.ranges.remove(contentsOf: range)
                durable.extents.remove(overlapping: range)
            }
        }
    }

    /// Replaces the manifest with one that describes the current content of the disk. Blocks.
    ///
    /// - Parameter durably: False to leave a new manifest to the page cache.
    func saveManifest(durably: Bool = true) throws {
        try saves.withLock { _ in try saveNext(durably: durably) }
    }

    private func saveNext(durably: Bool) throws {
        var manifest = template()
        let (durable, durableExtents) = durable.withLock { ($0.ranges, $0.extents) }
        let written = plan.snapshot.written
        let extents = extents?.list
        // A restarted stream may have less on disk than was once durable.
        manifest.durable = Manifest.list(durable.intersection(written))
        manifest.written = Manifest.list(written)
        manifest.extents = extents
        manifest.durableExtents = extents.map { ExtentList(durableExtents.added(to: $0)) }
        manifest.updated = WallClock.seconds()
        let draft = try ManifestDraft(manifest, beside: store.path, durably: durably && durability == .power)
        try journal.withLock { journal in
            if let failure = journal.failure {
                draft.close()
                throw failure
            }
            // The bytes written since the snapshot are recorded only in the old journal, which is dropped
            // now.
            draft.append(linesSince(written, extents))
            try draft.replaceOld()
            journal.manifest?.close()
            journal.manifest = draft
        }
    }

    /// Returns the journal lines for bytes written later than these.
    private func linesSince(_ written: ByteRangeSet, _ before: ExtentList?) -> [UInt8] {
        guard let before, let extents else {
            return plan.snapshot.written.subtracting(written).ranges.flatMap(ManifestCodec.encode)
        }
        return extents.list.added(to: before).flatMap(ManifestCodec.encode)
    }
}

/// Decides when an active small file gets a name and a manifest, so that a kill does not lose its bytes.
///
/// Creating them costs more than transferring most small files, which are complete before the first check.
enum ManifestThreshold {
    /// The interval in seconds between checks, and before the first one.
    static let interval = 0.1

    /// The minimum remaining time in seconds: a file that completes sooner is not worth the system calls.
    private static let shortestRest = 0.2

    /// - Parameters:
    ///   - written: The bytes on disk.
    ///   - length: The file's length in bytes.
    ///   - seconds: The time since the transfer began.
    static func isWorthIt(written: Int64, of length: Int64, after seconds: Double) -> Bool {
        guard written > 0 else { return false }
        return seconds / Double(written) * Double(length - written) >= shortestRest
    }
}

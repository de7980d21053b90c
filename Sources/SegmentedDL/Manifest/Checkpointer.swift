import SegmentedDLSupport

/// Keeps the manifest up to date while a download runs.
///
/// Each write is recorded in the manifest's journal at once, so that a kill loses only the bytes that were
/// still in memory. Two loops do the rest, because syncing data may take long: one makes data durable, the
/// other replaces the manifest by one that says so, with an empty journal.
final class Checkpointer: Sendable {
    /// The time from one manifest to the next.
    private static let manifestInterval = Duration.seconds(1)

    /// The time from the end of one sync to the next: short, so that the disk works while bytes come in, and
    /// little is left for the last sync.
    private static let syncInterval = Duration.milliseconds(200)

    private let part: PartFile
    private let store: ManifestStore
    private let plan: SharedPlan
    private let template: Manifest
    private let durability: Durability
    private let durable: Lock<Durable>
    private let journal = Lock(Journal())

    private struct Durable {
        var ranges: ByteRangeSet
        /// The ranges that were taken back, in order: a sync that began before does not cover the bytes that
        /// replace them.
        var takenBack: [ByteRange] = []
    }

    private struct Journal {
        /// The manifest whose journal is appended to.
        var manifest: ManifestDraft?
        /// The failure after which nothing more is recorded.
        var failure: StorageError?
    }

    /// - Parameter template: The manifest without its ranges.
    init(part: PartFile, store: ManifestStore, plan: SharedPlan, template: Manifest, durability: Durability) {
        self.part = part
        self.store = store
        self.plan = plan
        self.template = template
        self.durability = durability
        durable = Lock(Durable(ranges: Manifest.rangeSet(template.durable, within: template.total)))
    }

    deinit {
        journal.withLock { $0.manifest?.close() }
    }

    /// Records a byte range that is in the part file now.
    func wrote(_ range: ByteRange) {
        journal.withLock { $0.manifest?.append(range) }
    }

    /// Drops a byte range that must be fetched again, so that the next manifest does not claim it. Call it
    /// after the plan has changed.
    func takeBack(_ range: ByteRange) {
        durable.withLock { durable in
            durable.ranges.remove(contentsOf: range)
            durable.takenBack.append(range)
        }
    }

    /// Writes the first manifest. Bytes of an earlier run are made durable before the manifest says so.
    func begin() async throws {
        try await DiskThread.run { [self] in
            if durability == .power, !plan.snapshot.written.isEmpty { try synchronizeData() }
            try saveManifest()
        }
    }

    /// Checkpoints until the task is cancelled.
    ///
    /// - Throws: `StorageError` if the manifest or the data cannot be made durable.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.repeatedly(every: Self.manifestInterval) { try self.saveManifest() }
            }
            if durability == .power {
                group.addTask {
                    try await self.repeatedly(every: Self.syncInterval) { try self.synchronizeData() }
                }
            }
            // Not `waitForAll`, because it would throw one loop's failure only after the other loop has
            // ended.
            for try await _ in group {}
        }
    }

    /// Checks that every sync succeeded.
    ///
    /// - Throws: `StorageError` if a sync failed, even if it failed too late for `run()` to throw it.
    func checkNothingIsLost() throws(StorageError) {
        if let failure = journal.withLock({ $0.failure }) { throw failure }
    }

    /// Claims nothing more, because bytes that were on disk may be lost. Blocks.
    func lost(because failure: StorageError) {
        journal.withLock { journal in
            journal.failure = failure
            journal.manifest?.close()
            journal.manifest = nil
            // Ignore an error here: the failure that led here is the one to report.
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

    /// Makes one whole checkpoint: makes the data durable, then writes the manifest that says so.
    func checkpoint() async throws {
        try await DiskThread.run { [self] in
            if durability == .power { try synchronizeData() }
            try saveManifest()
        }
    }

    private func synchronizeData() throws {
        // Read this before the sync, because bytes that are written during it may not be covered.
        let written = plan.snapshot.written
        let takenBack = durable.withLock { $0.takenBack.count }
        do {
            try part.synchronize()
        } catch {
            lost(because: error)
            throw error
        }
        durable.withLock { durable in
            durable.ranges = written
            for range in durable.takenBack[takenBack...] { durable.ranges.remove(contentsOf: range) }
        }
    }

    private func saveManifest() throws {
        var manifest = template
        let durable = durable.withLock { $0.ranges }
        let written = plan.snapshot.written
        // A stream that started over has less on disk than was once durable.
        manifest.durable = Manifest.list(durable.intersection(written))
        manifest.written = Manifest.list(written)
        manifest.updated = WallClock.seconds()
        let draft = try ManifestDraft(manifest, beside: store.path, durably: durability == .power)
        try journal.withLock { journal in
            if let failure = journal.failure {
                draft.close()
                throw failure
            }
            // The bytes written since the snapshot are recorded only in the old journal, which is dropped
            // now.
            for range in plan.snapshot.written.subtracting(written).ranges { draft.append(range) }
            try draft.replaceOld()
            journal.manifest?.close()
            journal.manifest = draft
        }
    }
}

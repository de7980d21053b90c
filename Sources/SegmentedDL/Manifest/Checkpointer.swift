import SegmentedDLSupport

/// Keeps the manifest while a download runs.
///
/// Each write is noted in the manifest's journal at once, so that a kill loses no more than what was still
/// in memory. Two loops do the rest, because syncing data may take long: one makes data durable, the other
/// replaces the manifest by one that says so, with an empty journal.
final class Checkpointer: Sendable {
    /// How long after one manifest the next is written.
    private static let manifestInterval = Duration.seconds(1)

    /// How long after one sync the next begins: soon, so that the disk works while bytes come in, and little is
    /// left for the last one.
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
        /// What was taken back, in that order: a sync that began before does not cover what comes in its place.
        var takenBack: [ByteRange] = []
    }

    private struct Journal {
        /// The manifest that notes are appended to.
        var manifest: ManifestDraft?
        /// Why nothing is noted any more.
        var failure: StorageError?
    }

    /// - Parameter template: The manifest but for its ranges.
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

    /// Notes a byte range that is in the part file now.
    func wrote(_ range: ByteRange) {
        journal.withLock { $0.manifest?.append(range) }
    }

    /// A byte range is to be fetched again. Call it after the plan says so; the next manifest claims it no more.
    func takeBack(_ range: ByteRange) {
        durable.withLock { durable in
            durable.ranges.remove(contentsOf: range)
            durable.takenBack.append(range)
        }
    }

    /// Writes the first manifest. What an earlier run left is made durable before it is said to be.
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
            // Not `waitForAll`, which would tell of one loop's failure only when the other has ended.
            for try await _ in group {}
        }
    }

    /// Whether everything that was to be synced could be.
    ///
    /// - Throws: `StorageError` if a sync failed, also if that was noticed too late for `run()` to say so.
    func checkNothingIsLost() throws(StorageError) {
        if let failure = journal.withLock({ $0.failure }) { throw failure }
    }

    /// Bytes that were on disk may be gone: nothing more is claimed. Blocks.
    func lost(because failure: StorageError) {
        journal.withLock { journal in
            journal.failure = failure
            journal.manifest?.close()
            journal.manifest = nil
            // The failure that led here is the one to report.
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

    /// One whole checkpoint: the data is made durable, then the manifest that says so.
    func checkpoint() async throws {
        try await DiskThread.run { [self] in
            if durability == .power { try synchronizeData() }
            try saveManifest()
        }
    }

    private func synchronizeData() throws {
        // Before the sync: what is written during it may or may not be covered.
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
        // A stream that started over has less on disk than was once made durable.
        manifest.durable = Manifest.list(durable.intersection(written))
        manifest.written = Manifest.list(written)
        manifest.updated = WallClock.seconds()
        let draft = try ManifestDraft(manifest, beside: store.path, durably: durability == .power)
        try journal.withLock { journal in
            if let failure = journal.failure {
                draft.close()
                throw failure
            }
            // What was written since the snapshot is in the old journal, which goes now.
            for range in plan.snapshot.written.subtracting(written).ranges { draft.append(range) }
            try draft.publish()
            journal.manifest?.close()
            journal.manifest = draft
        }
    }
}

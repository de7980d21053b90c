import Synchronization

/// Writes the manifest while a download runs: at most a second of progress is lost to a kill.
///
/// Two loops, because syncing data may take longer than a second: one writes what has been written, the
/// other makes data durable and notes what was.
final class Checkpointer: Sendable {
    private static let interval = Duration.milliseconds(500)

    private let part: PartFile
    private let store: ManifestStore
    private let plan: SharedPlan
    private let template: Manifest
    private let durability: Durability
    private let durable: Mutex<ByteRangeSet>

    /// - Parameter template: The manifest but for its ranges.
    init(part: PartFile, store: ManifestStore, plan: SharedPlan, template: Manifest, durability: Durability) {
        self.part = part
        self.store = store
        self.plan = plan
        self.template = template
        self.durability = durability
        durable = Mutex(Manifest.rangeSet(template.durable, within: template.total))
    }

    /// Checkpoints until the task is cancelled.
    ///
    /// - Throws: `StorageError` if the manifest or the data cannot be made durable.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.repeatedly { try self.saveManifest() } }
            if durability == .power {
                group.addTask { try await self.repeatedly { try self.synchronizeData() } }
            }
            try await group.waitForAll()
        }
    }

    private func repeatedly(_ step: @escaping @Sendable () throws -> Void) async throws {
        while (try? await Task.sleep(for: Self.interval)) != nil {
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
        try part.synchronize()
        durable.withLock { $0 = written }
    }

    private func saveManifest() throws {
        var manifest = template
        let durable = durable.withLock { $0 }
        let written = plan.snapshot.written
        // A stream that started over has less on disk than was once made durable.
        manifest.durable = Manifest.list(durable.intersection(written))
        manifest.written = Manifest.list(written)
        manifest.updated = WallClock.seconds()
        try store.save(manifest, durably: durability == .power)
    }
}

package import SegmentedDL
internal import SegmentedDLMirror
package import SegmentedDLQueue
internal import SegmentedDLSupport
internal import SystemPackage

/// The daemon's mirrors. They use the downloader of its queue, and so the same caps.
package actor Mirrors {
    /// The maximum number of running mirrors; others wait.
    static let most = 4
    /// The maximum number of stored mirrors. All of them are listed in one response, and an unlimited store
    /// could fill the disk.
    static let mostKept = 1_000

    private struct Entry {
        var record: MirrorRecord
        var run: Run?
    }

    private struct Run {
        let progress: MirrorProgress
        let task: Task<Void, Never>
        var isStopping = false
    }

    private let runner: MirrorRunner
    private let store: DaemonStore
    private let fence: Fence
    private var entries: [GID: Entry] = [:]
    /// In the order in which they were added.
    private var order: [GID] = []
    /// Directories of mirrors that are being added.
    private var reserved: Set<String> = []
    private var isClosed = false
    nonisolated let events = Multicast<MirrorListEvent>()

    /// Reads the mirrors. Like downloads, mirrors that were running when the daemon ended run again: they
    /// resume from the state in their directories.
    ///
    /// - Parameters:
    ///   - usual: The headers and credentials for mirrors whose client supplied none.
    ///   - locate: Resolves the location of a repository or an image.
    ///   - stayStopped: True if no mirror may run until a client requests it.
    /// - Throws: `DownloadError` if the store cannot be read.
    package init(
        downloader: Downloader, store: DaemonStore, fence: Fence, usual: Authorization = Authorization(),
        locate: MirrorLocator? = nil, stayStopped: Bool = false
    ) async throws {
        self.store = store
        self.fence = fence
        runner = MirrorRunner(downloader: downloader, fence: fence, usual: usual, locate: locate)
        for (id, stored) in try await store.mirrors() {
            var record = stored
            if stayStopped { record.isWanted = false }
            entries[id] = Entry(record: record)
            order.append(id)
        }
    }

    /// Starts the requested mirrors.
    package func start() { schedule() }

    /// Stops all mirrors with checkpoints. They remain requested, so that the next daemon runs them.
    package func close() async {
        isClosed = true
        let tasks = entries.values.compactMap(\.run?.task)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        events.finish()
    }

    // MARK: Questions

    /// All mirrors, in the order in which they were added.
    var all: [MirrorView] { order.compactMap { view($0) } }

    var running: [MirrorView] { order.filter { entries[$0]?.run != nil }.compactMap { view($0) } }

    /// - Throws: `DownloadError` with code `notFound`.
    func mirror(_ id: GID) throws -> MirrorView {
        guard let view = view(id) else { throw Self.missing(id) }
        return view
    }

    private func view(_ id: GID) -> MirrorView? {
        guard let entry = entries[id] else { return nil }
        guard let run = entry.run else {
            return MirrorView(id: id, record: entry.record, state: entry.record.restingState)
        }
        return MirrorView(
            id: id, record: entry.record, state: run.isStopping ? .stopping : .running,
            began: run.progress.began, run: run.progress.snapshot)
    }

    private static func missing(_ id: GID) -> DownloadError {
        DownloadError(.notFound, "There is no mirror '\(id)'; it may have been removed.")
    }

    // MARK: Changes

    /// Adds a mirror, which runs immediately unless it must wait for `run`. It is stored when this returns.
    ///
    /// - Throws: `DownloadError`: `badPath` for a directory that is not allowed, `duplicate` if another
    ///   mirror uses it, `invalidURL`, `invalidSetting`; `InterfaceError` if too many exist.
    func add(_ order: MirrorOrder, isStopped: Bool = false) async throws -> MirrorView {
        try order.validate()
        // An unknown hub or a malformed location is refused immediately.
        _ = try await runner.located(order)
        var order = order
        let directory = order.directory
        order.directory = try await DiskThread.run { [fence] in try fence.directory(directory).string }
        try reserve(order.directory)
        defer { reserved.remove(order.directory) }
        let id = GID.random()
        let record = MirrorRecord(order: order, added: Instant.now, isWanted: !isStopped)
        try await store.add(record, of: id)
        entries[id] = Entry(record: record)
        self.order.append(id)
        schedule()
        return try publish(id)
    }

    private func reserve(_ directory: String) throws {
        // Mirrors that are being added count as well, because simultaneous calls could otherwise exceed the
        // limit.
        guard entries.count + reserved.count < Self.mostKept else {
            throw InterfaceError(
                409, "tooManyMirrors",
                "The daemon already has \(Self.mostKept) mirrors, the maximum; remove one that you no longer need."
            )
        }
        let isTaken = entries.values.contains { $0.record.order.directory == directory }
        guard !isTaken, reserved.insert(directory).inserted else {
            throw DownloadError(
                .duplicate,
                "Another mirror already uses '\(Printable.text(directory))'; choose another directory.")
        }
    }

    /// Runs a mirror now, or after others have ended. Has no effect on a running one.
    func run(_ id: GID) async throws -> MirrorView {
        try await change(id) { $0.isWanted = true }
        schedule()
        return try publish(id)
    }

    /// Stops a mirror. It resumes there when it runs again.
    func stop(_ id: GID) async throws -> MirrorView {
        try await change(id) { $0.isWanted = false }
        if entries[id]?.run != nil {
            entries[id]?.run?.isStopping = true
            entries[id]?.run?.task.cancel()
        }
        return try publish(id)
    }

    /// Removes a mirror from the list. Its files are kept.
    ///
    /// Remove it from the list before the store, because the end of its run could otherwise store it again.
    func remove(_ id: GID) async throws {
        guard var entry = entries.removeValue(forKey: id), let place = order.firstIndex(of: id) else {
            throw Self.missing(id)
        }
        order.remove(at: place)
        // Its directory is available again once its run has ended.
        let directory = entry.record.order.directory
        reserved.insert(directory)
        defer {
            reserved.remove(directory)
            schedule()
        }
        var failure: (any Error)?
        do {
            try await store.eraseMirror(id)
        } catch {
            failure = error
        }
        entry.run?.task.cancel()
        await entry.run?.task.value
        guard let failure else { return events.send(.removed(id)) }
        entry.run = nil
        entries[id] = entry
        order.insert(id, at: min(place, order.count))
        throw failure
    }

    private func change(_ id: GID, _ edit: (inout MirrorRecord) -> Void) async throws {
        guard var record = entries[id]?.record else { throw Self.missing(id) }
        edit(&record)
        let before = entries[id]?.record.isWanted ?? false
        entries[id]?.record = record
        do {
            try await store.update(record, of: id)
        } catch {
            entries[id]?.record.isWanted = before
            throw error
        }
        guard entries[id] != nil else { throw Self.missing(id) }
    }

    /// Returns a mirror's current state, and sends it to all event readers.
    @discardableResult
    private func publish(_ id: GID) throws -> MirrorView {
        let view = try mirror(id)
        events.send(.changed(view))
        return view
    }

    // MARK: Running

    private func schedule() {
        guard !isClosed else { return }
        var free = Self.most - entries.values.count { $0.run != nil }
        for id in order where free > 0 {
            guard let entry = entries[id], entry.record.isWanted, entry.run == nil else { continue }
            begin(id, entry.record.order)
            free -= 1
        }
    }

    private func begin(_ id: GID, _ order: MirrorOrder) {
        let progress = MirrorProgress(began: Instant.now)
        let task = Task { [runner] in
            let proof = await runner.run(order, progress)
            await ended(id, progress, proof: proof)
        }
        entries[id]?.run = Run(progress: progress, task: task)
        _ = try? publish(id)
    }

    private func ended(_ id: GID, _ progress: MirrorProgress, proof: String?) async {
        guard var entry = entries[id], let run = entry.run, run.progress === progress else { return }
        // It remains requested if `run` was called after `stop`, or if the daemon ends.
        let isOver = !run.task.isCancelled || run.isStopping
        entry.run = nil
        if isOver {
            var outcome = progress.outcome(ended: Instant.now)
            outcome.proof = proof ?? entry.record.last?.proof
            entry.record.last = outcome
            if !run.isStopping { entry.record.isWanted = false }
        }
        entries[id] = entry
        // If it cannot be stored, the figures of this run are lost, and it runs again after a kill.
        if isOver { try? await store.update(entry.record, of: id) }
        _ = try? publish(id)
        schedule()
    }
}

/// A change in the list of mirrors.
enum MirrorListEvent: Sendable {
    case changed(MirrorView)
    case removed(GID)
}

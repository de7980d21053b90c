internal import Logging
import SegmentedDLSupport
internal import SystemPackage

/// One download, from its turn in the queue to its final name.
///
/// A class, as it has much to hold and nothing to change: a copy would be made for each thread that it goes to.
final class FileDownload: Sendable {
    let request: DownloadRequest
    let configuration: Configuration
    let slot: FileSlot
    let tracker: ProgressTracker
    let client: SourceClient
    /// One for each source, the preferred one first.
    let clients: [SourceClient]
    let commits: CommitQueue
    let delegate: (any DownloadDelegate)?

    init(
        request: DownloadRequest, configuration: Configuration, slot: FileSlot, tracker: ProgressTracker,
        client: SourceClient, clients: [SourceClient], commits: CommitQueue,
        delegate: (any DownloadDelegate)?
    ) {
        self.request = request
        self.configuration = configuration
        self.slot = slot
        self.tracker = tracker
        self.client = client
        self.clients = clients
        self.commits = commits
        self.delegate = delegate
    }

    func run() async throws -> DownloadResult {
        defer { slot.release() }
        do {
            try request.validate(configuration)
            try await slot.waitForStart()
            let began = ContinuousClock.now
            var result = try await toDestination()
            result.duration = ContinuousClock.now - began
            await count(into: &result)
            tracker.enter(.completed)
            return result
        } catch {
            tracker.enter(error is CancellationError ? .cancelled : .failed)
            throw publicError(error)
        }
    }

    private func count(into result: inout DownloadResult) async {
        // What was cut off is counted once its connection is closed.
        if client.counters.totals.underway > 0 { await client.engine.drain() }
        let totals = client.counters.totals
        result.connectionsOpened = totals.connections
        result.bytesReceived = totals.bytes
    }

    private func toDestination() async throws -> DownloadResult {
        if case .descriptor(let descriptor) = request.destination {
            return try await toDescriptor(descriptor)
        }
        var useless: Set<Source.Index> = []
        while true {
            do {
                return try await attempts(without: useless)
            } catch let failed as StreamFailure {
                // A stream comes from one source alone; another one has its turn.
                useless.insert(failed.source)
                guard useless.count < clients.count, failed.isOfSource else { throw failed.cause }
            }
        }
    }

    private func attempts(without useless: Set<Source.Index>) async throws -> DownloadResult {
        var (startsOver, believes, hasChanged) = (request.startsOver, request.followsLinks, false)
        while true {
            do {
                return try await attempt(startingOver: startsOver, believing: believes, without: useless)
            } catch TransferFailure.changed(let what) where !hasChanged {
                configuration.logger.notice(
                    "\(request.source): \(what) changed on the server; starting over")
                (startsOver, hasChanged) = (true, true)
            } catch is WrongDescription {
                configuration.logger.notice(
                    "\(request.source): its Metalink is wrong, or all sources are; going on without it")
                (startsOver, believes) = (false, false)
            }
        }
    }

    /// Whether there is nothing on the disk to look for before the server has answered. Often it then says that a copy
    /// which is there has not changed.
    private var asksFirst: Bool { request.copy?.isUnfinished == false && request.ifExists == .replace }

    /// The whole story of a download.
    ///
    /// - Parameters:
    ///   - believing: Whether a Metalink that the server names counts.
    ///   - useless: Sources that are not asked.
    private func attempt(
        startingOver: Bool, believing: Bool, without useless: Set<Source.Index>
    ) async throws -> DownloadResult {
        await enter(.probing)
        let offset: Int64
        switch asksFirst ? .ask(from: 0) : try await look(startingOver: startingOver) {
        case .leftover(let leftover, let path): return try await finish(leftover, at: path)
        case .taken(let path, let length): return skipped(path, length: length)
        case .ask(let first): offset = first
        }

        // The first response decides how to go on. Its body is the first segment, held back until then.
        let (probe, home) = try await probe(from: offset, without: useless)
        defer { probe.abandon() }
        if request.copy?.onlyAsks ?? false, !probe.isUnchanged {
            return skipped("", length: probe.resource.length ?? 0)
        }
        if probe.isUnchanged { return try unchanged() }

        let place = try await openWorkspace(probe, from: home)
        guard let workspace = place.workspace else { return try await skipped(place.path) }
        defer { workspace.part.close() }
        let expectations = Expectations(
            checksum: request.checksum, server: probe.resource.digest, wantsSHA256: request.copy != nil)
        if workspace.isFilled, let file = probe.file {
            return try await finish(
                file, in: workspace, expectations, probe.resource.validators,
                of: clients[home].source)
        }
        let description = try await believing ? description(of: probe, clients[home]) : nil
        let hasPieces = request.pieces != nil || description?.pieces != nil
        let plan = try await workspace.plan(
            probe, startingOver: startingOver, isChecked: hasPieces, clients[home])
        tracker.follows(plan)

        let frontier = try workspace.frontier(expectations)
        do {
            await enter(.downloading)
            let pieces = try makePieces(workspace, length: probe.resource.length, description)
            let sources = makeSources(home: home, probe.resource, description, plan, pieces)
            func fetch(_ frontier: DigestFrontier?, first: FirstResponse?) async throws {
                let writer = try workspace.writer(plan, probe.resource, frontier, pieces)
                let transfer = Transfer(
                    from: sources, to: writer, configuration, request.segments ?? configuration.segments,
                    tracker)
                do {
                    try await transfer.run(first: first)
                } catch {
                    // The first error is the one to report.
                    try? await workspace.keepOrDiscard(writer, probe.resource)
                    throw error
                }
            }
            try await fetch(frontier, first: probe)
            let length = plan.snapshot.total ?? 0
            try checkLength(length)
            if pieces == nil { try await confirmPieces(workspace, length: length, description) }
            let verified = try await verify(
                workspace, frontier, expectations, length: length, sources, plan,
                fetch: { try await fetch($0, first: nil) })
            return try await finish(
                workspace, verified, expectations, length: length, probe.resource.validators,
                of: clients[home].source, written: length - tracker.writtenBefore)
        } catch {
            // The part file is closed next.
            await frontier?.stop()
            if case TransferFailure.changed = error { throw error }
            if description?.pieces != nil, isOfPieces(error) { throw WrongDescription() }
            if !probe.resource.acceptsRanges, clients.count > 1 {
                throw StreamFailure(source: home, cause: error)
            }
            throw error
        }
    }
}

internal import Logging
import SegmentedDLSupport

/// Fetches what the plan says is missing, over as many connections as are allowed and worthwhile.
struct Transfer: Sendable {
    /// How often it is looked at whether a further connection would help.
    static let interval = 0.25

    /// How often that is as long as the first connection's speed is waited for.
    static let shortInterval = StealRule.shortestObservation + 0.01

    let requester: SourceClient
    let plan: SharedPlan
    let segmentTransfer: SegmentTransfer
    let configuration: Configuration
    private let resource: ResourceInfo
    private let workspace: Workspace
    private let segments: SegmentCount
    private let writer: PartWriter
    private let tracker: ProgressTracker
    /// `nil` if there is but one, and nothing to be found out about its pieces.
    private let sources: SourceSet?
    private let owed = OwedConnections()

    init(
        requester: SourceClient, workspace: Workspace, plan: SharedPlan, resource: ResourceInfo,
        frontier: DigestFrontier?, configuration: Configuration, segments: SegmentCount,
        tracker: ProgressTracker,
        sources: SourceSet?, pieces: PieceCheck?
    ) throws {
        self.sources = sources
        self.tracker = tracker
        self.requester = requester
        self.plan = plan
        self.resource = resource
        self.workspace = workspace
        self.configuration = configuration
        self.segments = segments
        writer = PartWriter(
            part: workspace.part, plan: plan,
            checkpointer: try workspace.checkpointer(for: plan, resource), frontier: frontier, pieces: pieces)
        segmentTransfer = SegmentTransfer(
            requester: requester, writer: writer, identity: RemoteIdentity(resource), tracker: tracker)
    }

    /// Returns when every byte is written. If it ends otherwise, a checkpoint is made.
    ///
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func run(first probe: FirstResponse?) async throws {
        try await writer.checkpointer?.begin()
        if writer.pieces == nil { writer.frontier?.reach(plan.snapshot.gaplessEnd) }
        do {
            try await fetchAll(probe)
            try await writer.pieces?.confirm(writer.takeBack)
            try writer.checkpointer?.checkNothingIsLost()
        } catch {
            if case TransferFailure.storage(let failure) = error, failure.isCut {
                await DiskThread.run { [writer] in writer.checkpointer?.lost(because: failure) }
            }
            // The first error is the one to report.
            try? await keepOrDiscard()
            throw error
        }
    }

    private func fetchAll(_ probe: FirstResponse?) async throws {
        guard resource.acceptsRanges else { return try await asStream(probe) }
        do {
            if let sources {
                try await SourcesTransfer(sources, writer, configuration, segments, tracker).run(first: probe)
            } else if let probe {
                try await inParallel(probe)
            }
        } catch TransferFailure.rangeIgnored {
            startOver()
            // What the stream overwrites must not count as written any more.
            try await writer.checkpointer?.checkpoint()
            try await asStream(nil)
        }
    }

    /// A part that cannot be gone on with is of no use to anyone.
    private func keepOrDiscard() async throws {
        let last = try await DiskThread.run { [workspace, plan, resource, writer] in
            try writer.checkpointer ?? workspace.lastCheckpointer(for: plan, resource)
        }
        if let last {
            try await last.checkpoint()
            try await DiskThread.run { [workspace] in try workspace.part.giveName() }
        } else {
            try await DiskThread.run { [workspace] in try workspace.discard() }
        }
    }

    func startOver() { writer.startOver() }

    // MARK: In parallel

    enum Event: Sendable {
        case connectionEnded(TransferFailure?)
        case tick
        case look
        case checkpointsEnded
    }

    private func inParallel(_ probe: FirstResponse) async throws {
        guard !plan.isComplete else { return }
        var workers = makeWorkers()
        let first = assignFirst(probe, connections: workers.wanted)
        requester.slot.onReclaim { [plan, owed] in
            owed.add()
            plan.withLock { plan, _ in plan.retireOne() }
        }
        defer { requester.slot.onReclaim(nil) }
        try await withThrowingTaskGroup(of: Event.self) { group in
            addCheckpoints(to: &group)
            group.addTask { await tick() }
            var isLooking = false
            if let first {
                workers.addFirst()
                group.addTask { .connectionEnded(try await connection(first: (probe, first))) }
            }
            while !plan.isComplete {
                staff(&group, &workers)
                if workers.isWaiting, !isLooking {
                    isLooking = true
                    group.addTask { await look() }
                }
                guard let event = try await group.next() else { break }
                switch event {
                case .tick:
                    plan.withLock { plan, now in
                        if requester.isHeldBack(now: now) { plan.heldBack(now: now) }
                        plan.retireCrawlers(now: now)
                    }
                    group.addTask { await tick() }
                case .connectionEnded(let failure): try await answer(failure, &group, &workers)
                case .look: isLooking = false
                case .checkpointsEnded: break
                }
            }
            group.cancelAll()
        }
    }

    private func makeWorkers() -> Workers {
        let missing = (resource.length ?? 0) - plan.snapshot.written.byteCount
        let wanted = segments.connections(
            missing: missing, minimum: configuration.minimumSegmentSize, limits: configuration.limits)
        return Workers(
            wanted: wanted, isMeasured: segments == .automatic,
            recovery: RetryState(policy: configuration.retry, hasAnswered: true))
    }

    /// Shares out what is missing; the probe's connection goes on with the share where its body is.
    private func assignFirst(_ probe: FirstResponse, connections: Int) -> Segment? {
        let segment = plan.withLock { plan, now -> Segment? in
            plan.noteSetup(probe.setupTime)
            let minimum = configuration.minimumSegmentSize
            if writer.frontier != nil {
                plan.divideInOrder(among: connections, minimum: minimum)
            } else if segments != .automatic {
                plan.divide(among: connections, minimum: minimum)
            }
            guard probe.isOpen, let body = probe.body else { return nil }
            return plan.assign(at: body.lowerBound, bodyEnd: body.upperBound, now: now)
        }
        if segment == nil { probe.abandon() }
        return segment
    }

    func addCheckpoints(to group: inout ThrowingTaskGroup<Event, any Error>) {
        guard let checkpointer = writer.checkpointer else { return }
        group.addTask {
            try await checkpointer.run()
            return .checkpointsEnded
        }
    }

    private func look() async -> Event {
        try? await Task.sleep(for: .seconds(Self.shortInterval))
        return .look
    }

    private func tick() async -> Event {
        try? await Task.sleep(for: .seconds(Self.interval))
        return .tick
    }

    /// Adds connections while there is work that one more would end earlier.
    private func staff(_ group: inout ThrowingTaskGroup<Event, any Error>, _ workers: inout Workers) {
        let added = plan.withLock { plan, now in workers.add(for: &plan, now: now) }
        for _ in 0..<added {
            group.addTask { .connectionEnded(try await connection()) }
        }
    }

    /// Does what follows the end of a connection's work.
    private func answer(
        _ failure: TransferFailure?, _ group: inout ThrowingTaskGroup<Event, any Error>,
        _ workers: inout Workers
    ) async throws {
        let decision = plan.withLock { plan, now in
            workers.ended(failure, plan: &plan, now: now, jitter: .random(in: 0...1))
        }
        guard let failure, let decision else { return }
        configuration.logger.debug("\(requester.source): \(failure) -> \(decision)")
        switch decision {
        case .retry(let wait):
            group.addTask {
                try await Task.sleep(for: .seconds(wait))
                return .connectionEnded(try await connection())
            }
        case .drop:
            break
        case .singleStream:
            throw TransferFailure.rangeIgnored
        case .fail:
            throw failure
        case .startOver(let what):
            throw TransferFailure.changed(what)
        }
    }

    // MARK: One connection

    /// Works off segments until none is left that it could help with.
    ///
    /// - Returns: Why it ended early, or `nil`.
    private func connection(
        first: (probe: FirstResponse, segment: Segment)? = nil
    ) async throws -> TransferFailure? {
        do {
            if let first {
                defer { first.probe.abandon() }
                try await segmentTransfer.receive(first.probe, first.segment)
                if owed.take() { return nil }
            }
            guard plan.withLock({ plan, now in plan.openings(now: now) }) > 0 else { return nil }
            try await requester.withPermit { permit in
                while let segment = plan.withLock({ plan, now in plan.next(now: now) }) {
                    try await segmentTransfer.fetch(segment, &permit)
                    if owed.take() { return }
                }
            }
            return nil
        } catch let failure as TransferFailure {
            return failure
        }
    }
}

/// Connections that other files have asked for.
final class OwedConnections: Sendable {
    private let count = Lock(0)

    func add() {
        count.withLock { $0 += 1 }
    }

    /// Whether the caller should give its connection back.
    func take() -> Bool {
        count.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
}

internal import Logging

/// Fetches what the plan says is missing, from several sources at once.
struct SourcesTransfer: Sendable {
    /// How often speeds are compared.
    private static let interval = Duration.milliseconds(250)

    let sources: SourceSet
    let writer: PartWriter
    let configuration: Configuration
    let segments: SegmentCount
    let tracker: ProgressTracker
    private let owed = OwedConnections()

    init(
        _ sources: SourceSet, _ writer: PartWriter, _ configuration: Configuration,
        _ segments: SegmentCount, _ tracker: ProgressTracker
    ) {
        self.sources = sources
        self.writer = writer
        self.configuration = configuration
        self.segments = segments
        self.tracker = tracker
    }

    private var plan: SharedPlan { writer.plan }

    private enum Event: Sendable {
        case connectionEnded(Source.Index, TransferFailure?)
        case tick
        case checkpointsEnded
    }

    /// Returns when every byte is written, and each piece that has a digest is right.
    ///
    /// - Parameter probe: The first answer; `nil` if there is none to go on with.
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func run(first probe: FirstResponse?) async throws {
        let wanted = wanted
        plan.withLock { plan, _ in plan.hasSeveralSources = true }
        watchPieces()
        defer { writer.pieces?.onFinding(nil) }
        let first = probe.flatMap { assignFirst($0, connections: wanted) }
        let slot = sources.members[sources.home].requester.slot
        slot.onReclaim { [plan, owed] in
            owed.add()
            plan.withLock { plan, _ in plan.retireOne() }
        }
        defer { slot.onReclaim(nil) }
        try await withThrowingTaskGroup(of: Event.self) { group in
            if let checkpointer = writer.checkpointer {
                group.addTask {
                    try await checkpointer.run()
                    return .checkpointsEnded
                }
            }
            group.addTask { await tick() }
            var running = 0
            if let probe, let first {
                running += 1
                sources.openedFirst()
                sources.assigned(first.id, to: sources.home)
                group.addTask { .connectionEnded(sources.home, try await connection(first: (probe, first))) }
            }
            while try await !isComplete() {
                try sources.checkAnyIsLeft()
                staff(&group, &running, wanted)
                guard let event = try await group.next() else { break }
                switch event {
                case .tick:
                    observe(isFull: running >= wanted)
                    group.addTask { await tick() }
                case .connectionEnded(let source, let failure):
                    running -= 1
                    sources.closed(source)
                    if let failure {
                        try sources.judge(failure, from: source, plan: plan, now: Monotonic.now())
                    }
                case .checkpointsEnded: break
                }
            }
            group.cancelAll()
        }
    }

    /// How many connections there should be, over all sources.
    private var wanted: Int {
        var limits = configuration.limits
        limits.connectionsPerHost = limits.connections(over: sources.hosts)
        let snapshot = plan.snapshot
        let missing = (snapshot.total ?? 0) - snapshot.written.byteCount
        let most = segments.connections(
            missing: missing, minimum: configuration.minimumSegmentSize, limits: limits)
        guard segments == .automatic else { return most }
        // Below this much per connection, opening it costs about as much as it brings.
        let worthwhile = max(configuration.minimumSegmentSize, 4 * 1024 * 1024)
        return Int(max(1, min(Int64(most), missing / worthwhile)))
    }

    private func isComplete() async throws -> Bool {
        guard plan.isComplete else { return false }
        try await writer.pieces?.settle()
        return plan.isComplete
    }

    private func tick() async -> Event {
        try? await Task.sleep(for: Self.interval)
        return .tick
    }

    // MARK: Pieces

    private func watchPieces() {
        guard let pieces = writer.pieces else { return }
        pieces.onFinding { [sources, writer] finding in
            let digest = { pieces.digest(of: $0) }
            if finding.isRight {
                sources.isRight(finding.piece, plan: writer.plan, digest: digest)
                writer.frontier?.reach(finding.verifiedEnd)
            } else {
                sources.isWrong(finding.piece, plan: writer.plan, digest: digest)
                writer.takeBack(finding.piece)
            }
        }
        for range in plan.snapshot.written.ranges { pieces.wrote(range) }
    }

    // MARK: How many, and where

    /// Shares out what is missing; the first answer's connection goes on with the share where its body is.
    private func assignFirst(_ probe: FirstResponse, connections: Int) -> Segment? {
        let segment = plan.withLock { plan, now -> Segment? in
            plan.noteSetup(probe.setupTime)
            let minimum = configuration.minimumSegmentSize
            if writer.frontier == nil {
                plan.divide(among: connections, minimum: minimum)
            } else {
                plan.divideInOrder(among: connections, minimum: minimum)
            }
            guard probe.isOpen, let body = probe.body else { return nil }
            return plan.assign(at: body.lowerBound, bodyEnd: body.upperBound, now: now)
        }
        if segment == nil { probe.abandon() }
        return segment
    }

    /// Adds connections while there is work that one more would end earlier, and a source for it.
    private func staff(
        _ group: inout ThrowingTaskGroup<Event, any Error>, _ running: inout Int, _ wanted: Int
    ) {
        while true {
            let (openings, unanswered) = plan.withLock { plan, now in
                if plan.openings(now: now) == 0 { plan.relieveSlow(now: now) }
                // A connection that is given up without an answer may wait for one a long time yet.
                return (
                    plan.openings(now: now),
                    plan.segments.values.count { $0.isRecalled && !$0.isAnswered }
                )
            }
            guard openings > 0, running < wanted + unanswered else { return }
            let turn = sources.next(wanted: wanted, isOnly: running <= unanswered, now: Monotonic.now())
            guard let turn else { return }
            running += 1
            group.addTask {
                .connectionEnded(turn.source, try await connection(to: turn.source, after: turn.wait))
            }
        }
    }

    /// Compares sources: a silent or crawling connection is given up, and so is one that would be much faster elsewhere.
    private func observe(isFull: Bool) {
        let (segments, givenUp, now) = plan.withLock { plan, now in
            if sources.members[sources.home].requester.isHeldBack(now: now) { plan.heldBack(now: now) }
            let before = Set(plan.segments.values.filter(\.isRecalled).map(\.id))
            plan.retireCrawlers(now: now)
            let givenUp = plan.segments.values.filter { $0.isRecalled && !before.contains($0.id) }
            return (plan.segments.values, givenUp, now)
        }
        sources.observe(segments, givenUp: givenUp, now: now)
        guard isFull, let slow = sources.slowest(now: now) else { return }
        plan.withLock { plan, now in
            let own = plan.segments.values.filter { sources.source(of: $0.id) == slow.source }
            guard let longest = own.max(by: { $0.remaining < $1.remaining }),
                let speed = longest.speed(at: now)
            else { return }
            let rest = Double(longest.remaining)
            let seconds = rest / max(speed, 1)
            if seconds > SourceSelector.smallestRest, rest / slow.instead + plan.setupTime < seconds {
                plan.cutShort(longest.id)
            }
        }
    }

    // MARK: One connection

    private func connection(first: (probe: FirstResponse, segment: Segment)) async throws -> TransferFailure?
    {
        defer { first.probe.abandon() }
        do {
            defer { sources.ended(first.segment.id) }
            try await transfer(from: sources.home).receive(first.probe, first.segment)
            return nil
        } catch let failure as TransferFailure {
            return failure
        }
    }

    /// Works off segments until there is none that it could help with, or another source is the better one.
    ///
    /// - Returns: Why it ended early, or `nil`.
    private func connection(
        to source: Source.Index, after wait: Double
    ) async throws -> TransferFailure? {
        let pending = Once { sources.granted(source) }
        defer { pending.run() }
        do {
            if wait > 0 { try await Task.sleep(for: .seconds(wait)) }
            let transfer = transfer(from: source)
            try await transfer.requester.withPermit { permit in
                pending.run()
                guard try await introduce(source, &permit) else { return }
                while sources.isUsable(source), let segment = next(for: source) {
                    defer { sources.ended(segment.id) }
                    try await transfer.fetch(segment, &permit)
                    if owed.take() || isOutdone(source) { return }
                }
            }
            return nil
        } catch let failure as TransferFailure {
            return failure
        }
    }

    private func next(for source: Source.Index) -> Segment? {
        plan.withLock { plan, now in
            let segment = plan.next(now: now)
            if let segment { sources.assigned(segment.id, to: source) }
            return segment
        }
    }

    private func isOutdone(_ source: Source.Index) -> Bool {
        sources.isOutdone(source, wanted: wanted, now: Monotonic.now())
    }

    private func transfer(from source: Source.Index) -> SegmentTransfer {
        let member = sources.members[source]
        var writer = writer
        writer.contributes = { [sources] range in sources.contributed(range, by: source) }
        return SegmentTransfer(
            requester: member.requester, writer: writer, identity: member.identity, tracker: tracker)
    }

    /// Before a source's bytes are used, a few of them are compared with those of another source on disk.
    ///
    /// - Returns: `false` if there is nothing left to fetch.
    /// - Throws: `TransferFailure.changed` if they differ.
    private func introduce(
        _ source: Source.Index, _ permit: inout ConnectionPermit
    ) async throws -> Bool {
        guard !sources.isVouched(source) else { return true }
        let introduction = SourceCheck(
            member: sources.members[source], part: writer.part, plan: plan)
        switch try await introduction.run(&permit) {
        case .nothingLeft: return false
        case .same: sources.vouch(source)
        case .differs(let what):
            sources.differs(source)
            throw TransferFailure.changed(what)
        }
        return true
    }
}

/// Something that is done at most once, by one task.
private final class Once {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func run() {
        body?()
        body = nil
    }
}

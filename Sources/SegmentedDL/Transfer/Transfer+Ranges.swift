internal import Logging
import SegmentedDLSupport

/// The loop that assigns work to connections: `Workers` decides their number, `SourceSelector` the source of
/// each, and `SegmentPlan` the bytes that it fetches.
extension Transfer {
    /// The interval in seconds at which connections are compared.
    static let interval = 0.25

    /// The interval in seconds while the first connection's speed is unknown.
    static let shortInterval = StealRule.shortestObservationSeconds + 0.01

    typealias Group = ThrowingTaskGroup<Event, any Error>

    /// Fetches all missing bytes, in ranges.
    ///
    /// - Throws: `TransferFailure.rangeIgnored` if the file must be fetched as one stream, and other
    ///   failures.
    func inRanges(_ first: FirstResponse?) async throws {
        plan.withLock { plan, _ in
            plan.mayRewrite = writer.part.keepsAll && !sources.areToldApart
            plan.minimum = configuration.minimumSegmentSize
        }
        watchPieces()
        defer { writer.pieces?.onFinding(nil) }
        var isChecked = resumed.isEmpty
        guard try await !isComplete() || !isChecked else { return }
        let distance = first?.response.transfer.distance
        var workers = makeWorkers(after: first?.setupTime ?? 0, distance)
        let segment = first.flatMap { assignFirst($0, connections: workers.wanted) }
        first?.early?.keep(plan.withLock { plan, _ in plan.free.count })
        sources.slot.onReclaim { [plan, owed] in
            owed.add()
            plan.withLock { plan, _ in plan.cutLongest() }
        }
        defer { sources.slot.onReclaim(nil) }
        try await withThrowingTaskGroup(of: Event.self) { group in
            addCheckpoints(to: &group)
            if !isChecked {
                group.addTask {
                    try await checkResumed()
                    return .resumedIsChecked
                }
            }
            group.addTask { await tick() }
            if let first, let segment {
                workers.began()
                sources.firstConnectionBegan(segment.id)
                group.addTask {
                    .connectionEnded(sources.primary, try await connection(first: first, segment))
                }
            }
            var isChecking = false
            while try await !isComplete() || !isChecked {
                // While a window is full, active connections would not notice that the task was cancelled.
                try Task.checkCancellation()
                try sources.checkAnyIsLeft()
                addWorkers(&group, &workers, first?.early)
                if workers.isWaiting, !isChecking {
                    isChecking = true
                    group.addTask { await checkFirstSpeed() }
                }
                guard let event = try await group.next() else { break }
                switch event {
                case .tick:
                    try checkRangesBringBytes()
                    compareConnections(&workers)
                    group.addTask { await tick() }
                case .connectionEnded(let source, let failure):
                    try ended(source, failure, &group, &workers)
                case .wholeTried(let source, let failure):
                    workers.triedWhole()
                    try ended(source, failure, &group, &workers)
                case .firstSpeedCheck: isChecking = false
                case .checkpointsEnded: break
                case .resumedIsChecked: isChecked = true
                }
            }
            group.cancelAll()
        }
    }

    private func isComplete() async throws -> Bool {
        guard plan.isComplete else { return false }
        try await writer.pieces?.waitUntilHashed()
        return plan.isComplete
    }

    private func tick() async -> Event {
        try? await Task.sleep(for: .seconds(Self.interval))
        return .tick
    }

    private func checkFirstSpeed() async -> Event {
        try? await Task.sleep(for: .seconds(Self.shortInterval))
        return .firstSpeedCheck
    }

    private func watchPieces() {
        guard let pieces = writer.pieces else { return }
        pieces.onFinding { [sources, writer] finding in
            let digest = { pieces.digest(of: $0) }
            if finding.isRight {
                sources.isRight(finding.piece, plan: writer.plan, digest: digest)
                writer.frontier?.reach(finding.verifiedEnd) { pieces.verifiedEnd }
            } else {
                sources.isWrong(finding.piece, plan: writer.plan, digest: digest)
                writer.takeBack(finding.piece)
            }
        }
        for range in plan.snapshot.written.ranges { pieces.wrote(range) }
    }

    // MARK: How many, and where

    /// - Parameters:
    ///   - setupTime: Seconds from the first request to its response.
    ///   - distance: The distance of the source that responded.
    func makeWorkers(after setupTime: Double = 0, _ distance: ServerDistance? = nil) -> Workers {
        let snapshot = plan.snapshot
        let missing = (snapshot.total ?? 0) - snapshot.written.byteCount
        return Workers(
            fetching: missing, from: sources.hosts, segments, configuration, setupTime: setupTime,
            distance: distance, canStartOver: writer.part.keepsAll)
    }

    /// Divides the missing bytes among connections. The connection of the first response continues with the
    /// part that contains its body.
    private func assignFirst(_ first: FirstResponse, connections: Int) -> Segment? {
        let room = sources.members[sources.primary].client.room
        // The first connection is one of those that the host accepts, and a search for a proof another one.
        let lastWaits = isSearching && room < connections - 1
        let segment = plan.withLock { plan, now -> Segment? in
            plan.noteSetup(first.setupTime)
            let minimum = configuration.minimumSegmentSize
            plan.note(first.response.transfer.distance)
            if writer.frontier?.hashesInOrder ?? false {
                plan.divideInOrder(among: connections, minimum: minimum)
            } else if let distance = plan.distance {
                let areOpen = first.early?.lead(to: first.response.source.origin) ?? false
                plan.divideByDistance(
                    among: connections, minimum: distance.smallestSegment(minimum),
                    setup: areOpen ? distance.setupOfOpen : nil, lastWaits: lastWaits)
            } else if segments != .automatic, !Workers.isMeasured(after: first.setupTime) {
                // Otherwise nothing is divided yet: the first connection is assigned everything, and others
                // steal its tail if they are worthwhile.
                plan.divide(among: connections, minimum: minimum)
            }
            guard first.isOpen, let body = first.body else { return nil }
            // Bytes from the middle are held back until the first ones have arrived. If those are already on
            // disk, no connection fetches them.
            let lacksBeginning = connections == 1 || body.lowerBound == plan.gaplessEnd
            if lacksBeginning, body.lowerBound > 0, !writer.beginning.isKnown { return nil }
            return plan.assign(at: body.lowerBound, bodyEnd: body.upperBound, now: now)
        }
        if segment == nil { first.abandon() }
        return segment
    }

    /// Adds connections as long as another one would complete the work earlier and has a source.
    private func addWorkers(
        _ group: inout Group, _ workers: inout Workers, _ early: EarlyConnections?
    ) {
        // An abandoned connection without a response may linger, so a connection to another source may
        // replace it. A single source receives no further requests, because it may have a limit.
        let replaceable = sources.isChoice || workers.isPaused(now: Monotonic.now())
        let spare = replaceable ? plan.snapshot.unanswered : 0
        let (count, distance) = plan.withLock { plan, now in
            let isHeldBack = sources.areHeldBack(within: Self.interval, now: now)
            return (
                workers.openings(in: &plan, spare: spare, isHeldBack: isHeldBack, now: now), plan.distance
            )
        }
        for index in 0..<count {
            let turn = sources.next(
                wanted: workers.wanted, isOnly: workers.running <= spare, now: Monotonic.now())
            guard let turn else { return }
            workers.began()
            let wait = turn.wait + (distance?.delay(of: index, among: count) ?? 0)
            let early = turn.source == sources.primary ? early : nil
            group.addTask {
                .connectionEnded(turn.source, try await connection(to: turn.source, after: wait, early))
            }
        }
    }

    /// - Throws: `TransferFailure.rangeIgnored` if a request for the whole file may succeed although those
    ///   for ranges fail.
    private func checkRangesBringBytes() throws {
        guard writer.part.keepsAll, !sources.isChoice, plan.withLock({ plan, _ in plan.isStarved }) else {
            return
        }
        configuration.logger.tell(.rangesStarve(at: sources.members[sources.primary].client.source))
        throw TransferFailure.rangeIgnored
    }

    /// Abandons a connection that is silent or very slow, and one that would be much faster with another
    /// source.
    private func compareConnections(_ workers: inout Workers) {
        var arrivals = TransferCounters.Arrivals()
        for member in sources.members { arrivals.add(member.client.counters.takeArrivals()) }
        let (segments, givenUp, unanswered, now) = plan.withLock { plan, now in
            plan.line.note(roundTrip: arrivals.roundTrip, segments: arrivals.segments)
            if sources.areHeldBack(within: 1, now: now) {
                let connections = configuration.limits.connections
                plan.heldBack(
                    now: now,
                    hidesSilence: sources.areStarved(within: 1, connections: connections, now: now))
            }
            plan.policy.isHostSteady = sources.isSteady
            // With several sources each is compared with the others.
            let givenUp = plan.replaceSlow(mayAdd: workers.mayAdd(now: now) && !sources.isChoice, now: now)
            return (plan.segments.values, givenUp, plan.unanswered, now)
        }
        if !sources.isChoice, segments.contains(where: { givenUp.contains($0.id) && !$0.isAnswered }) {
            workers.wentUnanswered(unanswered, now: now)
        }
        for id in givenUp {
            guard let source = sources.source(of: id) else { continue }
            configuration.logger.tell(.connectionReplaced(to: sources.members[source].client.source))
        }
        sources.observe(segments, givenUp: givenUp, now: now)
        guard workers.isFull, let slow = sources.slowest(now: now) else { return }
        let isMoved = plan.withLock { plan, now in
            let own = plan.segments.values.filter { sources.source(of: $0.id) == slow.source }
            let segment = SourceSelector.segmentToMove(
                of: own, to: slow.instead, setupTime: plan.setupTime, now: now)
            if let segment { plan.cut(segment) }
            return segment != nil
        }
        if isMoved {
            configuration.logger.tell(.connectionMoved(from: sources.members[slow.source].client.source))
        }
    }

    /// Handles the end of a connection.
    private func ended(
        _ source: Source.Index, _ failure: TransferFailure?, _ group: inout Group, _ workers: inout Workers
    ) throws {
        workers.ended()
        guard let failure else { return sources.connectionEnded(at: source) }
        guard try sources.failed(failure, source, plan: plan, now: Monotonic.now()) == .isOnly else {
            return sources.connectionEnded(at: source)
        }
        let decision = plan.withLock { plan, now in
            workers.failed(failure, plan: &plan, now: now, jitter: .random(in: 0...1))
        }
        let client = sources.members[source].client
        let place = client.source
        if workers.isBanned { client.wasBanned() }
        switch decision {
        case .retry(let wait):
            client.counters.retried()
            configuration.logger.tell(
                .retries(failure, of: place, after: wait, workers.lastRetry, isAtStart: false))
            workers.began()
            sources.connectionWaits(at: source)
            group.addTask { .connectionEnded(source, try await connection(to: source, after: wait)) }
        case .tryWhole:
            client.counters.retried()
            configuration.logger.tell(.asksForWhole(failure, of: place))
            workers.began()
            sources.connectionWaits(at: source)
            group.addTask { .wholeTried(source, try await askForWhole(from: source)) }
        case .drop:
            configuration.logger.tell(.connectionDropped(failure, to: place))
            sources.connectionEnded(at: source)
        case .singleStream:
            configuration.logger.tell(.becomesStream(failure, from: place))
            throw sources.error(.rangeIgnored, endsAt: source)
        case .fail:
            client.gaveUp(after: failure)
            throw sources.error(failure, endsAt: source)
        case .fileChanged(let what):
            throw sources.error(.changed(what), endsAt: source)
        }
    }
}

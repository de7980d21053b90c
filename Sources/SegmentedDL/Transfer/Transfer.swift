internal import Logging
import Synchronization

/// Fetches what the plan says is missing, over as many connections as are allowed and worthwhile.
struct Transfer: Sendable {
    /// How often it is looked at whether a further connection would help.
    private static let interval = Duration.milliseconds(250)

    private let requester: Requester
    private let workspace: Workspace
    private let plan: SharedPlan
    private let resource: ResourceInfo
    private let configuration: Configuration
    private let segments: SegmentCount
    private let tracker: Tracker
    private let checkpointer: Checkpointer?
    private let identity: RemoteIdentity
    private let owed = OwedConnections()

    init(
        requester: Requester, workspace: Workspace, plan: SharedPlan, resource: ResourceInfo,
        configuration: Configuration, segments: SegmentCount, tracker: Tracker
    ) throws {
        self.requester = requester
        self.workspace = workspace
        self.plan = plan
        self.resource = resource
        self.configuration = configuration
        self.segments = segments
        self.tracker = tracker
        checkpointer = try workspace.checkpointer(for: plan, resource)
        identity = RemoteIdentity(resource)
    }

    /// Returns when every byte is written. If it ends otherwise, a checkpoint is made.
    ///
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func run(first probe: ProbedResponse) async throws {
        try await checkpointer?.begin()
        do {
            if resource.acceptsRanges {
                try await inParallel(probe)
            } else {
                try await asStream(probe)
            }
        } catch TransferFailure.rangeIgnored {
            plan.withLock { plan, _ in plan.startOver() }
            try await asStream(nil)
        } catch {
            // The first error is the one to report.
            try? await checkpointer?.checkpoint()
            throw error
        }
    }

    // MARK: In parallel

    private enum Event: Sendable {
        case connectionEnded(TransferFailure?)
        case tick
        case checkpointsEnded
    }

    private func inParallel(_ probe: ProbedResponse) async throws {
        guard !plan.isComplete else { return }
        var crew = makeCrew()
        let first = assignFirst(probe, connections: crew.wanted)
        requester.slot.onReclaim { [plan, owed] in
            owed.add()
            plan.withLock { plan, _ in plan.retireOne() }
        }
        defer { requester.slot.onReclaim(nil) }
        try await withThrowingTaskGroup(of: Event.self) { group in
            addCheckpoints(to: &group)
            group.addTask { await tick() }
            if let first {
                crew.running += 1
                group.addTask { .connectionEnded(try await connection(first: (probe, first))) }
            }
            while !plan.isComplete {
                staff(&group, &crew)
                guard let event = try await group.next() else { break }
                switch event {
                case .tick: group.addTask { await tick() }
                case .connectionEnded(let failure): try await answer(failure, &group, &crew)
                case .checkpointsEnded: break
                }
            }
            group.cancelAll()
        }
    }

    /// The connections of this download, as a value.
    private struct Crew {
        /// How many there should be.
        var wanted: Int
        /// How many there are, including those that wait for their turn.
        var running = 0
        var recovery: Recovery
    }

    private func makeCrew() -> Crew {
        let missing = (resource.length ?? 0) - plan.snapshot.written.byteCount
        let wanted = segments.connections(
            missing: missing, minimum: configuration.minimumSegmentSize, limits: configuration.limits)
        return Crew(wanted: wanted, recovery: Recovery(policy: configuration.retry))
    }

    /// Shares out what is missing; the probe's connection goes on with the share where its body is.
    private func assignFirst(_ probe: ProbedResponse, connections: Int) -> Segment? {
        let segment = plan.withLock { plan, now -> Segment? in
            plan.divide(among: connections, minimum: configuration.minimumSegmentSize)
            guard probe.isOpen, let body = probe.body else { return nil }
            return plan.assign(at: body.lowerBound, now: now)
        }
        if segment == nil { probe.abandon() }
        return segment
    }

    private func addCheckpoints(to group: inout ThrowingTaskGroup<Event, any Error>) {
        guard let checkpointer else { return }
        group.addTask {
            try await checkpointer.run()
            return .checkpointsEnded
        }
    }

    private func tick() async -> Event {
        try? await Task.sleep(for: Self.interval)
        return .tick
    }

    /// Adds connections while there is work that one more would end earlier.
    private func staff(_ group: inout ThrowingTaskGroup<Event, any Error>, _ crew: inout Crew) {
        let openings = plan.withLock { plan, now in plan.openings(now: now) }
        for _ in 0..<max(0, min(crew.wanted - crew.running, openings)) {
            crew.running += 1
            group.addTask { .connectionEnded(try await connection()) }
        }
    }

    /// Decides what follows the end of a connection's work.
    private func answer(
        _ failure: TransferFailure?, _ group: inout ThrowingTaskGroup<Event, any Error>, _ crew: inout Crew
    ) async throws {
        crew.running -= 1
        guard let failure else { return }
        let now = plan.snapshot
        let decision = crew.recovery.decide(
            failure, others: now.receiving, written: now.written.byteCount, now: Monotonic.now(),
            jitter: .random(in: 0...1))
        configuration.logger.debug("\(requester.route.source): \(failure) -> \(decision)")
        switch decision {
        case .retry(let wait):
            crew.running += 1
            group.addTask {
                try await Task.sleep(for: .seconds(wait))
                return .connectionEnded(try await connection())
            }
        case .drop:
            crew.wanted = max(1, crew.wanted - 1)
        case .singleStream, .fail:
            throw failure
        case .startOver(let what):
            throw TransferFailure.changed(what)
        }
    }

    // MARK: One connection

    /// Works off segments until none is left that it could help with.
    ///
    /// - Returns: Why it ended early, or `nil`.
    private func connection(first: (probe: ProbedResponse, segment: Segment)? = nil) async throws
        -> TransferFailure?
    {
        do {
            if let first {
                defer { first.probe.abandon() }
                defer { plan.withLock { plan, _ in plan.release(first.segment.id) } }
                let end = first.probe.body?.upperBound ?? first.segment.end
                try await receive(
                    first.probe.response.transfer, first.segment, bodyEnd: end, first.probe.permit)
                if owed.take() { return nil }
            }
            guard plan.withLock({ plan, now in plan.openings(now: now) }) > 0 else { return nil }
            var permit = try await requester.permit()
            do {
                try await workOff(&permit)
                permit.release()
            } catch {
                permit.release()
                throw error
            }
            return nil
        } catch let failure as TransferFailure {
            return failure
        }
    }

    private func workOff(_ permit: inout ConnectionPermit) async throws {
        while let segment = plan.withLock({ plan, now in plan.next(now: now) }) {
            do {
                try await fetch(segment, &permit)
                plan.withLock { plan, _ in plan.release(segment.id) }
            } catch {
                plan.withLock { plan, _ in plan.release(segment.id) }
                throw error
            }
            if owed.take() { return }
        }
    }

    private func fetch(_ segment: Segment, _ permit: inout ConnectionPermit) async throws {
        let response = try await requester.open(.exactly(segment.start..<segment.end), &permit)
        switch response.answer {
        case .range(_, let total):
            let validators = Validators(response.head)
            switch identity.check(total: total, validators) {
            case .same: break
            case .changed(let what): throw TransferFailure.changed(what)
            case .compare:
                response.transfer.abandon()
                try await compare(&permit)
                return
            }
        case .whole(let length):
            try identity.checkWhole(length: length, Validators(response.head))
            throw TransferFailure.rangeIgnored
        case .unsatisfiable:
            throw TransferFailure.changed("its length")
        default:
            throw TransferFailure(response.answer, permit) ?? .wrongRange("an answer without a range")
        }
        try await receive(response.transfer, segment, bodyEnd: segment.end, permit)
    }

    /// Only the ETag differs: balanced servers do this with one and the same file, so the bytes decide.
    private func compare(_ permit: inout ConnectionPermit) async throws {
        let written = plan.snapshot.written
        guard !written.isEmpty else { throw TransferFailure.unproven }
        let comparison = SampleComparison(
            requester: requester, part: workspace.part, total: resource.length ?? 0)
        guard try await comparison.matches(written, &permit) else {
            throw TransferFailure.changed("its ETag and its bytes")
        }
        identity.trustAnyETag()
    }

    private func receive(
        _ transfer: any OpenTransfer, _ segment: Segment, bodyEnd: Int64, _ permit: ConnectionPermit
    ) async throws {
        tracker.noteConnections(plan.snapshot.segments.count)
        let sink = SegmentSink(
            plan: plan, part: workspace.part, checkpointer: checkpointer, segment: segment, bodyEnd: bodyEnd)
        let report = await transfer.receive(into: sink)
        if sink.received > 0 { permit.worked() }
        if let failure = sink.failure { throw TransferFailure.storage(failure) }
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw TransferFailure.network(error) }
        if !report.wasCut, segment.start + sink.received < bodyEnd, bodyEnd < Int64.max {
            throw TransferFailure.shortBody
        }
        if bodyEnd == Int64.max {
            plan.withLock { plan, _ in plan.streamEnded(at: segment.start + sink.received) }
        }
    }

    // MARK: As a stream

    /// Fetches the file over one connection, from its first byte at each try.
    private func asStream(_ probe: ProbedResponse?) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            addCheckpoints(to: &group)
            group.addTask { .connectionEnded(try await stream(probe)) }
            while let event = try await group.next() {
                if case .connectionEnded = event { break }
            }
            group.cancelAll()
        }
    }

    private func stream(_ probe: ProbedResponse?) async throws -> TransferFailure? {
        var recovery = Recovery(policy: configuration.retry)
        var first = probe
        var most: Int64 = 0
        while true {
            do {
                try await streamOnce(first)
                return nil
            } catch let failure as TransferFailure {
                most = max(most, plan.snapshot.written.byteCount)
                let decision = recovery.decide(
                    failure, others: 0, written: most, now: Monotonic.now(), jitter: .random(in: 0...1))
                guard case .retry(let wait) = decision else { throw failure }
                first = nil
                try await Task.sleep(for: .seconds(wait))
                plan.withLock { plan, _ in plan.startOver() }
            }
        }
    }

    private func streamOnce(_ probe: ProbedResponse?) async throws {
        if let probe, probe.isOpen {
            defer { probe.abandon() }
            return try await streamBody(probe.response, probe.permit)
        }
        var permit = try await requester.permit()
        do {
            let response = try await requester.open(.none, &permit)
            guard case .whole(let length) = response.answer else {
                throw TransferFailure(response.answer, permit) ?? .wrongRange("a part of the file")
            }
            try identity.checkWhole(length: length, Validators(response.head))
            try await streamBody(response, permit)
            permit.release()
        } catch {
            permit.release()
            throw error
        }
    }

    private func streamBody(_ response: Response, _ permit: ConnectionPermit) async throws {
        guard let segment = plan.withLock({ plan, now in plan.assign(at: 0, now: now) }) else { return }
        defer { plan.withLock { plan, _ in plan.release(segment.id) } }
        try await receive(response.transfer, segment, bodyEnd: segment.end, permit)
    }
}

/// Connections that other files have asked for.
final class OwedConnections: Sendable {
    private let count = Mutex(0)

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

@testable import SegmentedDL
@testable import SegmentedDLMirror

/// A download from several sources in virtual time. The decisions are the real ones (`SegmentPlan`,
/// `Workers`, `SourceSelector`); the code between them in `Transfer` is repeated here without tasks, sockets
/// and files.
struct SourceSimulation {
    /// One server, by the speed of each of its connections; negative from the moment it refuses everything.
    struct Server {
        var speed: Steps
        var most: Int
    }

    struct Outcome {
        var seconds = 0.0
        /// Bytes received from each source.
        var bytes: [Int64]
        var connections = 0
        var isComplete = false
        /// True if a source failed when no other was left. `Simulation` covers what follows.
        var onlyOneIsLeft = false
    }

    private struct Worker {
        let source: Int
        var segment: Segment
        var position: Double
        var claimed: Int64
        /// When its response arrives.
        let begins: Double
    }

    private static let step = 0.01
    private static let tick = 0.25
    /// Seconds from a request to the first byte of its response.
    var setup = 0.05

    let servers: [Server]
    let segments: SegmentCount
    private var plan: SegmentPlan
    private var staffing: Workers
    private var selector: SourceSelector
    private var attribution = Attribution()
    private var workers: [Worker] = []
    private var now = 0.0
    private var outcome: Outcome

    init(_ servers: [Server], _ segments: SegmentCount, bytes: Int64) {
        self.servers = servers
        self.segments = segments
        plan = SegmentPlan(total: bytes)
        plan.mayRewrite = false
        plan.minimum = Configuration().minimumSegmentSize
        staffing = Workers(fetching: bytes, from: servers.count, segments, Configuration())
        selector = SourceSelector(count: servers.count, policy: RetryPolicy())
        outcome = Outcome(bytes: Array(repeating: 0, count: servers.count))
    }

    mutating func run() -> Outcome {
        plan.noteSetup(setup)
        if segments != .automatic {
            plan.divide(among: staffing.wanted, minimum: Configuration().minimumSegmentSize)
        }
        if let first = plan.assign(at: 0, bodyEnd: plan.total, now: 0) { begin(first, at: 0) }
        var nextTick = Self.tick
        while !plan.isComplete, now < 600 {
            staff()
            now += Self.step
            receive()
            guard now >= nextTick else { continue }
            nextTick += Self.tick
            observe()
        }
        outcome.seconds = now
        outcome.isComplete = plan.isComplete && plan.countsEachByteOnce
        return outcome
    }

    private var rooms: [Int] {
        servers.indices.map { server in servers[server].most - workers.count { $0.source == server } }
    }

    private mutating func begin(_ segment: Segment, at source: Int) {
        selector.opened(source)
        staffing.began()
        attribution.assign(segment.id, to: source)
        outcome.connections += 1
        workers.append(
            Worker(
                source: source, segment: segment, position: Double(segment.start), claimed: segment.start,
                begins: now + setup))
    }

    /// Like `Transfer.addWorkers`.
    private mutating func staff() {
        for _ in 0..<staffing.openings(in: &plan, now: now) {
            var turn = selector.next(rooms: rooms, wanted: staffing.wanted, now: now)
            if turn == nil, workers.isEmpty, let first = selector.earliest(now: now), first.wait <= 0 {
                turn = first.source
            }
            guard let turn else { return }
            guard servers[turn].speed[now] >= 0 else {
                refuse(turn)
                continue
            }
            guard let segment = plan.next(now: now) else { return }
            begin(segment, at: turn)
        }
    }

    private mutating func refuse(_ source: Int) {
        let refused = TransferFailure.network(EngineError(kind: .connect, message: "refused"))
        let verdict = selector.failed(
            source, refused, others: workers.count { $0.source == source }, delivered: outcome.bytes[source],
            now: now)
        if verdict == .isOnly { outcome.onlyOneIsLeft = true }
    }

    /// Receives the bytes of one step, like `SegmentSink`.
    private mutating func receive() {
        for worker in workers {
            let speed = servers[worker.source].speed[now]
            guard speed >= 0 else {
                end(worker)
                refuse(worker.source)
                continue
            }
            guard worker.begins <= now, let segment = plan.segments[worker.segment.id] else { continue }
            if segment.isRecalled {
                end(worker)
                continue
            }
            advance(worker, by: speed * Self.step)
        }
    }

    private mutating func advance(_ worker: Worker, by bytes: Double) {
        guard bytes > 0, let index = workers.firstIndex(where: { $0.segment.id == worker.segment.id }) else {
            return
        }
        plan.answered(worker.segment.id, now: now)
        let before = Int64(worker.position)
        let target = worker.position + bytes
        while Double(workers[index].claimed) <= target,
            let range = plan.claim(worker.segment.id, atMost: 64 * 1024, now: now)
        {
            workers[index].claimed = range.upperBound
        }
        let end = plan.segments[worker.segment.id]?.end ?? 0
        workers[index].position = min(target, Double(end))
        let after = Int64(workers[index].position)
        if before < after {
            plan.wrote(before..<after)
            outcome.bytes[worker.source] += after - before
        }
        if after >= end {
            resume(workers[index])
        } else {
            _ = plan.note(worker.segment.id, received: after, now: now)
        }
    }

    /// Ends a segment; its connection gets another one, unless it is better used elsewhere.
    private mutating func resume(_ worker: Worker) {
        end(worker)
        let isSlower = selector.hasFasterAlternative(
            to: worker.source, rooms: rooms, wanted: staffing.wanted, now: now)
        guard !isSlower, let segment = plan.next(now: now) else { return }
        begin(segment, at: worker.source)
    }

    private mutating func end(_ worker: Worker) {
        workers.removeAll { $0.segment.id == worker.segment.id }
        plan.release(worker.segment.id, now: now)
        attribution.release(worker.segment.id)
        selector.closed(worker.source)
        staffing.ended()
    }

    /// Like `Transfer.compareConnections`.
    private mutating func observe() {
        let givenUp = plan.replaceSlow(now: now)
        selector.observe(plan.segments.values, givenUp: givenUp, of: attribution, now: now)
        guard staffing.isFull, let slow = selector.slowest(rooms: rooms, now: now) else { return }
        let own = plan.segments.values.filter { attribution.source(of: $0.id) == slow.source }
        let segment = SourceSelector.segmentToMove(
            of: own, to: slow.instead, setupTime: plan.setupTime, now: now)
        if let segment { plan.cut(segment) }
    }
}

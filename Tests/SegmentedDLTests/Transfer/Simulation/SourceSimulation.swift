@testable import SegmentedDL

/// A download from several sources in virtual time. The decisions are the real ones (`SegmentPlan`, `SourceSelector`);
/// what `SourcesTransfer` does between them is repeated here without tasks, sockets and files.
struct SourceSimulation {
    /// One server, by the speed of each of its connections; negative from the moment on when it refuses everything.
    struct Server {
        var speed: Steps
        var most: Int
    }

    struct Outcome {
        var seconds = 0.0
        /// Bytes that came from each source.
        var bytes: [Int64]
        var connections = 0
        var isComplete = false
    }

    private struct Worker {
        let source: Int
        var segment: Segment
        var position: Double
        var claimed: Int64
        /// When its answer comes.
        let begins: Double
    }

    private static let step = 0.01
    private static let tick = 0.25
    private static let setup = 0.05

    let servers: [Server]
    let wanted: Int
    private var plan: SegmentPlan
    private var choice: SourceSelector
    private var workers: [Worker] = []
    private var now = 0.0
    private var outcome: Outcome

    init(_ servers: [Server], connections wanted: Int, bytes: Int64) {
        self.servers = servers
        self.wanted = wanted
        plan = SegmentPlan(total: bytes)
        plan.hasSeveralSources = true
        choice = SourceSelector(count: servers.count, policy: RetryPolicy())
        outcome = Outcome(bytes: Array(repeating: 0, count: servers.count))
    }

    mutating func run() -> Outcome {
        plan.noteSetup(Self.setup)
        plan.divide(among: wanted, minimum: 1024 * 1024)
        if let first = plan.assign(at: 0, now: 0) { begin(first, at: 0) }
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
        choice.opened(source)
        outcome.connections += 1
        workers.append(
            Worker(
                source: source, segment: segment, position: Double(segment.start), claimed: segment.start,
                begins: now + Self.setup))
    }

    /// As `SourcesTransfer.staff`.
    private mutating func staff() {
        while workers.count < wanted {
            if plan.openings(now: now) == 0 { plan.relieveSlow(now: now) }
            guard plan.openings(now: now) > 0 else { return }
            var turn = choice.next(rooms: rooms, wanted: wanted, now: now)
            if turn == nil, workers.isEmpty, let first = choice.earliest(now: now), first.wait <= 0 {
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
        _ = choice.failed(
            source, refused, others: workers.count { $0.source == source },
            hasDelivered: outcome.bytes[source] > 0, now: now)
    }

    /// What arrives in one step, as `SegmentSink` takes it.
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
        plan.answered(worker.segment.id)
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
            goOn(workers[index])
        } else {
            _ = plan.note(worker.segment.id, received: after, now: now)
        }
    }

    /// A segment has ended; its connection takes another one, unless it is better used elsewhere.
    private mutating func goOn(_ worker: Worker) {
        end(worker)
        let isOutdone = choice.isOutdone(worker.source, rooms: rooms, wanted: wanted, now: now)
        guard !isOutdone, let segment = plan.next(now: now) else { return }
        begin(segment, at: worker.source)
    }

    private mutating func end(_ worker: Worker) {
        workers.removeAll { $0.segment.id == worker.segment.id }
        plan.release(worker.segment.id, now: now)
        choice.closed(worker.source)
    }

    /// As `SourcesTransfer.observe` and `SourceSet.observe`.
    private mutating func observe() {
        let before = Set(plan.segments.values.filter(\.isRecalled).map(\.id))
        plan.retireCrawlers(now: now)
        for source in servers.indices {
            let own = workers.filter { $0.source == source }.compactMap { plan.segments[$0.segment.id] }
            let working = own.filter { !$0.isRecalled }
            let speeds = working.compactMap { $0.speed(at: now) }
            if !speeds.isEmpty {
                choice.measured(source, speed: speeds.reduce(0, +) / Double(speeds.count), now: now)
            }
            let isGivenUp = own.contains { $0.isRecalled && !before.contains($0.id) }
            if working.isEmpty, isGivenUp { choice.fellSilent(source, now: now) }
        }
        guard workers.count >= wanted, let slow = choice.slowest(rooms: rooms, now: now) else { return }
        let own = workers.filter { $0.source == slow.source }.compactMap { plan.segments[$0.segment.id] }
        guard let longest = own.max(by: { $0.remaining < $1.remaining }), let speed = longest.speed(at: now)
        else { return }
        let rest = Double(longest.remaining)
        let seconds = rest / max(speed, 1)
        if seconds > SourceSelector.smallestRest, rest / slow.instead + plan.setupTime < seconds {
            plan.cutShort(longest.id)
        }
    }
}

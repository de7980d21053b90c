import TestSupport
import Testing

@testable import SegmentedDL

/// One download in virtual time. The decisions are the real ones (`SegmentPlan`, `Workers`, `SourceSelector`,
/// `SegmentPace`, `SchedulerState`); the code between them in `Transfer`, `SegmentTransfer`, `SegmentSink`
/// and `CurlLoop` is repeated here without tasks, sockets and files.
struct Simulation {
    struct Outcome {
        var seconds = 0.0
        /// Bytes received beyond those of the file.
        var bytesTwice: Int64 = 0
        var connectionsOpened = 0
        var requests = 1
        var requestsRefused = 0
        /// The maximum number of bytes on disk after a gap, as seen by the transfer's ticks.
        var mostBehindGap: Int64 = 0
        /// A violated invariant; `nil` if there was none.
        var complaint: String?
    }

    /// The interval at which `CurlLoop` ticks its sinks, and `Transfer` its plan.
    static let engineTick = 0.05
    static let transferTick = Transfer.interval
    /// The maximum simulated duration.
    private static let patience = 3600.0

    let scenario: Scenario
    var link: SimulatedLink { scenario.link }
    var plan: SegmentPlan
    /// The number of connections and their sources: a single source is a set of one.
    var staffing: Workers
    var selector: SourceSelector
    var scheduler: SchedulerState
    var random: SplitMix64
    var now = 0.0
    var workers: [Worker] = []
    /// All connections ever opened, and those kept alive while idle.
    var connections: [SimulatedConnection] = []
    var idle: [Connection] = []
    var granted: [SchedulerState.Action] = []
    var nextID = 1
    var received: Int64 = 0
    var outcome = Outcome()
    private var nextEngineTick = Self.engineTick
    private var nextTransferTick = Self.transferTick
    private var nextLook = Double.infinity
    private let checksOften: Bool

    static let file = 0
    static let host = "host"
    static let source = 0

    /// - Parameter checksOften: True to check the plan's accounting at each tick, not only at the end.
    init(_ scenario: Scenario, checksOften: Bool = false) {
        self.scenario = scenario
        self.checksOften = checksOften
        let configuration = Configuration()
        plan = SegmentPlan(total: scenario.bytes)
        staffing = Workers(
            wanted: scenario.connections, most: scenario.allowedConnections,
            isMeasured: scenario.segments == .automatic || Workers.isMeasured(after: scenario.link.setupTime),
            recovery: RetryState(policy: configuration.retry, hasAnswered: true))
        selector = SourceSelector(count: 1, policy: configuration.retry)
        scheduler = SchedulerState(limits: scenario.limits)
        random = SplitMix64(seed: scenario.seed)
        _ = scheduler.submit(Self.file, priority: 0, now: 0)
    }

    mutating func run() -> Outcome {
        probe()
        nextTransferTick = now + Self.transferTick
        nextLook = now + Transfer.shortInterval
        nextEngineTick = now + Self.engineTick
        while !plan.isComplete, outcome.complaint == nil {
            let rates = rates()
            let next = nextEvent(rates)
            guard next < Self.patience else {
                outcome.complaint = "no end in sight"
                break
            }
            advance(to: next, rates)
            finishSegments()
            runWorkers()
            tick()
        }
        outcome.seconds = now
        outcome.bytesTwice = received - scenario.bytes
        outcome.connectionsOpened = connections.count
        if outcome.complaint == nil { checkBooks() }
        return outcome
    }

    /// The first request, whose response states the file's length.
    private mutating func probe() {
        var worker = Worker(id: makeID())
        let permit = makeID()
        _ = scheduler.request(permit, file: Self.file, host: Self.host, now: now)
        worker.permit = permit
        let connection = open()
        now = connections[connection].begins
        plan.noteSetup(now)
        plan.minimum = Configuration().minimumSegmentSize
        plan.policy.isHostSteady = scenario.isSteady
        if scenario.isInOrder {
            plan.pieces = OrderedPieces(minimum: Configuration().minimumSegmentSize)
        } else if scenario.segments != .automatic, !Workers.isMeasured(after: now) {
            plan.divide(among: staffing.wanted, minimum: Configuration().minimumSegmentSize)
        }
        if let segment = plan.assign(at: 0, bodyEnd: scenario.bytes, now: now) {
            staffing.began()
            selector.opened(Self.source)
            var body = Body(
                connection, segment, request: 1, end: scenario.bytes, isFirst: true, now: now)
            link.scanner?.scan(&body, now: now)
            worker.phase = .receiving(body)
            workers.append(worker)
        }
        staff()
    }

    // MARK: Time

    /// The current bytes per second of each worker's connection, by its index in `workers`.
    private func rates() -> [Double] {
        var rates = [Double](repeating: 0, count: workers.count)
        for (index, address) in link.addresses.enumerated() {
            var here: [Int] = []
            var limits: [Double] = []
            for worker in workers.indices {
                guard case .receiving(let body) = workers[worker].phase,
                    connections[body.connection].address == index
                else { continue }
                here.append(worker)
                limits.append(
                    link.scanner?.rate(of: body, now: now) ?? connections[body.connection].limit(at: now))
            }
            for (worker, share) in zip(here, fairShares(of: address.capacity[now], limits: limits)) {
                rates[worker] = share
            }
        }
        return rates
    }

    private func nextEvent(_ rates: [Double]) -> Double {
        var next = min(
            nextEngineTick, nextTransferTick, staffing.isWaiting ? nextLook : .infinity,
            nextGrant ?? .infinity)
        for address in link.addresses { next = min(next, address.capacity.change(after: now)) }
        for (worker, rate) in zip(workers, rates) {
            switch worker.phase {
            case .waiting: break
            case .opening(_, _, _, let time, _), .sleeping(let time): next = min(next, time)
            case .receiving(let body):
                next = min(next, connections[body.connection].change(after: now))
                if let scanner = link.scanner {
                    next = min(next, scanner.change(of: body, rate: rate, now: now))
                }
                if rate > 0 { next = min(next, now + (end(of: body) - body.position) / rate) }
            }
        }
        // Rounding may repeat an event at the current time: the clock advances by a nanosecond at least.
        return max(next, now + 1e-9)
    }

    func end(of body: Body) -> Double {
        Double(min(plan.segments[body.segment]?.end ?? 0, body.end))
    }

    private mutating func advance(to time: Double, _ rates: [Double]) {
        let elapsed = time - now
        now = time
        for (index, rate) in zip(workers.indices, rates) where rate > 0 {
            guard case .receiving(var body) = workers[index].phase else { continue }
            let before = body.arrived
            let end = end(of: body)
            body.position = min(body.position + rate * elapsed, end)
            // Within half a byte of the end counts as the end.
            if end - body.position < 0.5 { body.position = end }
            link.scanner?.scan(&body, now: now)
            note(body.arrived - before, of: &body)
            workers[index].phase = .receiving(body)
        }
    }

    /// Like `SegmentSink.receive`.
    private mutating func note(_ bytes: Int64, of body: inout Body) {
        guard bytes > 0 else { return }
        received += bytes
        body.receivedSinceTick += Int(bytes)
        body.lastByteAt = now
        claim(&body)
    }

    /// Like `SegmentSink.claimMore`: received bytes were claimed before, and a few more.
    mutating func claim(_ body: inout Body) {
        while body.claimed <= body.arrived,
            let range = plan.claim(body.segment, atMost: Int64(body.pace.claim), now: now)
        {
            body.claimed = range.upperBound
        }
    }

    // MARK: Ticks

    private mutating func tick() {
        if now >= nextEngineTick {
            nextEngineTick = now + Self.engineTick
            for worker in workers { tickBody(of: worker.id) }
        }
        if now >= nextLook {
            nextLook = now + Transfer.shortInterval
            if staffing.isWaiting { staff() }
        }
        if now >= nextTransferTick {
            nextTransferTick = now + Self.transferTick
            outcome.mostBehindGap = max(outcome.mostBehindGap, plan.written.byteCount - plan.gaplessEnd)
            plan.replaceSlow(mayAdd: staffing.mayAdd(now: now), now: now)
            staff()
            if checksOften { checkBooks() }
        }
        runWorkers()
    }

    private mutating func checkBooks() {
        if !plan.countsEachByteOnce { outcome.complaint = "a byte is in two states or in none" }
        if plan.isComplete, plan.written != ByteRangeSet(0..<scenario.bytes) {
            outcome.complaint = "a byte is missing"
        }
    }

    mutating func makeID() -> Int {
        nextID += 1
        return nextID
    }
}

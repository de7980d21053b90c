@testable import SegmentedDL

/// The decisions of `SegmentPlan` and `Workers`, as executed by `Transfer`.
struct PlanPolicy: LinePolicy {
    private let segments: SegmentCount
    private var plan: SegmentPlan?
    private var workers: Workers?
    /// The segment of each connection that has one.
    private var segmentOf: [Int: Segment.ID] = [:]
    private var nextTick = 0.0
    private let mayOpenEarly: Bool
    /// The connections that were opened beside the first request.
    private var early: Range<Int> = 1..<1

    /// - Parameter mayOpenEarly: False to open no connection beside the first request.
    init(_ segments: SegmentCount, mayOpenEarly: Bool = true) {
        self.segments = segments
        self.mayOpenEarly = mayOpenEarly
    }

    mutating func decide(_ line: inout LineSimulation) {
        if line.connections.isEmpty {
            let first = line.open()
            line.ask(first, for: 0..<Int64.max)
        }
        guard let total = line.total else { return openEarly(&line) }
        if plan == nil { begin(&line, total) }
        // Before anything is cut: bytes that have arrived were claimed on arrival.
        for index in line.connections.indices { claim(line, index) }
        for index in line.connections.indices { follow(&line, index) }
        if line.now >= nextTick {
            nextTick = line.now + Transfer.interval
            compare(line)
        }
        staff(&line)
        for index in line.connections.indices { shorten(&line, index) }
    }

    /// Like `EarlyConnections`, once the first connection is open.
    private mutating func openEarly(_ line: inout LineSimulation) {
        guard mayOpenEarly, case .fixed(let count) = segments, early.isEmpty,
            line.line.roundTrip >= EarlyConnections.shortestRoundTrip, line.now >= line.line.roundTrip
        else { return }
        for _ in 1..<count { _ = line.open() }
        early = 1..<count
    }

    /// Like `Transfer.compareConnections`.
    private mutating func compare(_ line: LineSimulation) {
        plan?.line.note(roundTrip: line.currentRoundTrip, segments: 0)
        let givenUp = plan?.replaceSlow(now: line.now) ?? []
        if givenUp.contains(where: { plan?.segments[$0]?.isAnswered == false }) {
            workers?.wentUnanswered(plan?.unanswered ?? 0, now: line.now)
        }
    }

    private mutating func begin(_ line: inout LineSimulation, _ total: Int64) {
        var configuration = Configuration()
        var limits = configuration.limits
        if case .fixed(let count) = segments {
            limits.connections = max(limits.connections, count)
            limits.connectionsPerHost = max(limits.connectionsPerHost, count)
        }
        var plan = SegmentPlan(total: total)
        plan.noteSetup(line.now)
        // Bytes on disk that are received again on purpose would look like an accounting error.
        plan.mayRewrite = false
        plan.minimum = configuration.minimumSegmentSize
        configuration.limits = limits
        let distance = ServerDistance(
            roundTrip: line.line.roundTrip, answer: line.line.roundTrip + line.line.latency)
        var workers = Workers(
            fetching: total, from: 1, segments, configuration, setupTime: line.now, distance: distance)
        plan.note(distance)
        plan.divideByDistance(
            among: workers.wanted, minimum: distance.smallestSegment(configuration.minimumSegmentSize),
            setup: early.isEmpty ? nil : distance.setupOfOpen)
        let body = line.connections[0].range
        if let segment = plan.assign(at: 0, bodyEnd: body.upperBound, now: line.now) {
            segmentOf[0] = segment.id
            workers.began()
        }
        self.plan = plan
        self.workers = workers
    }

    /// Like `SegmentSink.claimMore`.
    private mutating func claim(_ line: LineSimulation, _ index: Int) {
        let connection = line.connections[index]
        guard connection.firstByteAt != nil, let id = segmentOf[index], let segment = plan?.segments[id]
        else { return }
        plan?.answered(id, now: line.now)
        var pace = SegmentPace()
        // The bytes that arrive between two ticks of the engine.
        pace.tick(received: Int((segment.speed(at: line.now) ?? 0) * 0.05))
        let wanted = connection.arrived + Int64(pace.claim) - segment.claimed
        if wanted > 0 { _ = plan?.claim(id, atMost: wanted, now: line.now) }
    }

    private mutating func shorten(_ line: inout LineSimulation, _ index: Int) {
        guard let id = segmentOf[index], let segment = plan?.segments[id], !segment.isRecalled else { return }
        let end = segment.end
        if line.connections[index].state == .asked, end != line.connections[index].end {
            line.shorten(index, to: end)
        }
    }

    /// Like `SegmentSink` and `SegmentTransfer` for one connection.
    private mutating func follow(_ line: inout LineSimulation, _ index: Int) {
        guard let id = segmentOf[index], let segment = plan?.segments[id] else { return }
        let isGivenUp = plan?.note(id, received: line.connections[index].arrived, now: line.now) ?? true
        // A request waits for its response, as no other place may be free.
        if isGivenUp { segment.isAnswered ? line.close(index, keeping: segment.claimed) : line.giveUp(index) }
        guard line.connections[index].state != .asked else { return }
        let arrived = line.connections[index].arrived
        if segment.start < arrived { plan?.wrote(segment.start..<arrived) }
        plan?.release(id, now: line.now)
        segmentOf[index] = nil
        work(&line, on: line.connections[index].state == .idle ? index : nil)
    }

    /// Assigns a worker's next segment, or ends it.
    private mutating func work(_ line: inout LineSimulation, on kept: Int?) {
        guard let segment = plan?.next(now: line.now) else {
            workers?.ended()
            return
        }
        let index = kept ?? line.open()
        segmentOf[index] = segment.id
        line.ask(index, for: segment.start..<segment.end)
    }

    private mutating func staff(_ line: inout LineSimulation) {
        let spare = workers?.isPaused(now: line.now) == true ? plan?.unanswered ?? 0 : 0
        guard var staffed = plan, let count = workers?.openings(in: &staffed, spare: spare, now: line.now)
        else { return }
        plan = staffed
        for _ in 0..<count {
            workers?.began()
            let open = line.connections.indices.first {
                let isOpening = line.connections[$0].state == .connecting && early.contains($0)
                return (line.connections[$0].state == .idle || isOpening) && segmentOf[$0] == nil
            }
            work(&line, on: open)
        }
    }
}

@testable import SegmentedDL

extension Simulation {
    /// An index in `connections`: workers are copied often, so they hold no references.
    typealias Connection = Int

    /// One task of `Transfer`'s group: processes segments until none is left for it.
    struct Worker {
        enum Phase {
            /// Waiting for the scheduler to grant its permit.
            case waiting
            /// Has sent a request: when its response arrives, and whether that is a refusal.
            case opening(Connection, Segment, request: Int, answers: Double, isRefused: Bool)
            case receiving(Body)
            /// Waiting before a retry.
            case sleeping(until: Double)
        }

        let id: Int
        var phase = Phase.waiting
        var permit: Int?

        init(id: Int) {
            self.id = id
        }
    }

    /// A response's body being written to a segment: `SegmentTransfer.receive` and `SegmentSink`.
    struct Body {
        let connection: Connection
        /// The number of its request, the first one being 1.
        let request: Int
        let segment: Segment.ID
        let start: Int64
        let end: Int64
        /// The time until which a scanner delays it; `nil` if it is not delayed.
        var heldUntil: Double?
        /// True for the first response's body.
        let isFirst: Bool
        var position: Double
        var claimed: Int64
        /// All bytes below this offset are on disk.
        var written: Int64
        var pace = SegmentPace()
        var receivedSinceTick = 0
        var lastByteAt: Double

        var arrived: Int64 { Int64(position) }

        init(
            _ connection: Connection, _ segment: Segment, request: Int, end: Int64, isFirst: Bool, now: Double
        ) {
            self.connection = connection
            self.request = request
            self.segment = segment.id
            start = segment.start
            self.end = end
            self.isFirst = isFirst
            position = Double(segment.start)
            claimed = segment.start
            written = segment.start
            lastByteAt = now
        }
    }

    // MARK: What Transfer does

    mutating func staff() {
        for _ in 0..<staffing.openings(in: &plan, now: now) {
            guard let source = selector.next(rooms: [], wanted: staffing.wanted, now: now) else { return }
            selector.opened(source)
            staffing.began()
            let worker = Worker(id: makeID())
            workers.append(worker)
            begin(worker.id)
        }
    }

    /// Like `Transfer.connection`, from its beginning or after the wait before a retry.
    private mutating func begin(_ id: Int) {
        guard let index = index(of: id) else { return }
        guard plan.openings(now: now) > 0 else { return ended(id, nil) }
        let permit = makeID()
        workers[index].permit = permit
        workers[index].phase = .waiting
        granted += scheduler.request(permit, file: Self.file, host: Self.host, now: now)
    }

    private mutating func takeNext(_ id: Int) {
        guard let index = index(of: id) else { return }
        guard let segment = plan.next(now: now) else {
            releasePermit(id)
            return ended(id, nil)
        }
        outcome.requests += 1
        let reused = idle.popLast()
        let connection = reused ?? open()
        let opened = reused == nil ? connections[connection].begins : now + link.answerTime
        let isRefused = isFull(connections[connection].address)
        let answers = isRefused ? opened : connections[connection].firstByte(from: opened)
        workers[index].phase = .opening(
            connection, segment, request: outcome.requests, answers: answers, isRefused: isRefused)
    }

    private mutating func ended(_ id: Int, _ failure: TransferFailure?) {
        let jitter = Double.random(in: 0...1, using: &random)
        staffing.ended()
        switch failure.map({ decide($0, jitter: jitter) }) {
        case .retry(let wait):
            staffing.began()
            guard let index = index(of: id) else { return }
            workers[index].phase = .sleeping(until: now + wait)
        case .tryWhole:
            // It fails like the parts, and the worker requests these again.
            outcome.requests += 1
            staffing.triedWhole()
            staffing.began()
            guard let index = index(of: id) else { return }
            workers[index].phase = .sleeping(until: now + link.answerTime)
        case nil, .drop:
            selector.closed(Self.source)
            workers.removeAll { $0.id == id }
        case .singleStream, .fileChanged, .fail:
            outcome.complaint = "given up: \(String(describing: failure))"
        }
        staff()
    }

    /// Like `Transfer.ended`.
    private mutating func decide(_ failure: TransferFailure, jitter: Double) -> RetryState.Decision {
        let verdict = selector.failed(
            Self.source, failure, others: plan.receiving, delivered: plan.written.byteCount, now: now)
        if verdict != .isOnly { outcome.complaint = "the only source is \(verdict)" }
        return staffing.failed(failure, plan: &plan, now: now, jitter: jitter)
    }

    // MARK: What the network and the engine do

    mutating func open() -> Connection {
        let number = connections.count
        connections.append(SimulatedConnection(link, number: number, begins: now + link.setupTime))
        return number
    }

    /// True if an address serves its maximum number of requests.
    private func isFull(_ address: Int) -> Bool {
        guard let most = link.addresses[address].most else { return false }
        let served = workers.count { worker in
            switch worker.phase {
            case .opening(let connection, _, _, _, false): connections[connection].address == address
            case .receiving(let body):
                connections[body.connection].address == address && body.position < end(of: body)
            case .opening, .waiting, .sleeping: false
            }
        }
        return served >= most
    }

    /// Processes everything that is due.
    mutating func runWorkers() {
        if let due = nextGrant, due <= now { granted += scheduler.tick(now: now) }
        for id in workers.map(\.id) {
            guard let index = index(of: id) else { continue }
            switch workers[index].phase {
            case .sleeping(let until) where until <= now:
                begin(id)
            case .opening(let connection, let segment, let request, let answers, let isRefused)
            where answers <= now:
                if isRefused {
                    refuse(id, segment)
                } else {
                    answer(id, connection, segment, request)
                }
            default: break
            }
        }
        while !granted.isEmpty {
            let action = granted.removeFirst()
            guard case .grant(let permit) = action else { continue }
            if let worker = workers.first(where: { $0.permit == permit }) { takeNext(worker.id) }
        }
    }

    private mutating func answer(_ id: Int, _ connection: Connection, _ segment: Segment, _ request: Int) {
        guard let index = index(of: id) else { return }
        plan.answered(segment.id, now: now)
        var body = Body(
            connection, segment, request: request, end: segment.end, isFirst: false, now: now)
        link.scanner?.scan(&body, now: now)
        if body.heldUntil == nil { claim(&body) }
        workers[index].phase = .receiving(body)
        // It may have been cut to nothing meanwhile.
        if end(of: body) <= body.position { finish(id, body) }
    }

    private mutating func refuse(_ id: Int, _ segment: Segment) {
        outcome.requestsRefused += 1
        let permit = index(of: id).flatMap { workers[$0].permit }
        let failure: TransferFailure
        switch link.refusal {
        case .busy:
            failure = .busy(status: 503, retryAfter: nil)
            if let permit { granted += scheduler.refused(permit, retryAfter: nil, now: now) }
        case .reset:
            failure = .network(EngineError(kind: .lost, message: "reset"))
            if let permit { granted += scheduler.dropped(permit, now: now) }
        }
        plan.release(segment.id, now: now)
        releasePermit(id)
        ended(id, failure)
    }

    /// Ends the segments whose last byte has arrived.
    mutating func finishSegments() {
        for worker in workers {
            guard case .receiving(let body) = worker.phase, body.position >= end(of: body) else { continue }
            finish(worker.id, body)
        }
    }

    private mutating func finish(_ id: Int, _ body: Body) {
        write(body)
        // If a body is not read to its end, its connection is closed.
        if body.arrived == body.end { idle.append(body.connection) }
        plan.release(body.segment, now: now)
        if body.isFirst {
            releasePermit(id)
            begin(id)
        } else {
            if let permit = index(of: id).flatMap({ workers[$0].permit }) { scheduler.worked(permit) }
            takeNext(id)
        }
    }

    /// Like `CurlLoop.tick`, for one transfer.
    mutating func tickBody(of id: Int) {
        guard let index = index(of: id) else { return }
        switch workers[index].phase {
        case .receiving(var body):
            body.pace.tick(received: body.receivedSinceTick)
            body.receivedSinceTick = 0
            write(body)
            body.written = body.arrived
            workers[index].phase = .receiving(body)
            if plan.note(body.segment, received: body.arrived, now: now) {
                finish(id, body)
            } else if now - body.lastByteAt >= Transport().lowSpeedTime.seconds {
                lose(id, body.segment)
            } else if let claimed = plan.takeBackClaims(of: body.segment, from: body.arrived, now: now) {
                body.claimed = claimed
                workers[index].phase = .receiving(body)
            }
        case .opening(_, let segment, _, _, _)
        where now - segment.began >= Transport().patience.answer ?? .infinity:
            lose(id, segment.id)
        default: break
        }
    }

    /// Simulates libcurl's timeout of a silent transfer.
    private mutating func lose(_ id: Int, _ segment: Segment.ID) {
        plan.release(segment, now: now)
        releasePermit(id)
        ended(id, .network(EngineError(kind: .timeout, message: "too slow")))
    }

    /// Like `SegmentSink.flush`.
    private mutating func write(_ body: Body) {
        if body.written < body.arrived { plan.wrote(body.written..<body.arrived) }
    }

    /// The time when the scheduler may grant a permit without another event.
    var nextGrant: Double? {
        let isWaiting = workers.contains { if case .waiting = $0.phase { true } else { false } }
        return isWaiting ? scheduler.nextChange(now: now) : nil
    }

    private mutating func releasePermit(_ id: Int) {
        guard let index = index(of: id), let permit = workers[index].permit else { return }
        workers[index].permit = nil
        granted += scheduler.release(permit, now: now)
    }

    private func index(of id: Int) -> Int? { workers.firstIndex { $0.id == id } }
}

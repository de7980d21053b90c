/// A byte range that is assigned to one connection.
struct Segment: Equatable, Sendable {
    typealias ID = Int

    let id: ID

    /// The first byte the connection was asked for.
    let start: Int64

    /// The end of the bytes that the connection has claimed: it may be writing up to here, so no other
    /// connection is given bytes below.
    var claimed: Int64

    /// The offset below which everything has been received, as far as the connection has reported.
    private(set) var received: Int64

    /// The offset at which the segment ends. A steal moves it down, never below `claimed`. `Int64.max` while
    /// the file's length is unknown.
    var end: Int64

    /// The offset at which the body of the connection's answer ends. The segment can continue up to there,
    /// and does so where no other connection gets the bytes.
    let bodyEnd: Int64

    /// Seconds on the plan's clock at which the connection was assigned, or resumed with a late answer.
    private(set) var began: Double

    /// True if an answer has been accepted for it, even if no byte has arrived yet.
    var isAnswered = false

    /// Seconds on the plan's clock at which the first byte arrived.
    private(set) var firstByteAt: Double?

    /// Seconds on the plan's clock at which bytes were last seen to arrive.
    private(set) var lastByteAt: Double?

    /// True if another connection is to take its place: the bytes that it has not received are free once it
    /// ends.
    var isRecalled = false

    /// True if the bytes behind its end are meant for another connection.
    var isCut = false

    /// True if it may go on after all, should its answer come late.
    var mayResume = false

    /// The number of bytes beyond the claimed ones, which can be stolen.
    var remaining: Int64 { end - claimed }

    /// Its speed in the last seconds.
    private(set) var recent: RecentSpeed?

    /// Its speed in the last round trip or two, where that is known.
    private(set) var newest: RecentSpeed?

    /// Its bytes since it began, or since it was silent last.
    private(set) var flow: Flow?

    /// True if a buffer of its bytes has come without a pause: the server sends the file.
    private(set) var hasBegun = false

    /// Its answer has come after it was given up: the bytes up to `end` are its own again. How long it waited
    /// says nothing about others, because the server may serve only some connections at a time.
    mutating func resume(upTo end: Int64, now: Double) {
        self.end = end
        isRecalled = false
        isCut = false
        began = now
    }

    /// Bytes per second in the last seconds; `nil` as long as too little is known.
    func speed(at now: Double) -> Double? {
        isStarting(at: now) ? nil : recent?.bytesPerSecond(at: now)
    }

    /// True if the server may still look for its first bytes, or have them scanned: a byte now and then only
    /// keeps the connection up.
    func isStarting(at now: Double) -> Bool { !hasBegun && waitsSince(at: now) != nil }

    /// Returns the moment from which on it waits for real progress, which is a buffer without a pause; `nil`
    /// if bytes come.
    func waitsSince(at now: Double) -> Double? {
        guard let flow, let lastByteAt else { return began }
        if !flow.isFull, flow.isResumed || isTrickle(at: now) { return flow.after }
        guard now - lastByteAt >= CrawlRule.longestPauseSeconds else { return nil }
        return flow.isFull ? lastByteAt : flow.after
    }

    /// True if its first bytes are so few that they may only keep the connection up, even without a pause.
    private func isTrickle(at now: Double) -> Bool {
        guard !hasBegun, received > start, let flow, now - flow.since >= CrawlRule.shortestObservationSeconds
        else { return false }
        return Double(received - start) < Flow.trickleSpeed * (now - flow.since)
    }

    /// The seconds for which its bytes come without a pause.
    var flowSeconds: Double {
        guard let flow, flow.isFull, let lastByteAt else { return 0 }
        return lastByteAt - flow.since
    }

    /// Returns its bytes per second since the first one; `nil` if that came less than `seconds` ago.
    func averageSpeed(after seconds: Double, now: Double) -> Double? {
        guard let firstByteAt, now - firstByteAt > seconds else { return nil }
        return Double(received - start) / (now - firstByteAt)
    }

    /// Returns true if no bytes have arrived for a moment.
    func isSilent(at now: Double) -> Bool {
        now - (lastByteAt ?? began) >= StealRule.longestObservationSeconds
    }

    /// Returns true if bytes have arrived in the last second.
    func isReceiving(at now: Double) -> Bool {
        now - (lastByteAt ?? -.infinity) < CrawlRule.longestPauseSeconds
    }

    /// Records that its bytes have arrived up to `received`.
    ///
    /// - Parameter roundTrip: Seconds; `nil` where it does not count.
    /// - Returns: The wait that has ended, once it has brought a buffer.
    @discardableResult
    mutating func arrived(upTo received: Int64, roundTrip: Double? = nil, now: Double) -> Wait? {
        noteFlow(now: now)
        if firstByteAt == nil { firstByteAt = now }
        lastByteAt = now
        let wasTrickle = isTrickle(at: now)
        self.received = received
        if wasTrickle, !isTrickle(at: now) { trickleEnded(now: now) }
        recent = recent ?? RecentSpeed(since: now, at: received)
        recent?.note(received, at: now)
        newest = newest ?? roundTrip.map { RecentSpeed(since: now, at: received, window: $0) }
        newest?.note(received, at: now)
        guard let flow, !flow.isFull, received - flow.from >= Flow.fullBytes else { return nil }
        return endWait()
    }

    /// Ends the wait for real progress: a buffer has come, or all that was left.
    ///
    /// - Returns: `nil` if there was none.
    mutating func endWait() -> Wait? {
        guard let flow, !flow.isFull else { return nil }
        let wait = Wait(seconds: flow.since - flow.after, isStart: !hasBegun)
        self.flow?.isFull = true
        hasBegun = true
        return wait
    }

    /// The time before says nothing about how fast it is.
    private mutating func trickleEnded(now: Double) {
        firstByteAt = now
        recent = nil
        newest = nil
        flow?.since = now
    }

    private mutating func noteFlow(now: Double) {
        guard let flow, let lastByteAt else {
            flow = Flow(after: began, since: now, from: start)
            return
        }
        guard now - lastByteAt >= CrawlRule.longestPauseSeconds else { return }
        // The time before the server sends the file and a long wait say nothing about how fast it does.
        let isForgotten = now - lastByteAt >= SlowConnectionPolicy.memorySeconds
        if !hasBegun || isForgotten { recent = RecentSpeed(since: now, at: received) }
        self.flow = Flow(
            after: flow.isFull ? lastByteAt : flow.after, since: now, from: received, isResumed: true)
    }
}

/// Bytes that come without a pause.
struct Flow: Equatable, Sendable {
    /// The bytes from which on a flow is real progress.
    static let fullBytes: Int64 = 16 * 1024
    /// Bytes per second. Fewer at the start are what a scanner sends until it has seen the file.
    static let trickleSpeed = 64.0

    /// The moment from which on it was waited for: the request, or the end of the last full flow.
    var after: Double
    var since: Double
    var from: Int64
    /// True if there was a pause before it.
    var isResumed = false
    var isFull = false
}

/// The time that real progress took to come.
struct Wait: Equatable, Sendable {
    var seconds: Double
    /// True if it began with the request.
    var isStart: Bool
}

/// Bytes per second over the last second or two: earlier bytes say nothing about a connection that has
/// changed.
///
/// A shorter window would not do, because servers that limit a rate send a second's bytes in one go. The
/// windows of all connections begin together, with a second of the clock, because a link that becomes slower
/// slows down all of them.
struct RecentSpeed: Equatable, Sendable {
    private struct Mark: Equatable {
        var time: Double
        var position: Int64

        /// The begin of the window of the clock in which it lies.
        func windowStart(_ seconds: Double) -> Double { (time / seconds).rounded(.down) * seconds }
    }

    /// Seconds.
    private let window: Double

    /// The mark from which the speed is measured, and the next one.
    private var from: Mark
    private var next: Mark
    private var position: Int64

    init(since time: Double, at position: Int64, window: Double = 1) {
        self.window = window
        from = Mark(time: time, position: position)
        next = from
        self.position = position
    }

    mutating func note(_ position: Int64, at now: Double) {
        self.position = position
        guard now >= next.windowStart(window) + window else { return }
        from = next
        next = Mark(time: now, position: position)
    }

    func bytesPerSecond(at now: Double) -> Double? {
        // Without bytes there are no notes: time alone moves the window, too.
        let base = now >= next.windowStart(window) + 2 * window ? next : from
        let elapsed = now - base.time
        guard elapsed >= StealRule.shortestObservationSeconds else { return nil }
        return Double(position - base.position) / elapsed
    }
}

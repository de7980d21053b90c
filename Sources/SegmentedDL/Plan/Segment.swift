/// A byte range that is assigned to one connection.
struct Segment: Equatable, Sendable {
    typealias ID = Int

    let id: ID

    /// The first byte that the connection requested.
    let start: Int64

    /// The end of the bytes that the connection has claimed: it may be writing up to here, so no other
    /// connection is given bytes below.
    var claimed: Int64

    /// The offset below which everything has been received, according to the connection's reports.
    private(set) var received: Int64

    /// The offset at which the segment ends. A steal moves it down, never below `claimed`. `Int64.max` while
    /// the file's length is unknown.
    var end: Int64

    /// The offset at which the body of the connection's answer ends. The segment can continue up to there,
    /// and does so unless another connection gets the bytes.
    let bodyEnd: Int64

    /// Seconds on the plan's clock at which the connection was assigned, or resumed by a late answer.
    private(set) var began: Double

    /// True if an answer has been accepted for it, even before its first byte.
    var isAnswered = false

    /// Seconds on the plan's clock at which the first byte arrived.
    private(set) var firstByteAt: Double?

    /// Seconds on the plan's clock at which bytes were last seen to arrive.
    private(set) var lastByteAt: Double?

    /// True if another connection must replace it: the bytes that it has not received are free once it ends.
    var isRecalled = false

    /// True if the bytes behind its end are meant for another connection.
    var isCut = false

    /// True if a late answer may still resume it.
    var mayResume = false

    /// The number of unclaimed bytes, which can be stolen.
    var remaining: Int64 { end - claimed }

    /// Its speed in the last seconds.
    private(set) var recent: RecentSpeed?

    /// Its speed in the last one or two round trips, if known.
    private(set) var newest: RecentSpeed?

    /// Its bytes since it began, or since its last silence.
    private(set) var flow: Flow?

    /// True if a buffer of its bytes has arrived without a pause: the server sends the file.
    private(set) var hasBegun = false

    /// Resumes it because its answer has arrived after it was given up: the bytes up to `end` are its own
    /// again. Its wait proves nothing about others, because the server may serve only some connections at a
    /// time.
    mutating func resume(upTo end: Int64, now: Double) {
        self.end = end
        isRecalled = false
        isCut = false
        began = now
    }

    /// Bytes per second in the last seconds; `nil` while too little is known.
    func speed(at now: Double) -> Double? {
        isStarting(at: now) ? nil : recent?.bytesPerSecond(at: now)
    }

    /// True if the server may still be locating its first bytes, or scanning them: an occasional byte only
    /// keeps the connection open.
    func isStarting(at now: Double) -> Bool { !hasBegun && waitsSince(at: now) != nil }

    /// Returns the time since which it waits for real progress, which is a buffer without a pause; `nil` if
    /// bytes arrive.
    func waitsSince(at now: Double) -> Double? {
        guard let flow, let lastByteAt else { return began }
        if !flow.isFull, flow.isResumed || isTrickle(at: now) { return flow.after }
        guard now - lastByteAt >= SlowConnectionThresholds.longestPauseSeconds else { return nil }
        return flow.isFull ? lastByteAt : flow.after
    }

    /// True if its first bytes are so few that they may only keep the connection open, even without a pause.
    private func isTrickle(at now: Double) -> Bool {
        guard !hasBegun, received > start, let flow,
            now - flow.since >= SlowConnectionThresholds.shortestObservationSeconds
        else { return false }
        return Double(received - start) < Flow.trickleSpeed * (now - flow.since)
    }

    /// The seconds for which its bytes have arrived without a pause.
    var flowSeconds: Double {
        guard let flow, flow.isFull, let lastByteAt else { return 0 }
        return lastByteAt - flow.since
    }

    /// Returns its bytes per second since the first one; `nil` if that arrived less than `seconds` ago.
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
        now - (lastByteAt ?? -.infinity) < SlowConnectionThresholds.longestPauseSeconds
    }

    /// Records that its bytes have arrived up to `received`.
    ///
    /// - Parameter roundTrip: Seconds; `nil` if it does not matter.
    /// - Returns: The wait that has ended, once a buffer has arrived.
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

    /// Ends the wait for real progress: a buffer has arrived, or the rest.
    ///
    /// - Returns: `nil` if it was not waiting.
    mutating func endWait() -> Wait? {
        guard let flow, !flow.isFull else { return nil }
        let wait = Wait(seconds: flow.since - flow.after, isStart: !hasBegun)
        self.flow?.isFull = true
        hasBegun = true
        return wait
    }

    /// Discards the time before: it proves nothing.
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
        guard now - lastByteAt >= SlowConnectionThresholds.longestPauseSeconds else { return }
        // The time before the server sends the file, and a long wait, prove nothing about its speed.
        let isForgotten = now - lastByteAt >= EndedConnections.memorySeconds
        if !hasBegun || isForgotten { recent = RecentSpeed(since: now, at: received) }
        self.flow = Flow(
            after: flow.isFull ? lastByteAt : flow.after, since: now, from: received, isResumed: true)
    }
}

/// Bytes that arrive without a pause.
struct Flow: Equatable, Sendable {
    /// The number of bytes from which a flow is real progress.
    static let fullBytes: Int64 = 16 * 1024
    /// Bytes per second. Fewer at the start come from a scanner that has not yet seen the file.
    static let trickleSpeed = 64.0

    /// The start of the wait for it: the request, or the end of the last full flow.
    var after: Double
    var since: Double
    var from: Int64
    /// True if a pause preceded it.
    var isResumed = false
    var isFull = false
}

/// The time until real progress.
struct Wait: Equatable, Sendable {
    var seconds: Double
    /// True if it began with the request.
    var isStart: Bool
}

/// Bytes per second over the last second or two: earlier bytes prove nothing about a connection that has
/// changed.
///
/// A shorter window would not do, because servers that limit a rate send a second's bytes at once. The
/// windows of all connections begin together, with a second of the clock, because a link that becomes slower
/// slows down all of them.
struct RecentSpeed: Equatable, Sendable {
    private struct Mark: Equatable {
        var time: Double
        var position: Int64

        /// The start of the clock's window that contains it.
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
        // Without bytes nothing is recorded: time alone moves the window, too.
        let base = now >= next.windowStart(window) + 2 * window ? next : from
        let elapsed = now - base.time
        guard elapsed >= StealRule.shortestObservationSeconds else { return nil }
        return Double(position - base.position) / elapsed
    }
}

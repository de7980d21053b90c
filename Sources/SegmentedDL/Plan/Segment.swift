/// A byte range that is assigned to one connection.
struct Segment: Equatable, Sendable {
    typealias ID = Int

    let id: ID

    /// The first byte that the connection requested.
    let start: Int64

    /// The end of the bytes that the connection has claimed. It may be writing up to this offset, so no other
    /// connection is assigned bytes below it.
    var claimed: Int64

    /// The offset below which everything has been received, according to the connection's reports.
    private(set) var received: Int64

    /// The offset at which the segment ends. A steal lowers it, but never below `claimed`. `Int64.max` while
    /// the file's length is unknown.
    var end: Int64

    /// The offset at which the body of the connection's response ends. The segment can be extended up to
    /// there, and is, unless another connection is assigned the bytes.
    let bodyEnd: Int64

    /// The time in seconds, on the plan's clock, at which the connection was assigned, or resumed by a late
    /// response.
    private(set) var began: Double

    /// True if a response has been accepted for it, even before its first byte.
    var isAnswered = false

    /// The time in seconds, on the plan's clock, at which the first byte was received.
    private(set) var firstByteAt: Double?

    /// The time in seconds, on the plan's clock, at which bytes were last received.
    private(set) var lastByteAt: Double?

    /// True if another connection must replace this one. The bytes that it has not received are free once it
    /// ends.
    var isRecalled = false

    /// True if the bytes after its end are intended for another connection.
    var isCut = false

    /// True if a late response may still resume it.
    var mayResume = false

    /// The number of unclaimed bytes, which can be stolen.
    var remaining: Int64 { end - claimed }

    /// The speed in the last seconds.
    private(set) var recent: RecentSpeed?

    /// The speed in the last one or two round trips, if known.
    private(set) var newest: RecentSpeed?

    /// The bytes received since the segment began, or since its last silence.
    private(set) var flow: Flow?

    /// True if a buffer of bytes has arrived without a pause, which shows that the server is sending the
    /// file.
    private(set) var hasBegun = false

    /// Resumes the segment because its response has arrived after it was given up. The bytes up to `end`
    /// belong to it again. Its wait proves nothing about other connections, because the server may serve only
    /// some of them at a time.
    mutating func resume(upTo end: Int64, now: Double) {
        self.end = end
        isRecalled = false
        isCut = false
        began = now
    }

    /// Returns the speed in the last seconds, in bytes per second; `nil` while too little is known.
    func speed(at now: Double) -> Double? {
        isStarting(at: now) ? nil : recent?.bytesPerSecond(at: now)
    }

    /// Returns true if the server may still be locating or scanning the first bytes. An occasional byte only
    /// keeps the connection open.
    func isStarting(at now: Double) -> Bool { !hasBegun && waitsSince(at: now) != nil }

    /// Returns the time since which the segment has waited for real progress, which is a buffer without a
    /// pause; `nil` if bytes are arriving.
    func waitsSince(at now: Double) -> Double? {
        guard let flow, let lastByteAt else { return began }
        if !flow.isFull, flow.isResumed || isTrickle(at: now) { return flow.after }
        guard now - lastByteAt >= SlowConnectionThresholds.longestPauseSeconds else { return nil }
        return flow.isFull ? lastByteAt : flow.after
    }

    /// Returns true if the first bytes are so few that they may only keep the connection open, even without a
    /// pause.
    private func isTrickle(at now: Double) -> Bool {
        guard !hasBegun, received > start, let flow,
            now - flow.since >= SlowConnectionThresholds.shortestObservationSeconds
        else { return false }
        return Double(received - start) < Flow.trickleSpeed * (now - flow.since)
    }

    /// The number of seconds for which bytes have arrived without a pause.
    var flowSeconds: Double {
        guard let flow, flow.isFull, let lastByteAt else { return 0 }
        return lastByteAt - flow.since
    }

    /// Returns the speed since the first byte, in bytes per second; `nil` if that byte arrived less than
    /// `seconds` ago.
    func averageSpeed(after seconds: Double, now: Double) -> Double? {
        guard let firstByteAt, now - firstByteAt > seconds else { return nil }
        return Double(received - start) / (now - firstByteAt)
    }

    /// Returns true if no bytes have arrived recently.
    func isSilent(at now: Double) -> Bool {
        now - (lastByteAt ?? began) >= StealRule.longestObservationSeconds
    }

    /// Returns true if bytes have arrived in the last second.
    func isReceiving(at now: Double) -> Bool {
        now - (lastByteAt ?? -.infinity) < SlowConnectionThresholds.longestPauseSeconds
    }

    /// Records that bytes have been received up to `received`.
    ///
    /// - Parameter roundTrip: The round-trip time in seconds; `nil` if it does not matter.
    /// - Returns: The wait that has ended, once a buffer has been received.
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

    /// Ends the wait for real progress, because a buffer or the rest of the segment has been received.
    ///
    /// - Returns: `nil` if the segment was not waiting.
    mutating func endWait() -> Wait? {
        guard let flow, !flow.isFull else { return nil }
        let wait = Wait(seconds: flow.since - flow.after, isStart: !hasBegun)
        self.flow?.isFull = true
        hasBegun = true
        return wait
    }

    /// Discards the time so far, which proves nothing.
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
        // The time before the server sends the file, and a long wait, prove nothing about the speed.
        let isForgotten = now - lastByteAt >= EndedConnections.memorySeconds
        if !hasBegun || isForgotten { recent = RecentSpeed(since: now, at: received) }
        self.flow = Flow(
            after: flow.isFull ? lastByteAt : flow.after, since: now, from: received, isResumed: true)
    }
}

/// Bytes that arrive without a pause.
struct Flow: Equatable, Sendable {
    /// The minimum number of bytes for which a flow counts as real progress.
    static let fullBytes: Int64 = 16 * 1024
    /// In bytes per second. A lower rate at the start comes from a scanner that has not received the file
    /// yet.
    static let trickleSpeed = 64.0

    /// The start of the wait for this flow: the request, or the end of the last full flow.
    var after: Double
    var since: Double
    var from: Int64
    /// True if a pause preceded the flow.
    var isResumed = false
    var isFull = false
}

/// The time until real progress.
struct Wait: Equatable, Sendable {
    var seconds: Double
    /// True if the wait began with the request.
    var isStart: Bool
}

/// The speed over the last second or two, in bytes per second. Earlier bytes prove nothing about a connection
/// that has changed.
///
/// A shorter window would not be sufficient, because servers that limit a rate send a second's bytes at once.
/// The windows of all connections begin at the same time, with a second of the clock, because a link that
/// becomes slower slows down all of them.
struct RecentSpeed: Equatable, Sendable {
    private struct Mark: Equatable {
        var time: Double
        var position: Int64

        /// The start of the clock's window that contains this mark.
        func windowStart(_ seconds: Double) -> Double { (time / seconds).rounded(.down) * seconds }
    }

    /// In seconds.
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
        // Without new bytes nothing is recorded, but time alone also moves the window.
        let base = now >= next.windowStart(window) + 2 * window ? next : from
        let elapsed = now - base.time
        guard elapsed >= StealRule.shortestObservationSeconds else { return nil }
        return Double(position - base.position) / elapsed
    }
}

extension Source {
    /// The rank of a source in one download's order of preference.
    typealias Index = Int
}

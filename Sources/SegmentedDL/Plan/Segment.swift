/// A byte range that is assigned to one connection.
struct Segment: Equatable, Sendable {
    typealias ID = Int

    let id: ID

    /// The first byte the connection was asked for.
    let start: Int64

    /// The end of the bytes that the connection has claimed: it may be writing up to here, so nobody
    /// else is given anything below.
    var claimed: Int64

    /// Everything below has been received, as far as it was told.
    private(set) var received: Int64

    /// Where the segment ends. A steal moves it down, never below `claimed`. `Int64.max` while the file's
    /// length is unknown.
    var end: Int64

    /// Where the body of the connection's answer ends: it can go on up to there. It does where nobody else can.
    let bodyEnd: Int64

    /// Seconds on the plan's clock at which the connection was assigned.
    let began: Double

    /// Whether an answer has been accepted for it, whose bytes may be still to come.
    var isAnswered = false

    /// Seconds on the plan's clock at which the first byte arrived.
    private(set) var firstByteAt: Double?

    /// Seconds on the plan's clock at which bytes were last seen to arrive.
    private(set) var lastByteAt: Double?

    /// Whether another connection is to take its place: what it has not received is free again once it ends.
    var isRecalled = false

    /// What is left beyond the claimed bytes, and can be stolen.
    var remaining: Int64 { end - claimed }

    /// How fast it has been lately.
    private(set) var recent: RecentSpeed?

    /// Bytes per second of late; `nil` as long as that says little.
    func speed(at now: Double) -> Double? { recent?.bytesPerSecond(at: now) }

    /// Whether bytes have come lately.
    func isReceiving(at now: Double) -> Bool {
        now - (lastByteAt ?? -.infinity) < CrawlRule.longestPauseSeconds
    }

    /// Its bytes have arrived up to `received`; it was seen at `now`.
    mutating func arrived(upTo received: Int64, now: Double) {
        if firstByteAt == nil { firstByteAt = now }
        lastByteAt = now
        self.received = received
        recent = recent ?? RecentSpeed(since: now, at: received)
        recent?.note(received, at: now)
    }
}

/// Bytes per second over the last second or two: what was before says nothing of a connection that has changed.
///
/// Shorter would not do: servers that limit a rate send a second's bytes in one go. The windows of all connections begin
/// together, with a second of the clock: what slows down the link slows down all of them.
struct RecentSpeed: Equatable, Sendable {
    private struct Mark: Equatable {
        var time: Double
        var position: Int64

        /// The second of the clock in which it lies.
        var second: Double { time.rounded(.down) }
    }

    /// From where is measured, and from where next.
    private var from: Mark
    private var next: Mark
    private var position: Int64

    init(since time: Double, at position: Int64) {
        from = Mark(time: time, position: position)
        next = from
        self.position = position
    }

    mutating func note(_ position: Int64, at now: Double) {
        self.position = position
        guard now >= next.second + 1 else { return }
        from = next
        next = Mark(time: now, position: position)
    }

    func bytesPerSecond(at now: Double) -> Double? {
        // Nobody notes that nothing comes: time alone moves the window, too.
        let base = now >= next.second + 2 ? next : from
        let elapsed = now - base.time
        guard elapsed >= StealRule.shortestObservationSeconds else { return nil }
        return Double(position - base.position) / elapsed
    }
}

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
    var received: Int64

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
    var firstByteAt: Double?

    /// Seconds on the plan's clock at which bytes were last seen to arrive.
    var lastByteAt: Double?

    /// Whether another connection is to take its place: what it has not received is free again once it ends.
    var isRecalled = false

    /// What is left beyond the claimed bytes, and can be stolen.
    var remaining: Int64 { end - claimed }

    /// Bytes per second since the first byte; `nil` as long as that says little.
    func speed(at now: Double) -> Double? {
        guard let firstByteAt else { return nil }
        let elapsed = now - firstByteAt
        guard elapsed >= StealRule.shortestObservation else { return nil }
        return Double(received - start) / elapsed
    }
}

/// The state of the line to a server, as shown by all connections of a download together.
struct LineState: Equatable, Sendable {
    /// Seconds of the last round trips, longer than the shortest one while packets are queued; `nil` if
    /// unknown.
    private(set) var roundTrip: Double?
    /// The number of requests that the server has answered with bytes of the file.
    var answers = 0
    /// The bytes that have arrived, in order.
    private var bytes: Int64 = 0
    /// The TCP segments that have arrived, in any order; 0 if unknown.
    private var segments = 0

    /// The bytes that the line has carried so far. Bytes behind a lost segment arrive before it is sent
    /// again.
    var carried: Int64 { max(bytes, Int64(Double(segments) * SlowStart.segment)) }

    /// More bytes have arrived, in order.
    mutating func received(_ count: Int64) { bytes += count }

    /// Records what TCP shows.
    ///
    /// - Parameters:
    ///   - roundTrip: Seconds of the last round trips; `nil` if unknown.
    ///   - segments: All TCP segments so far; 0 if unknown.
    mutating func note(roundTrip: Double?, segments: Int) {
        self.roundTrip = roundTrip ?? self.roundTrip
        self.segments = segments
    }
}

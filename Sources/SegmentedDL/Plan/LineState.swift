/// The state of the link to a server, as shown by all connections of a download together.
struct LineState: Equatable, Sendable {
    /// The recent round-trip time in seconds, which exceeds the shortest one while packets are queued; `nil`
    /// if unknown.
    private(set) var roundTrip: Double?
    /// The number of requests to which the server has responded with bytes of the file.
    var answers = 0
    /// The number of bytes that have been received in order.
    private var bytes: Int64 = 0
    /// The number of TCP segments that have been received in any order; 0 if unknown.
    private var segments = 0

    /// The number of bytes that the link has carried so far. Bytes after a lost segment arrive before it is
    /// retransmitted.
    var carried: Int64 { max(bytes, Int64(Double(segments) * SlowStart.segment)) }

    /// Records bytes that were received in order.
    mutating func received(_ count: Int64) { bytes += count }

    /// Records TCP statistics.
    ///
    /// - Parameters:
    ///   - roundTrip: The recent round-trip time in seconds; `nil` if unknown.
    ///   - segments: The total number of TCP segments so far; 0 if unknown.
    mutating func note(roundTrip: Double?, segments: Int) {
        self.roundTrip = roundTrip ?? self.roundTrip
        self.segments = segments
    }
}

/// Decides whether a connection is so slow, or so silent, that another one should take its place.
struct CrawlRule: Equatable, Sendable {
    /// A connection is not judged before it has received for so many seconds.
    static let shortestObservation = 0.5

    /// For how many seconds a connection that has ended says how fast one can be.
    static let memory = 5.0

    /// It crawls below this part of the best speed.
    static let part = 1.0 / 8

    /// It is not worth a new connection to end it less than this many seconds early.
    static let smallestRest = 1.0

    /// A connection that has received for a while is silent after so many seconds without a byte.
    static let longestPause = 1.0

    /// Where nothing comes over any connection, one of them is given up for a fresh one after so many seconds; the
    /// next after twice as many, and so on until a byte comes: it may be the network that is silent.
    static let longestSilence = 3.0

    /// One that has not answered yet is silent after so many seconds, and not before it has taken
    /// `setupFactor` times as long as the slowest other.
    static let longestSetup = 2.0
    static let setupFactor = 4.0

    /// Bytes per second of the fastest connection.
    var best: Double

    /// The slowest first byte so far, in seconds.
    var setupTime: Double

    /// - Parameter othersReceive: Whether bytes arrive over other connections: only then it is this one's fault.
    func isToBeReplaced(_ segment: Segment, othersReceive: Bool, now: Double) -> Bool {
        guard let firstByteAt = segment.firstByteAt else {
            let patience = max(Self.longestSetup, setupTime * Self.setupFactor)
            return othersReceive && now - segment.began >= patience
        }
        guard now - firstByteAt >= Self.shortestObservation, let speed = segment.speed(at: now) else {
            return false
        }
        if othersReceive, now - (segment.lastByteAt ?? firstByteAt) >= Self.longestPause { return true }
        let rest = Double(segment.end - segment.received)
        return speed < best * Self.part && rest > max(speed, 1) * Self.smallestRest
    }
}

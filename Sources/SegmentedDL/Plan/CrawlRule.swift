/// Decides whether a connection is so slow that another one should take its place.
enum CrawlRule {
    /// A connection is not judged before it has received for so many seconds.
    static let shortestObservation = 0.5

    /// For how many seconds a connection that has ended says how fast one can be.
    static let memory = 5.0

    /// It crawls below this part of the best speed.
    static let part = 1.0 / 8

    /// It is not worth a new connection to end it less than this many seconds early.
    static let smallestRest = 1.0

    /// - Parameter best: Bytes per second of the fastest connection.
    static func isCrawling(_ segment: Segment, best: Double, now: Double) -> Bool {
        guard let firstByteAt = segment.firstByteAt, now - firstByteAt >= shortestObservation,
            let speed = segment.speed(at: now)
        else { return false }
        return speed < best * part && Double(segment.remaining) > max(speed, 1) * smallestRest
    }
}

/// The times that show the distance of a server.
package struct ServerDistance: Equatable, Sendable {
    /// Seconds. With a shorter round trip a connection costs almost nothing, and nothing is in flight.
    static let shortestRoundTrip = 0.002
    /// The divisor of the caller's minimum segment size: windows need round trips to grow, so several
    /// connections receive fewer bytes sooner.
    static let partOfMinimum: Int64 = 4

    /// Round trips until a request can be sent, with TLS 1.3.
    static let connectTrips = 2.0

    /// The maximum seconds over which the beginnings of several connections are spread.
    static let longestSpread = 1.0

    /// The round trip over a queue, as a factor of the shortest one, from which the wait in it counts.
    static let queueFactor = 2.0

    /// Seconds of a round trip.
    package let roundTrip: Double
    /// Seconds from a request to the first byte of its answer.
    package let answer: Double

    package init(roundTrip: Double, answer: Double) {
        self.roundTrip = roundTrip
        self.answer = answer
    }

    /// Seconds from a request over an open connection to the first byte of its answer.
    var turnaround: Double { max(roundTrip, answer) }

    /// Returns the seconds until the first byte over a new connection.
    ///
    /// - Parameter measured: The seconds measured once: longer, if packets were lost.
    func longestSetup(_ measured: Double) -> Double {
        max(turnaround, min(measured, turnaround + Self.connectTrips * roundTrip))
    }

    /// True if round trips matter.
    var isFar: Bool { roundTrip >= Self.shortestRoundTrip }

    /// Returns the distance while packets wait in the queue before a full line: bytes in flight, and the
    /// first bytes over a new connection, wait as well.
    ///
    /// - Parameter current: Seconds of the last round trips.
    func withQueue(_ current: Double) -> ServerDistance {
        guard current > roundTrip * Self.queueFactor else { return self }
        return ServerDistance(roundTrip: current, answer: answer + current - roundTrip)
    }

    /// Returns the seconds by which one of several connections, which are added together, is delayed.
    ///
    /// A connection in slow start sends its window as a burst in each round trip. Bursts of connections that
    /// begin together wait for one another in the queue before the line, and a server leaves slow start once
    /// its round trips become longer (HyStart++, RFC 9406). So their beginnings are spread over a round trip.
    func delay(of index: Int, among count: Int) -> Double {
        guard isFar, count > 1 else { return 0 }
        return min(roundTrip, Self.longestSpread) * Double(index + 1) / Double(count + 1)
    }

    /// Returns the minimum segment size in bytes over this distance.
    ///
    /// - Parameter minimum: The caller's minimum in bytes.
    func smallestSegment(_ minimum: Int64) -> Int64 { isFar ? max(1, minimum / Self.partOfMinimum) : minimum }
}

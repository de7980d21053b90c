/// The times that indicate the distance of a server.
package struct ServerDistance: Equatable, Sendable {
    /// In seconds. With a shorter round-trip time a connection costs almost nothing, and hardly any data is
    /// in flight.
    static let shortestRoundTrip = 0.002
    /// The divisor of the caller's minimum segment size. Windows need round trips to grow, so several
    /// connections that each receive fewer bytes finish sooner.
    static let partOfMinimum: Int64 = 4

    /// The number of round trips until a request can be sent, with TLS 1.3.
    static let connectTrips = 2.0

    /// The maximum period, in seconds, over which the starts of several connections are spread.
    static let longestSpread = 1.0

    /// The ratio of the round-trip time with a queue to the shortest one above which the queueing delay
    /// counts.
    static let queueFactor = 2.0

    /// The round-trip time in seconds.
    package let roundTrip: Double
    /// The seconds from a request to the first byte of its response.
    package let answer: Double

    /// The seconds from a request over an open connection to the first byte of its response.
    var turnaround: Double { max(roundTrip, answer) }

    /// The seconds until the first byte over one of several open connections, on average: their requests are
    /// sent one after another.
    var setupOfOpen: Double { turnaround + min(roundTrip, Self.longestSpread) / 2 }

    /// Returns the seconds until the first byte over a new connection.
    ///
    /// - Parameter measured: The time measured once, in seconds. It is longer if packets were lost.
    func longestSetup(_ measured: Double) -> Double {
        max(turnaround, min(measured, turnaround + Self.connectTrips * roundTrip))
    }

    /// True if round trips matter.
    var isFar: Bool { roundTrip >= Self.shortestRoundTrip }

    /// Returns the distance while packets wait in the queue before a saturated link. Bytes in flight, and the
    /// first bytes over a new connection, wait as well.
    ///
    /// - Parameter current: The recent round-trip time in seconds.
    func withQueue(_ current: Double) -> ServerDistance {
        guard current > roundTrip * Self.queueFactor else { return self }
        return ServerDistance(roundTrip: current, answer: answer + current - roundTrip)
    }

    /// Returns the seconds by which to delay one of several connections that are opened together.
    ///
    /// A connection in slow start sends its window as a burst in each round trip. The bursts of connections
    /// that begin at the same time wait for one another in the queue before the link, and a server leaves
    /// slow start once its round-trip time increases (HyStart++, RFC 9406). Their starts are therefore spread
    /// over a round trip.
    func delay(of index: Int, among count: Int) -> Double {
        guard isFar, count > 1 else { return 0 }
        return min(roundTrip, Self.longestSpread) * Double(index + 1) / Double(count + 1)
    }

    /// Returns the minimum segment size, in bytes, for this distance.
    ///
    /// - Parameter minimum: The caller's minimum, in bytes.
    func smallestSegment(_ minimum: Int64) -> Int64 { isFar ? max(1, minimum / Self.partOfMinimum) : minimum }
}

/// The times that tell how far away a server is.
package struct ServerDistance: Equatable, Sendable {
    /// Seconds. Over a shorter round trip a connection costs next to nothing, and nothing is under way.
    static let shortestRoundTrip = 0.002
    /// The divisor of the smallest segment that the caller wants: windows need round trips to grow, so
    /// several connections bring fewer bytes sooner.
    static let partOfMinimum: Int64 = 4

    /// Round trips until a request can be sent, with TLS 1.3.
    static let connectTrips = 2.0

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
    /// - Parameter measured: The seconds that it took once: longer, if packets were lost.
    func longestSetup(_ measured: Double) -> Double {
        max(turnaround, min(measured, turnaround + Self.connectTrips * roundTrip))
    }

    /// True if round trips count.
    var isFar: Bool { roundTrip >= Self.shortestRoundTrip }

    /// Returns the smallest segment in bytes over this distance.
    ///
    /// - Parameter minimum: The smallest one in bytes that the caller wants.
    func smallestSegment(_ minimum: Int64) -> Int64 { isFar ? max(1, minimum / Self.partOfMinimum) : minimum }
}

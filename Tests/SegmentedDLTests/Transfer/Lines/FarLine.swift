import Foundation
import TestSupport

/// A line with TCP, and the server at its end. `Scripts/bench --only 'real-*'` measures the same with real
/// packets.
struct FarLine: Sendable {
    var roundTrip: Double
    /// Bytes of a file per second.
    var rate: Double
    /// The size of the queue before the bottleneck in bytes.
    var queue: Double
    /// The fraction of packets lost at random.
    var loss = 0.0
    /// Round trips before a request can be sent: 2 with TLS.
    var setupTrips = 1.0
    /// Seconds that the server takes before each response.
    var latency = 0.0
    /// The server's limit per connection in bytes per second.
    var each = Double.infinity
    /// The maximum number of connections served concurrently. Others are accepted, but get no response.
    var most = Int.max

    init(milliseconds: Double, megabits: Double, loss: Double = 0, queue: Double? = nil) {
        roundTrip = milliseconds / 1000
        rate = megabits * 1e6 / 8 * 1448 / 1514
        self.loss = loss
        self.queue = queue ?? roundTrip * rate
    }

    static let far = FarLine(milliseconds: 150, megabits: 200, loss: 0.0005)
    static let lossy = FarLine(milliseconds: 80, megabits: 100, loss: 0.005)
    static let satellite = FarLine(milliseconds: 600, megabits: 20, loss: 0.001)
    static let cable = FarLine(milliseconds: 30, megabits: 100)

    /// A line whose queue holds a second.
    static let bloated = FarLine(milliseconds: 20, megabits: 20, queue: 2_500_000)

    func with(_ change: (inout FarLine) -> Void) -> FarLine {
        var changed = self
        change(&changed)
        return changed
    }

    /// The seconds on a line that is full from the first response on.
    func ideal(_ bytes: Int64) -> Double {
        Double(bytes) / rate + (setupTrips + 1) * roundTrip + latency
    }

    /// A random line from a seed, and a file that it transfers in at most twelve seconds.
    static func random(seed: UInt64) -> (line: FarLine, bytes: Int64) {
        var random = SplitMix64(seed: seed)
        func power(_ range: ClosedRange<Double>) -> Double { pow(10, .random(in: range, using: &random)) }
        var line = FarLine(
            milliseconds: power(0.7...2.8), megabits: power(0.7...2.9),
            loss: random.happens(50) ? power(-4 ... -2.3) : 0)
        line.queue *= power(-1...0.5)
        line.setupTrips = random.happens(50) ? 2 : 1
        if random.happens(20) { line.latency = power(-2 ... -0.5) }
        if random.happens(20) { line.each = line.rate / power(0...1) }
        let bytes = Int64(line.rate * power(-1...1.1))
        return (line, max(min(bytes, 512 << 20), 100_000))
    }
}

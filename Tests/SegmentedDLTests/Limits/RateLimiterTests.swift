import SegmentedDLSupport
import Testing

@testable import SegmentedDL

@Suite("A speed that transfers share")
struct RateLimiterTests {
    private static let piece = 16_384

    /// Serves transfers that always have bytes, each time in the same order, as an engine does.
    ///
    /// - Returns: The bytes that each of them received.
    private func received(_ transfers: [Int], rate: Int64, seconds: Double) -> [Int] {
        let limiter = RateLimiter(rate: rate)
        var received = transfers.map { _ in 0 }
        var due = transfers.map { _ in 0.0 }
        var now = 0.0
        while now < seconds {
            for (index, id) in transfers.enumerated() where due[index] <= now {
                while true {
                    if let ready = limiter.waits(id, now: now) {
                        due[index] = min(ready, now + 0.25)
                        break
                    }
                    limiter.spend(Self.piece, by: id, now: now)
                    received[index] += Self.piece
                }
            }
            now = max(due.min() ?? seconds, now + 1e-6)
        }
        return received
    }

    @Test(
        "is shared evenly, whatever the order in which they are served",
        arguments: [100_000, 500_000, 100_000_000] as [Int64], [1, 2, 5, 40])
    func even(rate: Int64, count: Int) {
        let seconds = rate > 1_000_000 ? 4.0 : 40.0
        let received = received(Array(1...count), rate: rate, seconds: seconds)
        let total = Double(rate) * seconds
        let sum = Double(received.reduce(0, +))
        #expect(sum > total * 0.98 && sum < total * 1.02 + Double(rate) / 10, "\(sum) of \(total)")
        let share = total / Double(count)
        // A turn, and a piece, are more or less by chance.
        let turn = Double(max(Self.piece, Int(rate) / 50)) + Double(Self.piece)
        #expect(received.allSatisfy { abs(Double($0) - share) <= share * 0.1 + 2 * turn }, "\(received)")
    }

    @Test("goes to the others when one has ended while it waited")
    func ended() {
        let limiter = RateLimiter(rate: 1000)
        limiter.spend(2000, by: 9, now: 0)
        #expect(limiter.waits(1, now: 0) != nil)
        #expect(limiter.waits(2, now: 0.4) != nil)
        // Transfer 1 came first, and does not ask again.
        #expect(limiter.waits(2, now: 3) == nil)
    }

    @Test("holds bytes back until they may pass, and for a moment longer, or until its rate changes")
    func held() {
        let limiter = RateLimiter(rate: 1000)
        #expect(!limiter.hasHeld(within: 1, now: 0))
        limiter.spend(3000, by: 1, now: 0)
        #expect(limiter.waits(1, now: 0) != nil)
        #expect(limiter.hasHeld(within: 0.25, now: 2.9) && limiter.hasHeld(within: 0.25, now: 3.2))
        #expect(!limiter.hasHeld(within: 0.25, now: 3.3))
        let now = Monotonic.now()
        limiter.spend(3_000_000, by: 1, now: now)
        #expect(limiter.waits(1, now: now) != nil)
        limiter.setRate(nil)
        #expect(!limiter.hasHeld(within: 1, now: now + 60))
    }
}

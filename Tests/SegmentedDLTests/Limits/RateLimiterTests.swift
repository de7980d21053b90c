import SegmentedDLSupport
import Testing

@testable import SegmentedDL

@Suite("A rate shared by transfers")
struct RateLimiterTests {
    private static let piece = 16_384

    /// Serves transfers that always have bytes in a fixed order, like an engine.
    ///
    /// - Returns: The bytes received by each of them.
    private func received(_ transfers: [Int], rate: Int64, seconds: Double) -> [Int] {
        let limiter = RateLimiter(rate: rate)
        return received(transfers.map { ($0, [limiter]) }, seconds: seconds)
    }

    private func received(_ transfers: [(id: Int, limiters: [RateLimiter])], seconds: Double) -> [Int] {
        var received = transfers.map { _ in 0 }
        var due = transfers.map { _ in 0.0 }
        var now = 0.0
        while now < seconds {
            for (index, (id, limiters)) in transfers.enumerated() where due[index] <= now {
                while true {
                    if let ready = limiters.waits(id, now: now) {
                        due[index] = min(ready, now + 0.25)
                        break
                    }
                    limiters.spend(Self.piece, by: id, now: now)
                    received[index] += Self.piece
                }
            }
            now = max(due.min() ?? seconds, now + 1e-6)
        }
        return received
    }

    @Test(
        "is shared evenly, in any order of service",
        arguments: [100_000, 500_000, 100_000_000] as [Int64], [1, 2, 5, 40])
    func even(rate: Int64, count: Int) {
        let seconds = rate > 1_000_000 ? 4.0 : 40.0
        let received = received(Array(1...count), rate: rate, seconds: seconds)
        let total = Double(rate) * seconds
        let sum = Double(received.reduce(0, +))
        #expect(sum > total * 0.98 && sum < total * 1.02 + Double(rate) / 10, "\(sum) of \(total)")
        let share = total / Double(count)
        // A turn and a piece may be more or less by chance.
        let turn = Double(max(Self.piece, Int(rate) / 50)) + Double(Self.piece)
        #expect(received.allSatisfy { abs(Double($0) - share) <= share * 0.1 + 2 * turn }, "\(received)")
    }

    /// Rates of each file and of all files, the number of files, and the number of transfers of each.
    struct Both: Sendable {
        var perFile: Int64
        var all: Int64
        var files: Int
        var transfers: Int
    }

    @Test(
        "is the smaller of two limits, one of each file and one of all",
        arguments: [
            Both(perFile: 500_000, all: 1_000_000, files: 1, transfers: 4),
            Both(perFile: 1_000_000, all: 1_000_000, files: 1, transfers: 4),
            Both(perFile: 2_000_000, all: 1_000_000, files: 1, transfers: 4),
            Both(perFile: 100_000_000, all: 1_000_000, files: 1, transfers: 2),
            Both(perFile: 40_000_000, all: 20_000_000, files: 1, transfers: 16),
            Both(perFile: 700_000, all: 1_000_000, files: 2, transfers: 3),
            Both(perFile: 200_000, all: 2_000_000, files: 5, transfers: 2),
        ])
    func both(_ limits: Both) {
        let all = RateLimiter(rate: limits.all)
        var transfers: [(id: Int, limiters: [RateLimiter])] = []
        for file in 0..<limits.files {
            let one = RateLimiter(rate: limits.perFile, isOfFile: true)
            transfers += (0..<limits.transfers).map { (file * limits.transfers + $0, [one, all]) }
        }
        let seconds = 20.0
        let received = received(transfers, seconds: seconds)
        let total = Double(min(limits.all, limits.perFile * Int64(limits.files))) * seconds
        let sum = Double(received.reduce(0, +))
        #expect(sum > total * 0.95 && sum < total * 1.05, "\(sum / total)")
        #expect(received.allSatisfy { Double($0) > total / Double(transfers.count) / 2 }, "\(received)")
    }

    @Test("is stated as the share of each transfer that takes turns")
    func share() {
        let limiter = RateLimiter(rate: 1000)
        #expect([RateLimiter]().share(now: 0) == nil)
        #expect([RateLimiter(rate: nil)].share(now: 0) == nil)
        #expect([limiter].share(now: 0) == 1000)
        limiter.spend(2000, by: 9, now: 0)
        for id in 1...4 { #expect(limiter.waits(id, now: 0) != nil) }
        #expect([limiter].share(now: 0) == 250)
        #expect([limiter, RateLimiter(rate: 100)].share(now: 0) == 100)
        // Four have ended, and one has its turn.
        #expect(limiter.waits(5, now: 3) == nil)
        #expect([limiter].share(now: 3) == 1000)
    }

    @Test("goes to the others when one has ended while it waited")
    func ended() {
        let limiter = RateLimiter(rate: 1000)
        limiter.spend(2000, by: 9, now: 0)
        #expect(limiter.waits(1, now: 0) != nil)
        #expect(limiter.waits(2, now: 0.4) != nil)
        // Transfer 1 was first, and does not poll again.
        #expect(limiter.waits(2, now: 3) == nil)
    }

    @Test("holds bytes back until they may pass, and slightly longer, or until its rate changes")
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

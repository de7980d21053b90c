import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The token bucket")
struct TokenBucketTests {
    /// Passes pieces as fast as the bucket allows.
    ///
    /// - Returns: The bytes passed until `end`.
    private func pass(_ bucket: inout TokenBucket, piece: Int, from start: Double, to end: Double) -> Int {
        var now = start
        var passed = 0
        while now < end {
            if let due = bucket.waits(now: now) {
                now = due
                continue
            }
            bucket.spend(piece, now: now)
            passed += piece
        }
        return passed
    }

    @Test(
        "in the long run exactly the rate passes",
        arguments: [1, 1000, 65_536, 1_000_000, 1 << 30] as [Int64], [1, 1460, 16_384])
    func longRun(rate: Int64, piece: Int) {
        // Long enough for many pieces, but not too many steps.
        let seconds = min(2_000_000 / max(1, Double(rate) / Double(piece)), 1e6) / 100
        var bucket = TokenBucket(rate: rate)
        let passed = Double(pass(&bucket, piece: piece, from: 50, to: 50 + seconds))
        let expected = Double(rate) * seconds
        #expect(abs(passed - expected) <= Double(piece) + Double(rate) / 20 + expected * 1e-6)
    }

    @Test("idle time accumulates no tokens", arguments: [1, 1000, 1_000_000] as [Int64])
    func idle(rate: Int64) {
        var bucket = TokenBucket(rate: rate)
        _ = pass(&bucket, piece: 100, from: 0, to: 10)
        // An hour later: at most a twentieth of a second's bytes, and one piece, pass in one moment.
        var passed = 0
        while bucket.waits(now: 3600 + 1e6) == nil {
            bucket.spend(100, now: 3600 + 1e6)
            passed += 100
        }
        #expect(Double(passed) <= max(Double(rate) / 20, 1) + 100)
    }

    @Test("without a rate everything passes")
    func unlimited() {
        var bucket = TokenBucket(rate: nil)
        bucket.spend(1 << 40, now: 0)
        let due = bucket.waits(now: 0)
        #expect(due == nil)
    }

    @Test("a debt delays later bytes")
    func debt() throws {
        var bucket = TokenBucket(rate: 1000)
        bucket.spend(5000, now: 10)
        let waits = bucket.waits(now: 10)
        let due = try #require(waits)
        #expect(due > 15 && due <= 15.01)
        let later = bucket.waits(now: due)
        #expect(later == nil)
    }

    @Test("the delay is never negative")
    func ahead() {
        let seed: UInt64 = 60
        var random = SplitMix64(seed: seed)
        var bucket = TokenBucket(rate: 1000)
        var now = 0.0
        for round in 0..<5000 {
            now += .random(in: 0...0.1, using: &random)
            if let due = bucket.waits(now: now) {
                #expect(due > now, "seed \(seed), round \(round)")
            } else {
                bucket.spend(.random(in: 1...200, using: &random), now: now)
            }
        }
    }

    @Test("a new rate applies at once")
    func change() {
        var bucket = TokenBucket(rate: 1000)
        let slow = pass(&bucket, piece: 10, from: 0, to: 10)
        bucket.setRate(100_000, now: 10)
        let fast = pass(&bucket, piece: 10, from: 10, to: 20)
        bucket.setRate(1000, now: 20)
        let slowAgain = pass(&bucket, piece: 10, from: 20, to: 30)
        #expect(abs(slow - 10_000) <= 70)
        #expect(abs(fast - 1_000_000) <= 5100)
        #expect(abs(slowAgain - 10_000) <= 70)
        #expect(bucket.rate == 1000)
    }

    @Test("a limit that is removed and set again starts without tokens")
    func offAndOn() {
        var bucket = TokenBucket(rate: 1000)
        _ = pass(&bucket, piece: 10, from: 0, to: 1)
        bucket.setRate(nil, now: 1)
        let free = bucket.waits(now: 2)
        #expect(free == nil)
        bucket.setRate(1000, now: 100)
        let limited = bucket.waits(now: 100)
        #expect(limited != nil)
    }
}

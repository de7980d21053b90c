import Testing

@testable import SegmentedDL

/// The effects on the plan are tested in `CrawlTests`, `SilenceTests`, `ReliefTests` and `RelianceTests`.
@Suite("The policy for slow connections")
struct SlowConnectionPolicyTests {
    /// Connections that have received for a second, each at its own speed in bytes per second.
    private func segments(_ speeds: [Int64]) -> SegmentList {
        var list = SegmentList()
        for (id, speed) in speeds.enumerated() {
            let start = Int64(id) * 100_000_000
            var segment = Segment(
                id: id, start: start, claimed: start, received: start, end: start + 100_000_000,
                bodyEnd: start + 100_000_000, began: 0)
            segment.isAnswered = true
            for step in 0...10 as ClosedRange<Int64> {
                segment.arrived(upTo: start + speed * step / 10, now: Double(step) / 10)
            }
            list[id] = segment
        }
        return list
    }

    @Test("lists those much slower than the best, and changes none")
    func slow() {
        var policy = SlowConnectionPolicy()
        policy.bytesCame(now: 1)
        let segments = segments([1_000_000, 10_000, 900_000, 20_000])
        #expect(policy.slow(in: segments, now: 1) == [1, 3])
        #expect(policy.silent(in: segments, now: 1) == nil)
    }

    @Test("lists those much slower than others that ended too soon for a speed")
    func besideShortOnes() {
        var policy = SlowConnectionPolicy()
        policy.bytesCame(now: 1)
        var short = Segment(
            id: 9, start: 0, claimed: 0, received: 0, end: 100_000, bodyEnd: 100_000, began: 0.5)
        short.arrived(upTo: 0, now: 0.51)
        short.claimed = 100_000
        let segments = segments([1000, 20_000])
        #expect(policy.slow(in: segments, now: 1) == [0])
        policy.ended(short, isWhole: true, now: 0.52)
        // 100,000 bytes in a second is its minimum.
        #expect(policy.slow(in: segments, now: 1) == [0])
        #expect(policy.slow(in: self.segments([1000, 1000]), now: 1) == [0, 1])
        #expect(policy.typicalSpeed(of: SegmentList(), now: 1) == nil)
    }

    @Test("lists one after three seconds of silence, and then no slow ones")
    func silent() {
        var policy = SlowConnectionPolicy()
        policy.bytesCame(now: 1)
        let segments = segments([1_000_000, 10_000])
        #expect(policy.silent(in: segments, now: 3.9) == nil)
        #expect(policy.slow(in: segments, now: 4) == [])
        #expect(policy.silent(in: segments, now: 4) == 0)
        #expect(policy.silent(in: segments, now: 4.1) == nil)
    }

    /// Returns the policy after this many silent connections were replaced, each by one whose first bytes
    /// arrived at once.
    private func policy(afterGivingUp count: Int) -> SlowConnectionPolicy {
        var policy = SlowConnectionPolicy()
        for number in 0..<count { policy.replaced(segments([1_000_000]).values[0], now: 4 + Double(number)) }
        policy.bytesCame(now: 20)
        return policy
    }

    @Test(
        "trusts the first bytes of a new one once, and then only lasting ones, or those beyond a silent one"
    )
    func heldUp() {
        // It has been silent since its first second.
        let silent = segments([1_000_000]).values[0]
        func names(_ count: Int, bytes: Int64, seconds: Double) -> Bool {
            var other = Segment(
                id: 7, start: 900_000_000, claimed: 900_000_000, received: 900_000_000, end: 990_000_000,
                bodyEnd: 990_000_000, began: 19)
            for step in 0...10 as ClosedRange<Int64> {
                other.arrived(
                    upTo: other.start + bytes * step / 10, now: 20 - seconds * Double(10 - step) / 10)
            }
            var list = SegmentList()
            (list[0], list[7]) = (silent, other)
            var policy = policy(afterGivingUp: count)
            #expect(policy.silent(in: list, now: 20) == nil)
            return policy.slow(in: list, now: 20).contains(0)
        }
        #expect(names(1, bytes: 100_000, seconds: 0.1))
        #expect(!names(2, bytes: 100_000, seconds: 0.1))
        #expect(names(2, bytes: 1_100_000, seconds: 0.1))
        #expect(names(2, bytes: 100_000, seconds: 0.4))
        #expect(!names(3, bytes: 100_000, seconds: 0.4))
        #expect(names(3, bytes: 1_100_000, seconds: 0.4))
    }

    @Test("expects bytes of a silent one if others resumed after a silence, and limits steals accordingly")
    func expected() {
        var policy = SlowConnectionPolicy()
        let silent = segments([1_000_000]).values[0]
        #expect(!policy.isExpected(silent, now: 9) && policy.stealRisk == 0)
        // If round trips dominate, a lost packet causes as long a wait.
        policy.roundTrip = 0.1
        policy.ended(Wait(seconds: 2, isStart: false), now: 8)
        #expect(!policy.isExpected(silent, now: 3) && policy.holdUp == 0)
        policy.roundTrip = 0
        #expect(policy.isExpected(silent, now: 3) && !policy.isExpected(silent, now: 4))
        policy.ended(Wait(seconds: 10, isStart: false), now: 8)
        #expect(policy.holdUp == 10 && policy.stealRisk == 10)
        #expect(policy.isExpected(silent, now: 9) && !policy.isExpected(silent, now: 14))
        // It has just received bytes.
        #expect(!policy.isExpected(silent, now: 1.1))
    }

    @Test("a connection cut to nothing before its first byte does not count for setup times")
    func cutToNothing() {
        var policy = SlowConnectionPolicy()
        let segment = Segment(id: 0, start: 5, claimed: 5, received: 5, end: 5, bodyEnd: 9, began: 0)
        policy.ended(segment, isWhole: true, now: 20)
        #expect(policy.setupTime == 0 && policy.holdUp == 0)
    }

    @Test("judges none for a while after our own rate limit has held bytes back")
    func heldBack() {
        var policy = SlowConnectionPolicy()
        policy.heldBack(now: 1)
        let segments = segments([1_000_000, 10_000])
        #expect(policy.slow(in: segments, now: 2.9) == [])
        #expect(policy.overtaken(in: segments, now: 2.9) == [])
    }

    @Test("after three failed starts pauses new connections beside a working one: five seconds, then ten")
    func pause() {
        var policy = SlowConnectionPolicy()
        let working = segments([1_000_000])
        let failed = segments([10]).values[0]
        policy.pauseNewConnections(now: 1)
        #expect(!policy.pausesNewConnections(beside: working, now: 1))
        for _ in 1...3 { policy.replaced(failed, now: 1) }
        #expect(policy.stealRisk > 0)
        policy.pauseNewConnections(now: 1)
        #expect(policy.pausesNewConnections(beside: working, now: 1.5))
        #expect(!policy.pausesNewConnections(beside: SegmentList(), now: 1.5))
        policy.pauseNewConnections(now: 6)
        var later = working
        later[0]?.arrived(upTo: 50_000_000, now: 15)
        #expect(policy.pausesNewConnections(beside: later, now: 15.5))
        #expect(!policy.pausesNewConnections(beside: later, now: 16))
    }

    @Test("the speed of a new one is the average of active ones, else of those that have just ended")
    func typicalSpeed() throws {
        var policy = SlowConnectionPolicy()
        let segments = segments([1_000_000, 3_000_000])
        let average = try #require(policy.typicalSpeed(of: segments, now: 1))
        #expect(abs(average - 2_000_000) < 1)
        #expect(policy.typicalSpeed(of: SegmentList(), now: 1) == nil)
        policy.ended(segments.values[1], isWhole: false, now: 1)
        let ended = try #require(policy.typicalSpeed(of: SegmentList(), now: 2))
        #expect(abs(ended - 3_000_000) < 1)
        let forgotten = policy.typicalSpeed(of: SegmentList(), now: 1 + EndedConnections.memorySeconds)
        #expect(forgotten == nil)
    }
}

import Testing

@testable import SegmentedDL

@Suite("A new connection for one slowed by packet loss")
struct RenewalRuleTests {
    private static let distance = ServerDistance(roundTrip: 0.1, answer: 0.1)

    /// Where a connection is cut that receives `fast` bytes per second for a second and `slow` for two more.
    private func cut(fast: Int64, slow: Int64, end: Int64 = 100_000_000) -> (offset: Int64, claimed: Int64)? {
        var rule = RenewalRule()
        var segment = Segment(id: 0, start: 0, claimed: 0, received: 0, end: end, bodyEnd: end, began: 0)
        for step in 0..<60 {
            let now = Double(step) / 20
            segment.arrived(
                upTo: segment.received + (step < 20 ? fast : slow) / 20, roundTrip: 0.1, now: now)
            segment.claimed = segment.received
            var list = SegmentList()
            list[0] = segment
            if let cut = rule.cuts(list, carried: segment.received, over: Self.distance, now: now).first {
                return (cut.offset, segment.claimed)
            }
        }
        return nil
    }

    @Test("begins where the old one stops after two round trips")
    func renewed() throws {
        let found = cut(fast: 5_000_000, slow: 200_000)
        let cut = try #require(found)
        // The speed of the last round trip over two.
        #expect(1...500_000 ~= cut.offset - cut.claimed)
    }

    @Test(
        "does not begin if the speed has hardly changed, or the old one is nearly done, or fast",
        arguments: [
            (fast: 5_000_000, slow: 4_000_000, end: 100_000_000), (5_000_000, 200_000, 5_600_000),
            (200_000, 200_000, 100_000_000), (400_000_000, 100_000_000, 700_000_000),
        ] as [(fast: Int64, slow: Int64, end: Int64)])
    func kept(fast: Int64, slow: Int64, end: Int64) {
        #expect(cut(fast: fast, slow: slow, end: end) == nil)
    }

    @Test("gets the rest from the plan, but not under our own rate limit")
    func plan() throws {
        for isHeldBack in [false, true] {
            var plan = SegmentPlan(total: 100_000_000)
            plan.note(Self.distance)
            let segment = try plan.segment(at: 0, now: 0)
            var step = 0
            while step < 60, plan.segments[segment.id]?.end == 100_000_000 {
                let now = Double(step) / 20
                if isHeldBack { plan.heldBack(now: now) }
                let range = plan.claim(segment.id, atMost: step < 20 ? 250_000 : 10_000, now: now)
                _ = plan.note(segment.id, received: try #require(range).upperBound, now: now)
                plan.replaceSlow(now: now)
                step += 1
            }
            #expect((step < 60) == !isHeldBack)
            guard !isHeldBack else { continue }
            let new = try plan.nextSegment(now: Double(step) / 20)
            #expect(new.start == plan.segments[segment.id]?.end)
            #expect(new.end == 100_000_000)
            #expect(plan.segments[segment.id]?.isRecalled == false)
            #expect(plan.countsEachByteOnce)
        }
    }

    @Test("is compared with a window that grows by the cube of the time (RFC 9438)")
    func avoidance() {
        #expect(CongestionAvoidance.bytes(after: 2, from: 1000, over: 0.1) == 2000 + 1.6 * 14480)
        #expect(SlowStart.trips(for: 14480) == 1)
        #expect(SlowStart.trips(for: 3 * 14480) == 2)
    }
}

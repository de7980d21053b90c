import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Cutting a segment over a line with significant round trips")
struct CutRuleTests {
    private let rule = CutRule(distance: ServerDistance(roundTrip: 0.1, answer: 0.3), minimum: 262_144)

    /// A segment from byte 1000 on, whose connection has received this much at a steady speed.
    private func victim(left: Int64, speed: Double, newest: Double? = nil) -> Segment {
        var segment = Segment(
            id: 0, start: 1000, claimed: 1000, received: 1000, end: 1000, bodyEnd: .max, began: 0)
        for trip in 1...10 {
            let now = Double(trip) / 10
            let bytes = trip > 7 ? (newest ?? speed) : speed
            segment.arrived(upTo: segment.received + Int64(bytes / 10), roundTrip: 0.1, now: now)
        }
        segment.claimed = segment.received
        segment.end = segment.received + left
        return segment
    }

    private func cut(_ victim: Segment, thief: Double = 1e6) -> Int64? {
        rule.cut(victim, speed: 1e6, thief: thief, now: 1.0)
    }

    @Test("both ends finish together, the thief two responses later")
    func together() throws {
        let victim = victim(left: 6_000_000, speed: 1e6)
        let offset = try #require(cut(victim))
        #expect(offset - victim.claimed == 3_300_000)
        let quick = try #require(cut(victim, thief: 3e6))
        let ends = (Double(quick - victim.claimed) / 1e6, 0.6 + Double(victim.end - quick) / 3e6)
        #expect(abs(ends.0 - ends.1) < 1e-5)
    }

    @Test("a segment that ends within four responses is left alone")
    func late() {
        #expect(cut(victim(left: 1_200_000, speed: 1e6)) == nil)
        #expect(cut(victim(left: 1_300_000, speed: 1e6)) != nil)
        #expect(cut(victim(left: 6_000_000, speed: 1e6), thief: 0) == nil)
    }

    @Test("possible bytes in flight are left to the victim: four times those of one round trip")
    func underWay() throws {
        let growing = victim(left: 3_000_000, speed: 1e6, newest: 5e6)
        let offset = try #require(cut(growing))
        #expect((1_900_000...2_100_000).contains(offset - growing.received))
        // Too little follows it to justify a request.
        #expect(cut(victim(left: 2_100_000, speed: 1e6, newest: 5e6)) == nil)
    }

    @Test("an accelerating connection is left alone for twelve round trips")
    func starting() {
        let growing = victim(left: 3_000_000, speed: 1e6, newest: 2e6)
        #expect(rule.isStarting(growing, average: 1.3e6, now: 1))
        #expect(!rule.isStarting(growing, average: 1.4e6, now: 1))
        #expect(!rule.isStarting(growing, average: 1.3e6, now: 1.2))
        #expect(!rule.isStarting(victim(left: 3_000_000, speed: 1e6), average: 1e6, now: 1))
    }

    @Test("speeds are known after six round trips")
    func known() {
        #expect(!rule.isKnown(since: 2, now: 2.59))
        #expect(rule.isKnown(since: 2, now: 2.61))
    }
}

@Suite("Shares over a line with significant round trips")
struct DistanceShareTests {
    private func plan(
        _ total: Int64, _ connections: Int, setup: Double = 0.2, roundTrip: Double = 0.1,
        lastWaits: Bool = false
    ) -> SegmentPlan {
        var plan = SegmentPlan(total: total)
        plan.noteSetup(setup)
        plan.note(ServerDistance(roundTrip: roundTrip, answer: roundTrip))
        plan.divideByDistance(among: connections, minimum: 262_144, lastWaits: lastWaits)
        return plan
    }

    @Test("are equal for a file that takes longer than slow start")
    func long() {
        let plan = plan(64 << 20, 8)
        #expect(plan.free.count == 8)
        #expect(plan.free.allSatisfy { abs($0.length - 8 << 20) <= 4096 })
        #expect(plan.countsEachByteOnce)
    }

    @Test("are longer for the connection that has begun, so that all end together")
    func short() throws {
        let plan = plan(4 << 20, 8)
        #expect(plan.free.count == 8)
        let (first, second) = (try #require(plan.free.first), plan.free[1])
        // Two round trips later, the windows of the others are a quarter of the first one's.
        #expect((3...5).contains(first.length / second.length))
        #expect(plan.countsEachByteOnce)
    }

    @Test("are shorter for it if the others are already open")
    func open() throws {
        var plan = SegmentPlan(total: 4 << 20)
        plan.noteSetup(0.3)
        let distance = ServerDistance(roundTrip: 0.1, answer: 0.1)
        plan.note(distance)
        plan.divideByDistance(among: 8, minimum: 262_144, setup: distance.setupOfOpen)
        let (first, second) = (try #require(plan.free.first), plan.free[1])
        // One and a half round trips later, the windows of the others are a third of the first one's.
        #expect((2.5...3.2).contains(Double(first.length) / Double(second.length)))
        #expect(plan.countsEachByteOnce)
    }

    @Test("are shorter for a connection that must wait, and none if it would have to wait for too long")
    func late() throws {
        let long = plan(64 << 20, 8, lastWaits: true)
        #expect(long.free.count == 8)
        let (other, last) = (long.free[6], try #require(long.free.last))
        #expect(abs(last.length * 4 - other.length * 3) <= 16384)
        #expect(long.countsEachByteOnce)
        #expect(plan(4 << 20, 8, lastWaits: true).free == plan(4 << 20, 7).free)
        let two = plan(64 << 20, 2, lastWaits: true)
        #expect(two.free.count == 2 && two.free[1].length < two.free[0].length)
        #expect(two.countsEachByteOnce)
    }

    @Test("do not include the packets lost by the first connection")
    func slowSetup() {
        #expect(plan(4 << 20, 8, setup: 3).free.count >= 7)
        let distance = ServerDistance(roundTrip: 0.1, answer: 0.3)
        for (measured, seconds) in [(0.2, 0.3), (0.4, 0.4), (1.4, 0.5)] {
            #expect(abs(distance.longestSetup(measured) - seconds) < 1e-9)
        }
    }

    @Test("are fewer than the connections if they would be too short for a request")
    func few() {
        for total in [1, 262_144, 524_288, 700_000, 1_500_000, 3_000_000] as [Int64] {
            let plan = plan(total, 16)
            #expect(plan.countsEachByteOnce)
            #expect(plan.free.dropFirst().allSatisfy { $0.length >= 262_144 }, "\(total)")
        }
        #expect(plan(524_288, 16).free.count == 1)
    }

    @Test("of a file with gaps are at most equal ones")
    func gaps() {
        var plan = SegmentPlan(total: 8 << 20, written: ByteRangeSet((2 << 20)..<(4 << 20)))
        plan.note(ServerDistance(roundTrip: 0.1, answer: 0.1))
        plan.divideByDistance(among: 4, minimum: 262_144)
        #expect(plan.free.count >= 4)
        #expect(plan.free.allSatisfy { $0.length <= 1_572_864 + 4096 })
        #expect(plan.countsEachByteOnce)
    }

    @Test("are as for short round trips if round trips are short, or pieces are fetched in order")
    func near() {
        var plan = SegmentPlan(total: 8 << 20)
        plan.note(ServerDistance(roundTrip: 0.0019, answer: 1))
        #expect(plan.distance == nil)
        plan.note(nil)
        #expect(plan.distance == nil)
    }

    @Test("give each connection work at once, and are cut once speeds are known and nothing is free")
    func cut() throws {
        var plan = plan(8 << 20, 4)
        plan.minimum = 1 << 20
        let slow = try plan.segment(at: 0, bodyEnd: 8 << 20, now: 0)
        #expect(plan.openings(now: 0, atMost: 16) == 3)
        let quick = try (1...3).map { _ in try plan.nextSegment(now: 0) }
        for tick in 1...20 {
            let now = Double(tick) / 20
            for segment in quick { receive(&plan, segment, 4e6, now) }
            receive(&plan, slow, 1e5, now)
            if tick < 12 { #expect(plan.openings(now: now) == 0, "six round trips have not passed") }
        }
        let thief = try plan.nextSegment(now: 1)
        #expect(thief.end == slow.end && plan.segments[slow.id]?.end == thief.start)
        #expect(thief.start >= 100_000)
        #expect(plan.countsEachByteOnce)
    }

    private func receive(_ plan: inout SegmentPlan, _ segment: Segment, _ speed: Double, _ now: Double) {
        let arrived = min(segment.start + Int64(speed * now), segment.end)
        guard let claimed = plan.segments[segment.id]?.claimed else { return }
        plan.answered(segment.id, now: 0)
        if arrived > claimed { _ = plan.claim(segment.id, atMost: arrived - claimed, now: now) }
        _ = plan.note(segment.id, received: arrived, now: now)
        guard arrived == segment.end else { return }
        plan.wrote(segment.start..<segment.end)
        plan.release(segment.id, now: now)
    }
}

import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Cutting a segment for an idle connection")
struct StealRuleTests {
    private let mebibyte: Int64 = 1 << 20

    @Test(
        "both ends finish together",
        arguments: [
            (1e6, 1e6, 0.0), (1e6, 3e6, 0.0), (5e6, 1e6, 0.2), (1e6, 1e7, 1.5), (1e8, 1e8, 0.05),
        ])
    func together(victim: Double, thief: Double, setup: Double) throws {
        let claimed: Int64 = 12_345
        let end = claimed + 200 * mebibyte
        let rule = StealRule(setupTime: setup, thiefSpeed: thief)
        let cut = try #require(rule.cut(claimed: claimed, end: end, victimSpeed: victim))
        #expect(cut > claimed && cut < end)
        let victimEnds = Double(cut - claimed) / victim
        let thiefEnds = setup + Double(end - cut) / thief
        // The cut is rounded to a whole byte.
        #expect(abs(victimEnds - thiefEnds) <= 1 / victim + 1 / thief)
        #expect(max(victimEnds, thiefEnds) < Double(end - claimed) / victim)
    }

    @Test("a steal with more cost than benefit is not made")
    func tooDear() {
        let rule = StealRule(setupTime: 2, thiefSpeed: 1e6)
        // Without a steal the victim ends in one second.
        #expect(rule.cut(claimed: 0, end: 1_000_000, victimSpeed: 1e6) == nil)
        #expect(rule.cut(claimed: 0, end: 2_000_000, victimSpeed: 1e6) == nil)
        #expect(rule.cut(claimed: 0, end: 4_000_000, victimSpeed: 1e6) != nil)
    }

    @Test("a tiny tail is not stolen")
    func tinyTail() {
        let rule = StealRule(setupTime: 0, thiefSpeed: nil)
        let least = 2 * StealRule.smallestTailBytes
        #expect(rule.cut(claimed: 0, end: least - 1, victimSpeed: nil) == nil)
        #expect(rule.cut(claimed: 0, end: least, victimSpeed: nil) == least / 2)
        #expect(rule.cut(claimed: 7, end: 7, victimSpeed: nil) == nil)
    }

    @Test("no tail shorter than the minimum segment is stolen while no speed is known")
    func minimum() {
        let rule = StealRule(minimum: mebibyte, setupTime: 0, thiefSpeed: nil)
        #expect(rule.cut(claimed: 0, end: 2 * mebibyte, victimSpeed: nil) == mebibyte)
        #expect(rule.cut(claimed: 0, end: 2 * mebibyte - 1, victimSpeed: nil) == nil)
    }

    @Test("a thief that would get hardly anything does not steal")
    func slowThief() {
        let rule = StealRule(setupTime: 0, thiefSpeed: 1000)
        #expect(rule.cut(claimed: 0, end: 1_000_000, victimSpeed: 1e8) == nil)
    }

    @Test(
        "without a measured speed the rest is halved",
        arguments: [
            (nil, nil), (1e6, nil), (nil, 1e6), (1e6, 0),
        ] as [(Double?, Double?)])
    func unknownSpeed(victim: Double?, thief: Double?) {
        let rule = StealRule(setupTime: 5, thiefSpeed: thief)
        #expect(rule.cut(claimed: 100, end: 100 + 4 * mebibyte, victimSpeed: victim) == 100 + 2 * mebibyte)
    }

    @Test("from a stalled victim nearly everything is taken, except its claims")
    func standstill() throws {
        let rule = StealRule(setupTime: 0.1, thiefSpeed: 1e7)
        let cut = try #require(rule.cut(claimed: 5000, end: 5000 + 10 * mebibyte, victimSpeed: 0))
        #expect(cut >= 5000)
        #expect(cut < 5000 + 100)
    }

    @Test("the cut stays inside the segment, whatever the numbers")
    func inside() {
        let seed: UInt64 = 20_260_101
        var random = SplitMix64(seed: seed)
        for round in 0..<10_000 {
            let claimed = Int64.random(in: 0...(1 << 50), using: &random)
            let end = claimed + Int64.random(in: 0...(1 << 45), using: &random)
            let victim = Double.random(in: 0...1e10, using: &random)
            let rule = StealRule(
                setupTime: .random(in: 0...10, using: &random),
                thiefSpeed: .random(in: 0...1e10, using: &random))
            guard let cut = rule.cut(claimed: claimed, end: end, victimSpeed: victim) else { continue }
            #expect(
                cut >= claimed && cut <= end - StealRule.smallestTailBytes + 1, "seed \(seed), round \(round)"
            )
        }
    }
}

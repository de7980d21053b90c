import Testing

@testable import SegmentedDL

@Suite("The speeds of connections over whole seconds")
struct ConnectionPacesTests {
    /// Samples a plan with one connection five times per second. `position` is called with the seconds since
    /// the first byte.
    private func speeds(until end: Double, _ position: (Double) -> Int64) -> [Double] {
        var plan = SegmentPlan(total: 1 << 40)
        var paces = ConnectionPaces()
        var speeds: [Double] = []
        guard let segment = plan.next(now: 0) else { return [] }
        for step in 0...Int(end * 5) {
            let now = Double(step) * 0.2
            _ = plan.note(segment.id, received: position(now), now: now)
            speeds += paces.speeds(of: plan.segments.values, now: now).values
        }
        return speeds
    }

    @Test("are unknown before two seconds, and then those of the last two")
    func constant() {
        #expect(speeds(until: 1.8) { Int64($0 * 1e6) }.isEmpty)
        let known = speeds(until: 6) { Int64($0 < 3 ? $0 * 1e6 : 3e6 + ($0 - 3) * 2e6) }
        #expect(known.first.map { abs($0 - 1e6) < 1e4 } ?? false)
        #expect(known.last.map { abs($0 - 2e6) < 1e4 } ?? false)
    }

    @Test("of a server that sends a second's worth at once are even, without its burst")
    func bursts() {
        let known = speeds(until: 8) { 1_000_000 * (1 + Int64($0 + 0.05)) }
        #expect(known.count > 20)
        #expect(known.allSatisfy { abs($0 - 1e6) < 1.2e5 }, "\(known)")
    }

    @Test("of connections that have ended are forgotten")
    func ended() {
        var plan = SegmentPlan(total: 1 << 30)
        var paces = ConnectionPaces()
        guard let segment = plan.next(now: 0) else { return }
        for step in 0...10 {
            _ = plan.note(segment.id, received: Int64(step) * 1000, now: Double(step) * 0.2)
            _ = paces.speeds(of: plan.segments.values, now: Double(step) * 0.2)
        }
        #expect(paces.speeds(of: [], now: 2.2).isEmpty)
        #expect(paces.speeds(of: plan.segments.values, now: 2.4).isEmpty)
    }
}

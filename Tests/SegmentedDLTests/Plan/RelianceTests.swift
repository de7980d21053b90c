import Testing

@testable import SegmentedDL

@Suite("One working connection while others fail to start")
struct RelianceTests {
    /// 100 KB/s over the first connection; each other one receives a byte and then stalls.
    private struct Download {
        var plan = SegmentPlan(total: 1_000_000)
        private var now = 0.0
        private let first: Segment.ID
        private(set) var tried: [Double] = []

        init() throws {
            plan.divide(among: 3, minimum: 1)
            first = try plan.segment(at: 0, bodyEnd: 1_000_000, now: 0).id
        }

        /// Advances a quarter of a second, with the actions of `Transfer` in it.
        mutating func go() throws {
            while plan.segments.count < 3, ask() {}
            now += 0.25
            if let range = plan.claim(first, atMost: 25_000, now: now) { plan.wrote(range) }
            plan.replaceSlow(now: now)
            if plan.openings(now: now) == 0 { plan.replaceOvertaken(now: now) }
            for segment in plan.segments.values where segment.isRecalled {
                plan.wrote(segment.start..<(segment.start + 1))
                plan.release(segment.id, now: now)
                // It requests the next range before the others have returned theirs.
                _ = ask()
            }
        }

        private mutating func ask() -> Bool {
            guard let segment = plan.next(now: now) else { return false }
            plan.answered(segment.id, now: 0)
            _ = plan.claim(segment.id, atMost: 10_000, now: now)
            _ = plan.note(segment.id, received: segment.start + 1, now: now)
            tried.append(now)
            return true
        }
    }

    @Test("fetches their bytes, and others are tried ever more rarely")
    func reliance() throws {
        var download = try Download()
        for _ in 0..<40 { try download.go() }
        #expect(download.plan.countsEachByteOnce)
        // Ten seconds for the only working connection: nothing is left to those that would never deliver it.
        #expect(download.plan.written.byteCount > 980_000)
        #expect(download.tried.count <= 8, "\(download.tried)")
    }
}

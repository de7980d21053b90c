import Testing

@testable import SegmentedDL

@Suite("The connections of one download")
struct CrewTests {
    private func crew(_ wanted: Int) -> Crew {
        Crew(wanted: wanted, isMeasured: false, recovery: Recovery(policy: RetryPolicy(), hasAnswered: true))
    }

    private func plan(_ shares: Int) -> SegmentPlan {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: shares, minimum: 1)
        return plan
    }

    @Test("are as many as are wanted and find work")
    func add() {
        for (wanted, shares, expected) in [(4, 4, 4), (4, 2, 2), (2, 4, 2)] {
            var crew = crew(wanted)
            var plan = plan(shares)
            let added = crew.add(for: &plan, now: 0)
            #expect(added == expected)
            #expect(crew.running == expected)
        }
    }

    @Test("that are measured wait for the first one's speed, and are added only where they bring something")
    func measured() throws {
        func crew() -> Crew {
            var crew = Crew(
                wanted: 8, isMeasured: true, recovery: Recovery(policy: RetryPolicy(), hasAnswered: true))
            crew.addFirst()
            return crew
        }
        // A megabyte a second, and a tenth of a second to connect.
        for (total, expected) in [(100_000_000, 7), (150_000, 0)] as [(Int64, Int)] {
            var crew = crew()
            var plan = SegmentPlan(total: total)
            plan.noteSetup(0.1)
            let first = try plan.segment(at: 0, now: 0)
            _ = plan.claim(first.id, atMost: 1, now: 0)
            #expect(crew.add(for: &plan, now: 0.01) == 0)
            _ = plan.claim(first.id, atMost: 100_000, now: 0.1)
            _ = plan.claim(first.id, atMost: 1, now: 0.1)
            #expect(crew.add(for: &plan, now: 0.1) == expected, "\(total)")
        }
        // The first one says nothing.
        var crew = crew()
        var plan = SegmentPlan(total: 100_000_000)
        _ = plan.assign(at: 0, now: 0)
        #expect(crew.add(for: &plan, now: 0.2) == 0)
        #expect(crew.add(for: &plan, now: 0.4) == 7)
    }

    @Test("are not more than are wanted with the first response's")
    func first() {
        var crew = crew(4)
        crew.addFirst()
        var plan = plan(4)
        let added = crew.add(for: &plan, now: 0)
        #expect(added == 3)
    }

    @Test("one that has no work any more leaves its place")
    func ended() {
        var crew = crew(1)
        var plan = plan(1)
        _ = crew.add(for: &plan, now: 0)
        let decision = crew.ended(nil, plan: &plan, now: 0, jitter: 0)
        #expect(decision == nil)
        #expect(crew.running == 0)
    }

    @Test("one that is retried keeps its place, one that is dropped is not replaced")
    func failures() throws {
        var plan = plan(3)
        var crew = crew(3)
        _ = crew.add(for: &plan, now: 0)
        plan.answered(try plan.nextSegment(now: 0).id)
        plan.answered(try plan.nextSegment(now: 0).id)
        guard case .retry? = crew.ended(.shortBody, plan: &plan, now: 0, jitter: 0) else {
            Issue.record("a short body is retried")
            return
        }
        #expect(crew.running == 3)
        guard case .drop? = crew.ended(.refused(status: 403), plan: &plan, now: 0, jitter: 0) else {
            Issue.record("a refusal beside others is dropped")
            return
        }
        #expect(crew.running == 2)
        #expect(crew.wanted == 2)
    }
}

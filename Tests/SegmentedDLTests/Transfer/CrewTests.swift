import Testing

@testable import SegmentedDL

@Suite("The connections of one download")
struct CrewTests {
    private func crew(_ wanted: Int) -> Crew {
        Crew(wanted: wanted, recovery: Recovery(policy: RetryPolicy(), hasAnswered: true))
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

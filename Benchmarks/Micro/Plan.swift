import Benchmark

@testable import SegmentedDL

private let claim: Int64 = 256 * 1024

func planBenchmarks() {
    for connections in [8, 256, 1024] {
        // Enough for all that is claimed below, and to steal from.
        let total = 4 * 8192 * claim

        // One operation: a connection's share is cut and assigned to it.
        measure("plan-divide-\(connections)") { () -> SegmentPlan in
            var plan = SegmentPlan(total: total)
            plan.divide(among: connections, minimum: claim)
            for _ in 0..<connections { _ = plan.next(now: 0) }
            return plan
        }

        // 8,192 operations: a connection claims, writes and notes 256 KiB.
        measure(
            "plan-claim-8192-of-\(connections)", prepare: { atWork(connections, total) },
            job: { plan in
                for round in 0..<(8192 / connections) {
                    let now = 1 + Double(round) / 100
                    for id in 0..<connections {
                        guard let range = plan.claim(id, atMost: claim, now: now) else { continue }
                        plan.wrote(range)
                        _ = plan.note(id, received: range.upperBound, now: now)
                    }
                }
                return plan
            })

        // 10 operations: an idle connection takes the tail of a segment at work.
        measure(
            "plan-steal-10-of-\(connections)",
            prepare: {
                var plan = atWork(connections, total)
                for id in 0..<connections {
                    _ = plan.note(id, received: plan.segments[id]?.claimed ?? 0, now: 1)
                }
                return plan
            },
            job: { plan in
                var stolen = 0
                for _ in 0..<10 where plan.next(now: 1) != nil { stolen += 1 }
                precondition(stolen == 10, "Nothing was stolen.")
                return plan
            })
    }
}

/// A plan whose segments have all claimed once.
private func atWork(_ connections: Int, _ total: Int64) -> SegmentPlan {
    var plan = SegmentPlan(total: total)
    plan.divide(among: connections, minimum: claim)
    for _ in 0..<connections {
        guard let segment = plan.next(now: 0) else { continue }
        if let range = plan.claim(segment.id, atMost: claim, now: 0.1) { plan.wrote(range) }
    }
    return plan
}

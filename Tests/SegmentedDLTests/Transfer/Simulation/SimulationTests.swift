import Testing

@testable import SegmentedDL

/// All bounds are measured values, rounded up slightly. They may only be lowered: if a change exceeds one of
/// them, the change is wrong.
@Suite("The schedule of one download, in virtual time")
struct SimulationTests {
    @Test("is not much worse than one with prior knowledge of all speeds", arguments: Scenario.rows)
    func table(row: Scenario.Row) throws {
        var simulation = Simulation(row.scenario, checksOften: true)
        let outcome = simulation.run()
        #expect(outcome.complaint == nil)
        let best = try #require(row.scenario.best)
        let regret = outcome.seconds / best
        #expect(regret <= row.mostRegret, "\(outcome.seconds) s where \(best) s would do; \(outcome)")
        #expect(regret >= 1 - 1e-6, "better than the best: the bound is wrong")
        #expect(outcome.bytesTwice <= row.scenario.bytes / 100)
        // Whatever happens to the link, the number of connections is bounded.
        #expect(outcome.connectionsOpened <= 2 * row.scenario.allowedConnections + 4)
    }

    /// More take too long without the optimizer.
    private static let seeds = 0..<100 as Range<UInt64>

    @Test("of many random links is complete, and nearly optimal")
    func random() throws {
        var all = Regrets()
        // Scenarios whose file size allows all the connections of the best schedule.
        var unrestricted = Regrets()
        var bytes: Int64 = 0
        var bytesTwice: Int64 = 0
        for seed in Self.seeds {
            let scenario = Scenario.random(seed: seed)
            var simulation = Simulation(scenario)
            let outcome = simulation.run()
            #expect(outcome.complaint == nil, "seed \(seed)")
            let best = try #require(scenario.best)
            let regret = outcome.seconds / best
            if regret < 1 - 1e-6 { Issue.record("seed \(seed) is better than the best") }
            all.note(regret, seed: seed)
            if scenario.connections == scenario.allowedConnections { unrestricted.note(regret, seed: seed) }
            bytes += scenario.bytes
            bytesTwice += outcome.bytesTwice
        }
        all.expect(median: 1.12, ninthDecile: 1.78, worst: 46)
        unrestricted.expect(median: 1.07, ninthDecile: 1.39, worst: 3)
        #expect(Double(bytesTwice) <= Double(bytes) / 10_000)
    }
}

private struct Regrets {
    private var values: [(regret: Double, seed: UInt64)] = []

    mutating func note(_ regret: Double, seed: UInt64) {
        values.append((regret, seed))
    }

    func expect(median: Double, ninthDecile: Double, worst: Double) {
        let sorted = values.sorted { $0.regret < $1.regret }
        let quantiles = [sorted[sorted.count / 2], sorted[sorted.count * 9 / 10], sorted[sorted.count - 1]]
        for (quantile, most) in zip(quantiles, [median, ninthDecile, worst]) {
            #expect(quantile.regret <= most, "seed \(quantile.seed)")
        }
    }
}

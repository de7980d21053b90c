import Testing

@testable import SegmentedDL

/// All bounds here are what was measured, rounded up a little. They may only fall: where a change makes one of
/// them too small, the change is what is wrong.
@Suite("The schedule of one download, in virtual time")
struct SimulationTests {
    @Test("is not much worse than one that knew all speeds beforehand", arguments: Scenario.rows)
    func table(row: Scenario.Row) throws {
        var simulation = Simulation(row.scenario, checksOften: true)
        let outcome = simulation.run()
        #expect(outcome.complaint == nil)
        let best = try #require(row.scenario.best)
        let regret = outcome.seconds / best
        #expect(regret <= row.mostRegret, "\(outcome.seconds) s where \(best) s would do; \(outcome)")
        #expect(regret >= 1 - 1e-6, "better than the best: the bound is wrong")
        #expect(outcome.bytesTwice <= row.scenario.bytes / 100)
    }

    /// A thousand take about a second when compiled for release, and too long for every day without.
    #if DEBUG
        private static let seeds = 0..<200 as Range<UInt64>
    #else
        private static let seeds = 0..<1000 as Range<UInt64>
    #endif

    @Test("of many random links is complete, and near the best")
    func random() throws {
        var regrets: [Double] = []
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
            if regret > Self.worst { Issue.record("seed \(seed): \(outcome.seconds) s instead of \(best) s") }
            regrets.append(regret)
            bytes += scenario.bytes
            bytesTwice += outcome.bytesTwice
        }
        regrets.sort()
        #expect(regrets[regrets.count / 2] <= Self.median)
        #expect(regrets[regrets.count * 9 / 10] <= Self.ninthDecile)
        #expect(Double(bytesTwice) <= Double(bytes) * Self.partTwice)
    }

    private static let median = 1.14
    private static let ninthDecile = 2.9
    private static let worst = 46.0
    private static let partTwice = 0.001
}

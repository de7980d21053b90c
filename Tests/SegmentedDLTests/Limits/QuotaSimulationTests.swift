import Testing

@testable import SegmentedDL

@Suite("Requests to hosts that state their quotas")
struct QuotaSimulationTests {
    @Test(
        "are not refused once a response has stated the quota, in windows of all kinds",
        arguments: QuotaSimulation.Window.allCases, QuotaSimulation.Seconds.allCases)
    func obeyed(window: QuotaSimulation.Window, seconds: QuotaSimulation.Seconds) {
        for seed in 0..<150 as Range<UInt64> {
            var simulation = QuotaSimulation(window, seconds, beginsAlone: seed % 2 == 0, seed: seed)
            simulation.run()
            #expect(simulation.refused == 0 && simulation.sent < 1000, "seed \(seed)")
        }
    }
}

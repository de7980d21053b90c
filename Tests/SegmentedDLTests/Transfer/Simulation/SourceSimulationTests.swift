import Testing

@testable import SegmentedDL

/// Bounds are measured values, rounded up slightly; they may only be lowered.
@Suite("The schedule over several sources, in virtual time")
struct SourceSimulationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let speeds: [Steps]
        let connections: Int
        let most: Int
        /// Bytes per second that the sources can deliver together once all speeds are known.
        let possible: Double
        /// The maximum duration relative to that speed.
        let regret: Double
    }

    static let rows: [Row] = [
        Row(
            testDescription: "20, 10 and 5 MB/s, one connection each",
            speeds: [Steps(20e6), Steps(10e6), Steps(5e6)], connections: 3, most: 1, possible: 35e6,
            regret: 1.05),
        Row(
            testDescription: "20, 10 and 5 MB/s, two connections each",
            speeds: [Steps(5e6), Steps(10e6), Steps(20e6)], connections: 16, most: 2, possible: 70e6,
            regret: 1.05),
        Row(
            testDescription: "four connections find the fastest of three",
            speeds: [Steps(5e6), Steps(10e6), Steps(20e6)], connections: 4, most: 8, possible: 80e6,
            regret: 1.25),
        Row(
            testDescription: "one dies midway",
            speeds: [Steps(10e6), Steps(20e6).then(-1, from: 5), Steps(5e6)],
            connections: 3, most: 1, possible: 15e6, regret: 1.03),
        Row(
            testDescription: "one stalls midway",
            speeds: [Steps(10e6), Steps(20e6).then(0, from: 5), Steps(5e6)],
            connections: 3, most: 1, possible: 15e6, regret: 1.08),
        Row(
            testDescription: "one becomes slow",
            speeds: [Steps(10e6), Steps(20e6).then(1e6, from: 5), Steps(5e6)],
            connections: 3, most: 1, possible: 16e6, regret: 1.07),
    ]

    @Test("is close to the sources' capacity", arguments: rows)
    func table(row: Row) {
        let bytes: Int64 = 500 * 1024 * 1024
        var simulation = SourceSimulation(
            row.speeds.map { .init(speed: $0, most: row.most) }, .fixed(row.connections), bytes: bytes)
        let outcome = simulation.run()
        #expect(outcome.isComplete && !outcome.onlyOneIsLeft, "\(outcome)")
        // Sources that change at five seconds have delivered 35 MB/s until then.
        let changes = row.speeds.contains { $0.change(after: 0) < .infinity }
        let best = changes ? 5 + (Double(bytes) - 5 * 35e6) / row.possible : Double(bytes) / row.possible
        #expect(
            outcome.seconds <= best * row.regret, "\(outcome.seconds) s where \(best) s would do; \(outcome)")
        #expect(outcome.connections <= 60, "\(outcome)")
    }
}

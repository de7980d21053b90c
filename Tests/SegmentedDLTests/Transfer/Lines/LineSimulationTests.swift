import TestSupport
import Testing

@testable import SegmentedDL

/// Bounds are measured values, rounded up slightly: if a change exceeds one of them, the change is wrong.
@Suite("The schedule of one download over a line with TCP, in virtual time")
struct LineSimulationTests {
    /// A scene of `Scripts/bench --only 'real-*'`, and seconds measured there: the plan's on 2026-12-01
    /// (medians of five runs), and those of pieces of a prototype in Python on 2026-11-25.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let line: FarLine
        let bytes: Int64
        var automatic: Double?
        var sixteen: Double?
        var pieces: Double?

        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "far", line: .far, bytes: 64 << 20, automatic: 5.01, sixteen: 4.36, pieces: 4.83),
        Row(name: "short", line: .far, bytes: 4 << 20, automatic: 1.62, sixteen: 1.36, pieces: 1.52),
        Row(
            name: "short over TLS", line: .far.with { $0.setupTrips = 2 }, bytes: 4 << 20, automatic: 2.02,
            sixteen: 1.84),
        Row(name: "lossy", line: .lossy, bytes: 32 << 20, automatic: 5.72, sixteen: 4.50, pieces: 4.53),
        Row(
            name: "satellite", line: .satellite, bytes: 16 << 20, automatic: 13.20, sixteen: 12.67,
            pieces: 11.65),
        Row(name: "cable", line: .cable, bytes: 100 << 20, automatic: 9.03, sixteen: 9.02),
    ]

    /// Returns the median of five seeds.
    private func outcome(_ line: FarLine, _ bytes: Int64, _ policy: some LinePolicy) -> LineSimulation.Outcome
    {
        let outcomes = (1...5).map { seed in
            var simulation = LineSimulation(line, bytes: bytes, seed: UInt64(seed))
            var policy = policy
            return simulation.run(&policy)
        }
        return outcomes.sorted { $0.seconds < $1.seconds }[2]
    }

    @Test("takes about as long as over the same line with real packets", arguments: rows)
    func measured(row: Row) {
        if let seconds = row.automatic { expect(seconds, row, PlanPolicy(.automatic)) }
        if let seconds = row.sixteen { expect(seconds, row, PlanPolicy(.fixed(16))) }
        if let seconds = row.pieces { expect(seconds, row, PiecePolicy()) }
    }

    private func expect(_ seconds: Double, _ row: Row, _ policy: some LinePolicy) {
        let outcome = outcome(row.line, row.bytes, policy)
        #expect(outcome.complaint == nil)
        #expect(0.7...1.4 ~= outcome.seconds / seconds, "\(outcome)")
    }

    @Test("sends hardly anything twice, in few requests", arguments: rows)
    func sentTwice(row: Row) {
        let pieces = outcome(row.line, row.bytes, PiecePolicy())
        #expect(pieces.bytesTwice <= 0.05 * Double(row.bytes), "\(pieces)")
        for (segments, connections) in [(SegmentCount.automatic, 8), (.fixed(16), 16)] {
            let plan = outcome(row.line, row.bytes, PlanPolicy(segments))
            // A single cut is a tenth of the short file.
            let most = row.name.hasPrefix("short") ? 0.12 : 0.02
            #expect(plan.bytesTwice <= most * Double(row.bytes), "\(segments) \(plan)")
            #expect(plan.requests <= 8 * connections + Int(row.bytes >> 24), "\(segments) \(plan)")
        }
    }

    @Test(
        "keeps its connections while packets wait in a long queue",
        arguments: [SegmentCount.fixed(4), .automatic, .fixed(16)])
    func queued(segments: SegmentCount) {
        let bytes: Int64 = 32 << 20
        let outcome = outcome(.bloated, bytes, PlanPolicy(segments))
        #expect(outcome.complaint == nil)
        #expect(outcome.seconds <= 1.05 * FarLine.bloated.ideal(bytes), "\(outcome)")
        #expect(outcome.bytesTwice <= 0.05 * Double(bytes), "\(outcome)")
        #expect(outcome.connections <= 40, "\(outcome)")
    }

    @Test("gains a round trip by connections that open beside the first request", arguments: [1.0, 2])
    func early(setupTrips: Double) {
        let line = FarLine(milliseconds: 150, megabits: 200).with { $0.setupTrips = setupTrips }
        for bytes in [4 << 20, 16 << 20] as [Int64] {
            let early = outcome(line, bytes, PlanPolicy(.fixed(16)))
            let late = outcome(line, bytes, PlanPolicy(.fixed(16), mayOpenEarly: false))
            #expect(early.complaint == nil && late.complaint == nil)
            #expect(late.seconds - early.seconds >= 0.75 * line.roundTrip, "\(early) \(late)")
            #expect(early.connections <= 20, "\(early)")
        }
    }

    /// More take too long without the optimizer.
    private static let seeds = 0..<200 as Range<UInt64>

    @Test("of many random lines is complete, and sends hardly anything twice")
    func random() {
        var regrets: [Double] = []
        var bytesTwice = 0.0
        var sum: Int64 = 0
        for seed in Self.seeds {
            let (line, bytes) = FarLine.random(seed: seed)
            var simulation = LineSimulation(line, bytes: bytes, seed: seed)
            var policy = PiecePolicy.found
            let outcome = simulation.run(&policy)
            #expect(outcome.complaint == nil, "seed \(seed)")
            regrets.append(outcome.seconds / line.ideal(bytes))
            bytesTwice += outcome.bytesTwice
            sum += bytes
        }
        regrets.sort()
        #expect(regrets[regrets.count / 2] <= 1.6)
        #expect(bytesTwice <= 0.005 * Double(sum))
    }

    @Test(
        "does not wait for connections that the server accepts and does not serve", arguments: [1, 2, 4, 7])
    func places(most: Int) {
        let bytes: Int64 = 32 << 20
        let line = FarLine(milliseconds: 80, megabits: 100).with { ($0.each, $0.most) = (2e6, most) }
        for segments in [SegmentCount.automatic, .fixed(16)] {
            let outcome = outcome(line, bytes, PlanPolicy(segments))
            #expect(outcome.complaint == nil)
            let ideal = Double(bytes) / Double(min(most, 6)) / 2e6
            // Two seconds without a response show that no place is free.
            #expect(outcome.seconds <= 1.2 * ideal + 2, "\(segments) \(outcome)")
        }
    }

    @Test("is the same for the same seed")
    func repeats() {
        let seconds = (0..<2).map { _ in
            var simulation = LineSimulation(.lossy, bytes: 8 << 20, seed: 7)
            var policy = PiecePolicy()
            return simulation.run(&policy).seconds
        }
        #expect(seconds[0] == seconds[1])
    }
}

@Suite("A server's congestion window")
struct CongestionWindowTests {
    @Test("doubles each round trip as long as nothing is lost")
    func starts() {
        var window = CongestionWindow()
        for trip in 1...4 {
            window.acknowledged(window.bytes, now: Double(trip), roundTrip: 1)
            #expect(window.bytes == CongestionWindow.initial * Double(1 << trip))
        }
    }

    @Test("is reduced to seven tenths by a loss, once in a round trip, and grows back")
    func loses() {
        var window = CongestionWindow()
        for trip in 1...6 { window.acknowledged(window.bytes, now: Double(trip), roundTrip: 0.1) }
        let before = window.bytes
        window.lost(now: 10, roundTrip: 0.1)
        window.lost(now: 10.05, roundTrip: 0.1)
        #expect(window.bytes == before * 0.7)
        #expect(!window.isStarting)
        var now = 10.0
        while window.bytes < before, now < 30 {
            now += 0.1
            window.acknowledged(window.bytes, now: now, roundTrip: 0.1)
        }
        #expect(11.0...20.0 ~= now)
    }

    @Test("ends slow start when packets queue")
    func queues() {
        var window = CongestionWindow()
        window.acknowledged(window.bytes, now: 1, roundTrip: 0.1)
        window.queued(0.02, now: 1, roundTrip: 0.1)
        #expect(!window.isStarting)
    }

    @Test("is ten segments again after a pause")
    func idles() {
        var window = CongestionWindow()
        window.acknowledged(window.bytes, now: 1, roundTrip: 0.1)
        window.idled()
        #expect(window.bytes == CongestionWindow.initial)
    }
}

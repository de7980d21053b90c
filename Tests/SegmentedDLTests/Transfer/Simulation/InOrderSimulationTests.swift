import Testing

@testable import SegmentedDL

@Suite("The schedule of a download in order, in virtual time")
struct InOrderSimulationTests {
    private static let mebibyte: Int64 = 1024 * 1024

    @Test(
        "the contiguous bytes are never far behind, and the whole file is not much later",
        arguments: [SegmentCount.fixed(2), .fixed(8), .automatic])
    func equal(segments: SegmentCount) throws {
        let link = SimulatedLink(each: 8e6).with { ($0.connectTime, $0.answerTime) = (0.05, 0.05) }
        let scenario = Scenario(
            name: "in order", bytes: 512 * Self.mebibyte, segments: segments, link: link, isInOrder: true)
        var simulation = Simulation(scenario, checksOften: true)
        let outcome = simulation.run()
        #expect(outcome.complaint == nil)
        let pieces = OrderedPieces(minimum: Configuration().minimumSegmentSize)
        // Each connection may have begun the piece after the next one.
        let most = Int64(scenario.connections) * 2 * (pieces.largest + pieces.smallest)
        #expect(outcome.mostBehindGap <= most, "\(outcome)")
        // A request every half second costs a tenth of a second.
        let best = try #require(scenario.best)
        #expect(outcome.seconds <= best * 1.5, "\(outcome.seconds) s where \(best) s would do")
    }

    @Test("one slow connection delays the first bytes only briefly")
    func slow() throws {
        let link = SimulatedLink { Steps($0 == 1 ? 1e4 : 8e6) }
        let scenario = Scenario(
            name: "one crawls", bytes: 256 * Self.mebibyte, segments: .fixed(4), link: link, isInOrder: true)
        var simulation = Simulation(scenario, checksOften: true)
        let outcome = simulation.run()
        #expect(outcome.complaint == nil)
        // It is replaced within two seconds, in which the others fetch 24 MB per second.
        #expect(outcome.mostBehindGap <= 96 * Self.mebibyte, "\(outcome)")
    }
}

import Testing

@testable import SegmentedDL

@Suite("The schedule of a download behind a scanner, in virtual time")
struct ScannerSimulationTests {
    /// A way to hold answers up, and the seconds for which curl's one answer is held up.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var link: SimulatedLink
        var seconds: Double
        /// The most times that curl's time is needed, and the most requests beside one for each connection.
        var mostTimes = 1.2
        var mostMore = 0
    }

    private static let base = line(each: 8e6)

    private static func line(each speed: Double) -> SimulatedLink {
        SimulatedLink(each: speed).with { ($0.connectTime, $0.answerTime) = (0.01, 0.01) }
    }

    private static func scanned(
        _ name: String, _ scanner: Scanner, over link: SimulatedLink = base, times: Double = 1.2,
        more: Int = 0
    ) -> Way {
        Way(
            testDescription: name, link: link.with { $0.scanner = scanner }, seconds: scanner.seconds,
            mostTimes: times, mostMore: more)
    }

    private static let starting: [Way] =
        [
            scanned("a byte in 5 s, for 20 s", Scanner(passes: 1, seconds: 20, trickle: 0.2)),
            scanned("a byte in 10 s, for 90 s", Scanner(passes: 0, seconds: 90, trickle: 0.1)),
        ]
        + [2, 4].map { count in
            scanned(
                "\(count) bytes in \(5 * count) s, and then all at once",
                Scanner(passes: 0, seconds: Double(5 * count), trickle: 0.2), over: line(each: 1e8))
        }
        + [25.0, 45, 55].map { seconds in
            Way(
                testDescription: "\(Int(seconds)) s before each head",
                link: base.with { $0.answerTime = seconds }, seconds: seconds)
        }

    /// The bounds are those of several connections: each request of theirs is held up anew.
    private static let holding: [Way] = [
        scanned("all but a byte, then 20 s nothing", Scanner(passes: -1, seconds: 20), times: 1.3, more: 135),
        scanned("all but 8 KiB, then 40 s nothing", Scanner(passes: -8192, seconds: 40), more: 135),
        scanned(
            "all but 200 kB, then 20 s nothing", Scanner(passes: -200_000, seconds: 20), times: 2.4, more: 35),
        scanned("64 KiB, then 20 s nothing", Scanner(passes: 65_536, seconds: 20), times: 3.2, more: 42),
        scanned(
            "64 KiB, then a byte in 5 s for 20 s", Scanner(passes: 65_536, seconds: 20, trickle: 0.2),
            times: 2.8, more: 190),
    ]

    @Test(
        "ends in about the time of one plain request, with no more, where the first bytes are held up",
        arguments: starting, [SegmentCount.fixed(1), .fixed(8), .automatic])
    func start(way: Way, segments: SegmentCount) { check(way, segments) }

    @Test(
        "ends in about the time of one plain request where one connection's bytes are held up",
        arguments: holding)
    func one(way: Way) {
        var way = way
        (way.mostTimes, way.mostMore) = (1.2, 1)
        check(way, .fixed(1))
    }

    @Test(
        "ends where the bytes of several connections are held up midway", arguments: holding,
        [SegmentCount.fixed(8), .automatic])
    func several(way: Way, segments: SegmentCount) { check(way, segments) }

    private func check(_ way: Way, _ segments: SegmentCount) {
        for bytes in [Int64(100_000), 4_000_000, 60_000_000] {
            let scenario = Scenario(
                name: "\(way.testDescription)", bytes: bytes, segments: segments, link: way.link)
            var simulation = Simulation(scenario, checksOften: true)
            let outcome = simulation.run()
            let curl = 0.02 + way.seconds + Double(bytes) / 8e6
            #expect(outcome.complaint == nil)
            #expect(outcome.seconds <= curl * way.mostTimes, "curl: \(curl) s; \(outcome)")
            #expect(outcome.requests <= scenario.connections + way.mostMore, "\(outcome)")
        }
    }
}

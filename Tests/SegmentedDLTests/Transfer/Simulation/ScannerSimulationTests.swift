import Testing

@testable import SegmentedDL

@Suite("The schedule of a download behind a scanner, in virtual time")
struct ScannerSimulationTests {
    /// A way of delaying responses, and the seconds by which curl's single response is delayed.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var link: SimulatedLink
        var seconds: Double
        /// The maximum time relative to curl's, and the maximum number of requests beyond one per connection.
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
        + [(2.0, 20.0), (10, 20), (30, 5), (4, 2)].map { seconds, trickle in
            scanned(
                "\(trickle) bytes a second for \(seconds) s, without a pause",
                Scanner(passes: 0, seconds: seconds, trickle: trickle), times: 1.5, more: 4)
        }
        + [25.0, 45, 55].map { seconds in
            Way(
                testDescription: "\(Int(seconds)) s before each head",
                link: base.with { $0.answerTime = seconds }, seconds: seconds)
        }

    /// A second request shows whether the silence is specific to the first: it is sent after three seconds,
    /// and delayed as well.
    private static let holding: [Way] =
        [
            scanned("all but a byte, then 20 s nothing", Scanner(passes: -1, seconds: 20), more: 14),
            scanned("all but 8 KiB, then 40 s nothing", Scanner(passes: -8192, seconds: 40), more: 8),
            scanned("all but 200 kB, then 20 s nothing", Scanner(passes: -200_000, seconds: 20), more: 8),
            scanned("64 KiB, then 20 s nothing", Scanner(passes: 65_536, seconds: 20), more: 12),
            scanned(
                "64 KiB, then a byte in 5 s for 20 s", Scanner(passes: 65_536, seconds: 20, trickle: 0.2),
                more: 33),
        ]
        + [1e9, 8e6].map { speed in
            scanned(
                "half, then 15 s nothing, at \(Int(speed / 1e6)) MB/s",
                Scanner(passes: 0, part: 0.5, seconds: 15), over: line(each: speed), times: 1.3, more: 16)
        }
        + [5.0, 15, 45].map { seconds in
            scanned(
                "64 KiB, then \(Int(seconds)) s nothing, on a fast line",
                Scanner(passes: 65_536, seconds: seconds), over: line(each: 1e9),
                times: seconds < 10 ? 1.7 : 1.2, more: 12)
        }
        + [
            scanned(
                "1 MB, then 15 s nothing, on a fast line", Scanner(passes: 1_000_000, seconds: 15),
                over: line(each: 1e9), more: 20),
            scanned(
                "all but 200 kB, then 30 s nothing, on a fast line", Scanner(passes: -200_000, seconds: 30),
                over: line(each: 1e9), more: 8),
            scanned(
                "64 KiB, then a byte in 5 s for 15 s, on a fast line",
                Scanner(passes: 65_536, seconds: 15, trickle: 0.2), over: line(each: 1e9), more: 33),
        ]

    @Test(
        "takes about as long as one plain request, with no more requests, if the first bytes are held up",
        arguments: starting, [SegmentCount.fixed(1), .fixed(8), .automatic])
    func start(way: Way, segments: SegmentCount) { check(way, segments) }

    @Test(
        "takes about as long as one plain request if one connection's bytes are held up",
        arguments: holding)
    func one(way: Way) {
        var way = way
        way.mostMore = 1
        check(way, .fixed(1))
    }

    @Test(
        "ends if the bytes of several connections are held up midway", arguments: holding,
        [SegmentCount.fixed(8), .automatic])
    func several(way: Way, segments: SegmentCount) { check(way, segments) }

    @Test(
        "ends soon after one plain request if each body stalls",
        arguments: [2.0, 6, 15, 30], [0.1, 0.3, 0.5, 0.7, 0.9])
    func midway(seconds: Double, part: Double) {
        for speed in [8e6, 1e9] {
            let scanner = Scanner(passes: 0, part: part, seconds: seconds)
            let link = Self.line(each: speed).with { $0.scanner = scanner }
            for bytes in [Int64(60_000), 4_000_000, 60_000_000] {
                for segments in [SegmentCount.fixed(1), .fixed(4), .fixed(8), .automatic] {
                    var simulation = Simulation(
                        Scenario(name: "midway", bytes: bytes, segments: segments, link: link))
                    let outcome = simulation.run()
                    let curl = 0.02 + seconds + Double(bytes) / speed
                    // A first silence is ended after some seconds, because most affect only one connection.
                    #expect(
                        outcome.seconds <= 1.25 * curl + 4, "\(segments) \(bytes) at \(speed): \(outcome)")
                    #expect(outcome.requests <= 40, "\(segments) \(bytes) at \(speed): \(outcome)")
                }
            }
        }
    }

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

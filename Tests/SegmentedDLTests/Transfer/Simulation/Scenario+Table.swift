import Testing

@testable import SegmentedDL

extension Scenario {
    /// A scenario, and its maximum duration relative to the best schedule.
    struct Row: Sendable, CustomTestStringConvertible {
        let scenario: Scenario
        /// The measured value, rounded up slightly. It may only be lowered.
        let mostRegret: Double

        var testDescription: String { scenario.name }

        init(
            _ name: String, _ segments: SegmentCount, megabytes: Int64, regret: Double, _ link: SimulatedLink
        ) {
            scenario = Scenario(name: name, bytes: megabytes * 1_000_000, segments: segments, link: link)
            mostRegret = regret
        }
    }

    private static let megabyte = 1e6

    /// A wide-area network: a round trip of 50 ms, two of them to connect.
    private static func wide(_ link: SimulatedLink) -> SimulatedLink {
        link.with {
            $0.connectTime = 0.1
            $0.answerTime = 0.05
        }
    }

    /// Connections with the given speeds, except those selected by `slow`, whose speed changes to `then` at a
    /// given time.
    private static func mixed(
        _ speed: Double, then slow: Double, from time: Double = -1,
        where isSlow: @escaping @Sendable (Int) -> Bool
    ) -> SimulatedLink {
        wide(SimulatedLink { isSlow($0) ? Steps(speed).then(slow, from: time) : Steps(speed) })
    }

    /// By default each connection gets 2 MB/s.
    static let rows: [Row] = even + capped + crawling + stalling + changing

    private static let even: [Row] = [
        Row("one connection", .fixed(1), megabytes: 20, regret: 1.01, wide(SimulatedLink(each: 2e6))),
        Row(
            "limited per connection", .fixed(8), megabytes: 100, regret: 1.02, wide(SimulatedLink(each: 2e6))),
        Row(
            // It waits 0.06 s for a first speed.
            "limited per connection, auto", .automatic, megabytes: 100, regret: 1.04,
            wide(SimulatedLink(each: 2e6))),
        Row("a small file", .fixed(8), megabytes: 3, regret: 2.32, wide(SimulatedLink(each: 2e6))),
        Row("a small file, auto", .automatic, megabytes: 3, regret: 1.48, wide(SimulatedLink(each: 2e6))),
        Row(
            "a shared bottleneck", .fixed(8), megabytes: 100, regret: 1.02,
            wide(SimulatedLink(each: 12e6)).with { $0.addresses[0].capacity = Steps(12e6) }),
        Row(
            "slow start", .fixed(8), megabytes: 50, regret: 1.04,
            wide(SimulatedLink(each: 4e6)).with { $0.slowStart = .init(initial: 140_000, roundTrip: 0.1) }),
        Row(
            "speeds from 1 to 8", .fixed(8), megabytes: 100, regret: 1.47,
            wide(SimulatedLink { Steps(Double($0 % 8 + 1) * 500_000) })),
        Row(
            "two addresses, ten times as fast", .fixed(8), megabytes: 100, regret: 1.01,
            wide(SimulatedLink(each: 20e6)).with {
                $0.addresses = [.init(capacity: Steps(10e6)), .init(capacity: Steps(1e6))]
            }),
        Row(
            "an answer takes a second", .fixed(8), megabytes: 100, regret: 1.03,
            SimulatedLink(each: 2e6).with { $0.answerTime = 1 }),
        Row(
            "an answer takes 100 ms", .fixed(8), megabytes: 30, regret: 1.04,
            SimulatedLink(each: 2e6).with { $0.answerTime = 0.1 }),
    ]

    private static let capped: [Row] = [
        Row(
            "three per address, then 503", .fixed(8), megabytes: 60, regret: 1.05,
            wide(SimulatedLink(each: 2e6)).with { $0.addresses[0].most = 3 }),
        Row(
            "three per address, then a reset", .fixed(8), megabytes: 60, regret: 1.05,
            wide(SimulatedLink(each: 2e6)).with {
                $0.addresses[0].most = 3
                $0.refusal = .reset
            }),
        Row(
            "one per address, then 503", .fixed(8), megabytes: 20, regret: 1.01,
            wide(SimulatedLink(each: 2e6)).with { $0.addresses[0].most = 1 }),
    ]

    private static let crawling: [Row] = [
        Row(
            "every fifth crawls", .fixed(8), megabytes: 100, regret: 1.07,
            mixed(2e6, then: 60_000) { $0 % 5 == 4 }),
        Row(
            "every fifth crawls, 16 connections", .fixed(16), megabytes: 200, regret: 1.06,
            mixed(2e6, then: 60_000) { $0 % 5 == 4 }),
        Row(
            "every fifth crawls, the first too", .fixed(8), megabytes: 100, regret: 1.07,
            mixed(2e6, then: 60_000) { $0 % 5 == 0 }),
        Row(
            "every second crawls", .fixed(4), megabytes: 40, regret: 1.2,
            mixed(2e6, then: 60_000) { $0 % 2 == 1 }),
        Row(
            "the only one crawls", .fixed(1), megabytes: 20, regret: 32.56,
            mixed(2e6, then: 60_000) { $0 == 0 }),
        Row(
            "a fifth of the speed", .fixed(8), megabytes: 100, regret: 1.16,
            mixed(2e6, then: 400_000) { $0 % 5 == 4 }),
        Row(
            "one begins to crawl at 95 %", .fixed(8), megabytes: 100, regret: 1.13,
            mixed(2e6, then: 20_000, from: 6.1) { $0 == 3 }),
        Row(
            "one becomes eight times as slow at 95 %", .fixed(8), megabytes: 100, regret: 1.16,
            mixed(2e6, then: 260_000, from: 6.1) { $0 == 3 }),
    ]

    private static let stalling: [Row] = [
        Row(
            "one stalls at 90 %", .fixed(8), megabytes: 100, regret: 1.06,
            mixed(2e6, then: 0, from: 5.8) { $0 == 3 }),
        Row(
            "the only one stalls at 90 %", .fixed(1), megabytes: 20, regret: 1.34,
            mixed(2e6, then: 0, from: 9) { $0 == 0 }),
        Row(
            // Three seconds of silence: a server that scans each response would start again.
            "all of the first eight stall midway", .fixed(8), megabytes: 100, regret: 1.57,
            mixed(2e6, then: 0, from: 3) { $0 < 8 }),
        Row(
            "all but one stall midway", .fixed(8), megabytes: 100, regret: 1.22,
            mixed(2e6, then: 0, from: 3) { (1..<8).contains($0) }),
        Row(
            "every fifth never answers", .fixed(8), megabytes: 100, regret: 1.19,
            mixed(2e6, then: 0) { $0 % 5 == 4 }),
        Row(
            "only the first ever answers", .fixed(4), megabytes: 20, regret: 1.1,
            mixed(2e6, then: 0) { $0 > 0 }),
        Row(
            "nothing comes for three seconds", .fixed(8), megabytes: 100, regret: 1.02,
            wide(SimulatedLink { _ in Steps(2e6).then(0, from: 3).then(2e6, from: 6) })),
    ]

    /// Nothing for most of each second, then all of it: some servers limit a rate this way.
    private static func bursts(_ number: Int) -> Steps {
        let phase = Double(number % 10) / 10
        return (0..<40).reduce(Steps(0)) { steps, second in
            steps.then(20e6, from: Double(second) + phase).then(0, from: Double(second) + phase + 0.1)
        }
    }

    private static let changing: [Row] = [
        Row(
            "bytes come in bursts", .fixed(8), megabytes: 100, regret: 2.14,
            wide(SimulatedLink { bursts($0) })),
        Row(
            "bytes come in bursts, one connection", .fixed(1), megabytes: 10, regret: 1.66,
            wide(SimulatedLink { bursts($0) })),
        Row(
            "the link gets twenty times as slow near the end", .fixed(8), megabytes: 60, regret: 3.33,
            wide(SimulatedLink { Steps(Double($0 % 8 + 8) * 1e5) }).with {
                $0.addresses[0].capacity = Steps(12e6).then(6e5, from: 6)
            }),
        Row(
            "the link gets four times as slow midway", .fixed(8), megabytes: 60, regret: 1.02,
            wide(SimulatedLink(each: 4e6)).with { $0.addresses[0].capacity = Steps(12e6).then(3e6, from: 3) }),
        Row(
            "the link gets four times as fast midway", .fixed(8), megabytes: 60, regret: 1.01,
            wide(SimulatedLink(each: 4e6)).with { $0.addresses[0].capacity = Steps(3e6).then(12e6, from: 8) }),
        Row(
            "half of them get ten times as slow midway", .fixed(8), megabytes: 100, regret: 1.13,
            mixed(2e6, then: 200_000, from: 3) { $0 < 8 && $0 % 2 == 0 }),
        Row(
            "half of them get five times as slow midway", .fixed(8), megabytes: 100, regret: 1.43,
            mixed(2e6, then: 400_000, from: 3) { $0 < 8 && $0 % 2 == 0 }),
        Row(
            "speeds swap midway", .fixed(4), megabytes: 60, regret: 3.16,
            wide(SimulatedLink { Steps($0 % 2 == 0 ? 4e6 : 5e5).then($0 % 2 == 0 ? 5e5 : 4e6, from: 3) })),
    ]
}

import Testing

@testable import SegmentedDL

@Suite("The source of the next connection")
struct SourceSelectorTests {
    private let rooms = [8, 8, 8]

    private func selector(speeds: [Double?]) -> SourceSelector {
        var selector = SourceSelector(count: speeds.count, policy: RetryPolicy())
        for (source, speed) in speeds.enumerated() {
            guard let speed else { continue }
            selector.opened(source)
            selector.measured(source, speed: speed, now: 0)
        }
        return selector
    }

    @Test("each source is tried early, in the order of preference")
    func exploration() {
        var selector = selector(speeds: [nil, nil, nil])
        var order: [Int] = []
        for _ in 0..<6 {
            guard let next = selector.next(rooms: rooms, wanted: 6, now: 0) else { break }
            order.append(next)
            selector.opened(next)
        }
        #expect(order == [0, 1, 2, 0, 0, 0])
    }

    @Test("with few connections only some explore unknown sources")
    func carefulExploration() {
        var selector = selector(speeds: [20e6, nil, nil])
        #expect(selector.next(rooms: rooms, wanted: 2, now: 0) == 1)
        selector.opened(1)
        #expect(selector.next(rooms: rooms, wanted: 2, now: 0) == 0)
    }

    @Test("the fastest per connection is preferred while its host accepts more")
    func fastest() {
        let selector = selector(speeds: [5e6, 20e6, 10e6])
        #expect(selector.next(rooms: rooms, wanted: 8, now: 0) == 1)
        #expect(selector.next(rooms: [8, 0, 8], wanted: 8, now: 0) == 2)
        #expect(selector.next(rooms: [8, 0, 0], wanted: 8, now: 0) == 0)
        #expect(selector.next(rooms: [0, -1, 0], wanted: 8, now: 0) == nil)
    }

    @Test("a failing source is skipped for ever longer times, and finally dropped")
    func demotion() {
        var selector = selector(speeds: [5e6, 20e6])
        let lost = TransferFailure.network(EngineError(kind: .lost, message: "reset"))
        var now = 1.0
        var waits: [Double] = []
        while selector.failed(1, lost, others: 0, delivered: 1, now: now) == .demoted {
            #expect(selector.next(rooms: rooms, wanted: 8, now: now) == 0)
            waits.append(selector.standings[1].demotedUntil - now)
            now = selector.standings[1].demotedUntil
        }
        #expect(waits.prefix(3).map { ($0 * 100).rounded() } == [25, 50, 100])
        #expect(waits.count == RetryPolicy().retries)
        #expect(selector.usable == [0])
    }

    @Test("a source that sends wrong ranges is soon dropped")
    func wrongRanges() {
        var selector = selector(speeds: [5e6, 20e6])
        var now = 1.0
        var count = 1
        while selector.failed(1, .wrongRange("x"), others: 0, delivered: 0, now: now) == .demoted {
            now = selector.standings[1].demotedUntil
            count += 1
        }
        #expect(count == 3)
    }

    @Test("while a source's other connections work, the failure is its host's cap")
    func cap() {
        var selector = selector(speeds: [5e6, 20e6])
        let verdict = selector.failed(
            1, .busy(status: 503, retryAfter: 5), others: 2, delivered: 1, now: 1)
        #expect(verdict == .demoted)
        #expect(selector.standings[1].failures == 0)
        #expect(selector.next(rooms: rooms, wanted: 8, now: 1) == 1)
    }

    @Test("a request refused while other connections of the source work is not repeated at once")
    func refusedBeside() {
        var selector = selector(speeds: [5e6, 20e6])
        #expect(selector.failed(1, .refused(status: 403), others: 2, delivered: 1, now: 1) == .demoted)
        #expect(selector.standings[1].failures == 0)
        #expect(selector.next(rooms: rooms, wanted: 8, now: 1) == 0)
        #expect(selector.next(rooms: rooms, wanted: 8, now: 1 + RetryPolicy().delay.seconds) == 1)
    }

    @Test("a source with a permanent failure is no longer used")
    func lasting() {
        let failures: [TransferFailure] = [
            .changed("its length"), .rangeIgnored, .encoded("gzip"), .refused(status: 404),
            .expired(status: 403, at: nil), .network(EngineError(kind: .tls, message: "")),
        ]
        for failure in failures {
            var selector = selector(speeds: [5e6, 20e6])
            #expect(selector.failed(1, failure, others: 0, delivered: 0, now: 0) == .excluded)
            #expect(selector.usable == [0])
        }
    }

    @Test("a refusal is not permanent while a source responds to another request")
    func refusedWhileServing() {
        for (failure, isLasting) in [
            (.refused(status: 404), false), (.redirect("x"), false), (.encoded("gzip"), true),
            (.changed("its length"), true), (.rangeIgnored, true),
            (.network(EngineError(kind: .tls, message: "")), true),
        ] as [(TransferFailure, Bool)] {
            var selector = selector(speeds: [5e6, 20e6])
            let verdict = selector.failed(1, failure, others: 1, delivered: 0, now: 0)
            #expect(verdict == (isLasting ? .excluded : .demoted), "\(failure)")
        }
    }

    @Test("a silent source must wait, and then prove itself again")
    func silence() {
        var selector = selector(speeds: [5e6, 20e6])
        selector.closed(1)
        selector.fellSilent(1, now: 1)
        #expect(selector.next(rooms: rooms, wanted: 8, now: 1) == 0)
        #expect(selector.next(rooms: rooms, wanted: 8, now: 1 + SourceSelector.silencePenaltySeconds) == 1)
    }

    @Test("a connection moves only if it would be much faster")
    func moving() {
        let selector = selector(speeds: [5e6, 20e6, 12e6])
        #expect(selector.hasFasterAlternative(to: 0, rooms: rooms, wanted: 3, now: 0))
        #expect(!selector.hasFasterAlternative(to: 2, rooms: rooms, wanted: 3, now: 0))
        #expect(!selector.hasFasterAlternative(to: 0, rooms: [1, 0, 0], wanted: 3, now: 0))
        // A caller may allow any number of connections.
        #expect(!selector.hasFasterAlternative(to: 2, rooms: [.max, .max, .max], wanted: .max, now: 0))
        let slowest = selector.slowest(rooms: rooms, now: 0)
        #expect(slowest?.source == 0 && slowest?.instead == 20e6)
        #expect(selector.slowest(rooms: [8, 0, 0], now: 0) == nil)
    }

    @Test("without an active source the first available one is awaited")
    func waiting() {
        var selector = selector(speeds: [nil, nil])
        selector.fellSilent(0, now: 0)
        selector.fellSilent(1, now: 1)
        let turn = selector.earliest(now: 1)
        #expect(turn?.source == 0 && turn?.wait == 1)
    }

    @Test("after the only source's failure the download's own retries decide")
    func only() {
        let failures: [TransferFailure] = [
            .encoded("gzip"), .refused(status: 404), .busy(status: 503, retryAfter: nil), .shortBody,
        ]
        for failure in failures {
            var selector = SourceSelector(count: 1, policy: RetryPolicy())
            #expect(selector.failed(0, failure, others: 0, delivered: 0, now: 0) == .isOnly)
            #expect(selector.usable == [0])
            #expect(selector.next(rooms: [], wanted: 8, now: 0) == 0)
        }
    }

    @Test("the last of several is treated like an only source")
    func last() {
        var selector = selector(speeds: [5e6, 20e6])
        selector.exclude(1)
        #expect(selector.failed(0, .refused(status: 404), others: 0, delivered: 0, now: 0) == .isOnly)
        selector.fellSilent(0, now: 0)
        #expect(selector.next(rooms: [1, 1], wanted: 8, now: 0) == 0)
        #expect(!selector.hasFasterAlternative(to: 0, rooms: [0, 8], wanted: 8, now: 0))
        // Its connections are queued: its host may have fewer free places than all hosts together.
        #expect(selector.next(rooms: [0, 8], wanted: 8, now: 0) == nil)
    }

    @Test("bytes delivered since the last failure compensate for it")
    func progress() {
        var selector = selector(speeds: [5e6, 20e6])
        for delivered in 1...20 as ClosedRange<Int64> {
            let now = Double(delivered) * 100
            #expect(selector.failed(1, .shortBody, others: 0, delivered: delivered, now: now) == .demoted)
            #expect(selector.standings[1].failures == 1)
        }
    }

    @Test("a segment is moved if that saves time, and more than two seconds are left")
    func segmentToMove() throws {
        for (rest, speed, isMoved) in [
            (100_000_000, 10e6, true), (100_000_000, 1e6, false), (1_500_000, 10e6, false),
        ] as [(Int64, Double, Bool)] {
            var plan = SegmentPlan(total: rest + 1_000_000)
            let only = try plan.nextSegment(now: 0)
            // A megabyte a second.
            for step in 0...10 { _ = plan.claim(only.id, atMost: 100_000, now: Double(step) / 10) }
            let found = SourceSelector.segmentToMove(
                of: plan.segments.values, to: speed, setupTime: 0.1, now: 1)
            #expect((found == only.id) == isMoved, "\(rest) at \(speed)")
        }
    }
}

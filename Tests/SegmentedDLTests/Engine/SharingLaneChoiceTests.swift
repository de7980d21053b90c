import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The engine thread of requests that share connections")
struct SharingLaneChoiceTests {
    @Test("requests that can share a connection have their own thread, and count as one connection")
    func shared() {
        var choice = LaneChoice.of(2, withSharing: true)
        let first = (0..<4).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable) }
        #expect(first.allSatisfy { $0.lane == 2 && $0.mayShare })
        choice.answered(first[0], isShared: true, isFirst: true)
        for ticket in first { choice.end(ticket, keepsConnection: false) }
        let streams = (0..<50).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable) }
        #expect(streams.allSatisfy { $0.lane == 2 })
        #expect(choice.connections(of: 2) == 1)
        // A segment's connection is on its own thread.
        let own = (0..<4).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(own.map(\.lane) == [0, 1, 0, 1])
        #expect(own.allSatisfy { !$0.mayShare })
        for ticket in streams { choice.end(ticket, keepsConnection: true) }
        // It is idle.
        #expect(choice.connections(of: 2) == 1)
        _ = choice.begin(to: "a", isSpread: true, kind: .shareable)
        #expect(choice.connections(of: 2) == 1)
    }

    @Test("requests that may share several connections count as these")
    func sharedSeveral() {
        var choice = LaneChoice.of(1, withSharing: true)
        let first = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(first, isShared: true, isFirst: true)
        let streams = (0..<19).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 4)
        }
        #expect(streams.filter(\.isNew).count == 3)
        #expect(streams.allSatisfy { $0.closing.isEmpty && $0.mayShare })
        #expect(choice.connections(of: 1) == 4)
        #expect(choice.requestsPerConnection(of: 1) == 5)
        #expect(choice.requestsPerConnection(of: 0) == nil)
        // The limit applies to all hosts.
        let other = choice.begin(to: "b", isSpread: true, kind: .shareable, sharing: 4)
        choice.answered(other, isShared: true, isFirst: true)
        #expect(choice.requestsPerConnection(of: 1) == 5)
        for ticket in streams + [first, other] { choice.end(ticket, keepsConnection: true) }
        #expect(choice.connections(of: 1) == 5)
        // Idle connections are used again.
        let later = (0..<20).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 4) }
        #expect(later.allSatisfy { !$0.isNew })
        #expect(choice.connections(of: 1) == 5)
    }

    @Test("requests without a response count as shared connections, and those that shared one leave one idle")
    func sharedUnanswered() {
        var choice = LaneChoice.of(1, perHost: 8, withSharing: true)
        let first = (0..<4).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable) }
        choice.answered(first[0], isShared: true, isFirst: true)
        #expect(choice.connections(of: 1) == 4)
        let streams = (0..<20).map { _ in
            choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 4)
        }
        #expect(choice.connections(of: 1) == 4)
        for ticket in first.dropFirst() { choice.answered(ticket, isShared: true, isFirst: false) }
        #expect(choice.connections(of: 1) == 1)
        for ticket in first + streams { choice.end(ticket, keepsConnection: true) }
        #expect(choice.connections(of: 1) == 1)
    }

    @Test("another shared connection is not opened beyond a cap, nor in place of an idle one of another host")
    func sharedCaps() {
        for (most, perHost, connections) in [(8, 2, 2), (3, 8, 2)] {
            var choice = LaneChoice.of(1, maxConnections: most, perHost: perHost, withSharing: true)
            let idle = choice.begin(to: "b", isSpread: true)
            choice.end(idle, keepsConnection: true)
            let first = choice.begin(to: "a", isSpread: true, kind: .shareable)
            choice.answered(first, isShared: true, isFirst: true)
            let streams = (0..<30).map { _ in
                choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 8)
            }
            #expect(streams.allSatisfy { $0.closing.isEmpty && $0.replaced == nil })
            #expect(choice.connections(of: 1) == connections)
        }
    }

    @Test("a request over its own connection counts as that, although earlier ones have shared theirs")
    func separated() {
        var choice = LaneChoice.of(1, perHost: 3, withSharing: true)
        let streams = (0..<3).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable) }
        choice.answered(streams[0], isShared: true, isFirst: true)
        choice.answered(streams[1], isShared: true, isFirst: false)
        choice.answered(streams[2], isShared: true, isFirst: false)
        let other = choice.begin(to: "a", isSpread: true, kind: .shareable)
        #expect(choice.connections(of: 1) == 1)
        choice.answered(other, isShared: false, isFirst: true)
        #expect(choice.connections(of: 1) == 2)
        for ticket in streams { choice.end(ticket, keepsConnection: true) }
        #expect(choice.connections(of: 1) == 2)
        // The idle shared connection is closed for one that would be too many.
        let own = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(own.map(\.closing) == [[], [LaneChoice.Closing(lane: 1, host: "a")]])
        choice.end(other, keepsConnection: false)
        #expect(choice.connections(of: 1) == 0)
    }

    @Test("the shared connection counts as idle if its last request turns out to have its own")
    func lastSeparated() {
        var choice = LaneChoice.of(1, withSharing: true)
        let stream = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(stream, isShared: true, isFirst: true)
        let other = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.end(stream, keepsConnection: true)
        #expect(choice.connections(of: 1) == 1)
        choice.answered(other, isShared: false, isFirst: true)
        #expect(choice.connections(of: 1) == 2)
        choice.end(other, keepsConnection: false)
        #expect(choice.connections(of: 1) == 1)
    }

    @Test("requests that lose their shared connection do not open more than the host's cap")
    func surplus() {
        var choice = LaneChoice.of(1, perHost: 4, withSharing: true)
        let first = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(first, isShared: true, isFirst: true)
        let streams = (0..<9).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable) }
        var own = (0..<3).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(choice.connections(of: 1) == 1)
        // The server behind the next connection has no HTTP/2.
        for stream in streams {
            choice.answered(stream, isShared: false, isFirst: true)
            #expect(choice.connections(of: 0) + choice.connections(of: 1) <= 4)
        }
        // Some requests had been granted before that was known.
        let late = choice.begin(to: "a", isSpread: true, kind: .shareable)
        #expect(choice.connections(of: 1) == 1)
        choice.end(own.removeLast(), keepsConnection: false)
        #expect(choice.connections(of: 1) == 2)
        for ticket in streams + own + [first, late] { choice.end(ticket, keepsConnection: false) }
        #expect(choice.connections(of: 1) <= 1)
    }

    @Test("without that thread they get their own connections")
    func notShared() {
        var choice = LaneChoice.of(2)
        let tickets = (0..<2).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable) }
        #expect(tickets.map(\.lane) == [0, 1])
        #expect(tickets.allSatisfy { !$0.mayShare })
    }

    @Test("idle connections of other threads attract no request that can share one")
    func idle() {
        var choice = LaneChoice.of(2, withSharing: true)
        choice.end(choice.begin(to: "a", isSpread: true), keepsConnection: true)
        #expect(choice.begin(to: "a", isSpread: true, kind: .shareable).lane == 2)
        #expect(choice.begin(to: "a", isSpread: true).lane == 0)
    }

    @Test("requests without a response have their share of a connection")
    func shareOfUnanswered() {
        var choice = LaneChoice.of(1, withSharing: true)
        let far = choice.begin(to: "far", isSpread: true, kind: .shareable)
        choice.answered(far, isShared: true, isFirst: true)
        for _ in 1...7 { _ = choice.begin(to: "far", isSpread: true, kind: .shareable, sharing: 2) }
        #expect(choice.requestsPerConnection(of: 1) == 4)
        let near = (1...8).map { _ in choice.begin(to: "near", isSpread: true, kind: .shareable) }
        #expect(choice.requestsPerConnection(of: 1) == 8)
        choice.answered(near[0], isShared: true, isFirst: true)
        for _ in 1...12 { _ = choice.begin(to: "near", isSpread: true, kind: .shareable) }
        #expect(choice.requestsPerConnection(of: 1) == 20)
    }

    @Test("each of several shared connections counts as in use, until fewer requests are left")
    func fewerShared() {
        var choice = LaneChoice.of(1, perHost: 4, withSharing: true)
        let first = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(first, isShared: true, isFirst: true)
        let many = (0..<20).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 4) }
        #expect(choice.connections(of: 1) == 4)
        #expect(choice.requestsPerConnection(of: 1) == 6)
        for ticket in many.prefix(17) { choice.end(ticket, keepsConnection: true) }
        // A request that may share only one connection finds four in use.
        let last = choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 1)
        #expect(!last.isNew && choice.requestsPerConnection(of: 1) == 4)
        choice.end(last, keepsConnection: true)
        choice.end(first, keepsConnection: true)
        // One of the four is idle.
        #expect(choice.connections(of: 1) == 4)
        #expect(choice.settle("a", on: 1, open: 4) == 3)
        #expect(choice.begin(to: "a", isSpread: true).closing.isEmpty)
    }

    @Test("idle connections are not counted beside those that requests share")
    func spare() {
        var choice = LaneChoice.of(2, perHost: 4, withSharing: true)
        #expect(choice.settle("a", on: 2, open: 0) == 0)
        let first = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(first, isShared: true, isFirst: true)
        let many = (0..<12).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 3) }
        #expect(choice.settle("a", on: 2, open: 3) == 3)
        for ticket in many.prefix(10) { choice.end(ticket, keepsConnection: true) }
        #expect(choice.settle("a", on: 2, open: 3) == 3)
        choice.abandon(many[10])
        #expect(choice.connections(of: 2) == 3)
        #expect(choice.settle("a", on: 2, open: 3) == 2 && choice.connections(of: 2) == 2)
        // Another thread may open two, without closing one.
        let own = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(own.allSatisfy { $0.closing.isEmpty })
        choice.end(many[11], keepsConnection: true)
        #expect(choice.settle("a", on: 2, open: 3) == 1)
        choice.end(first, keepsConnection: true)
        // The last one remains for later requests.
        #expect(choice.settle("a", on: 2, open: 3) == 1)
        let later = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(later.map(\.closing.count) == [0, 1])
    }

    @Test("fewer connections are counted if fewer may be shared and no more are open")
    func confined() {
        var choice = LaneChoice.of(1, withSharing: true)
        let first = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(first, isShared: true, isFirst: true)
        for _ in 0..<19 { _ = choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 4) }
        #expect(choice.settle("a", on: 1, open: 1) == 4)
        _ = choice.begin(to: "a", isSpread: true, kind: .shareable, sharing: 1)
        #expect(choice.settle("a", on: 1, open: 2) == 2)
        #expect(choice.settle("a", on: 1, open: 0) == 1)
        #expect(choice.requestsPerConnection(of: 1) == nil)
    }
}

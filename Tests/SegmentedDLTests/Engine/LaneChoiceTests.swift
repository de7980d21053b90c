import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Which thread a request goes to")
struct LaneChoiceTests {
    private static func choice(
        of count: Int, maxConnections: Int = 100, withSharing: Bool = false
    ) -> LaneChoice {
        var choice = LaneChoice(maxConnections: maxConnections)
        for _ in 0..<count { choice.add() }
        if withSharing { choice.add(isForSharing: true) }
        return choice
    }

    @Test("new connections are spread evenly, or are all the first one's")
    func spread() {
        var choice = Self.choice(of: 3)
        #expect((0..<6).map { _ in choice.begin(to: "a", isSpread: true).lane } == [0, 1, 2, 0, 1, 2])
        #expect((0..<3).map { _ in choice.begin(to: "b", isSpread: false).lane } == [0, 0, 0])
    }

    @Test("it goes where a connection to its host has nothing to do, however busy that thread is")
    func kept() {
        var choice = Self.choice(of: 2)
        let first = (0..<3).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(first.map(\.lane) == [0, 1, 0])
        choice.end(first[0], keepsConnection: true)
        for _ in 0..<4 { #expect(choice.begin(to: "b", isSpread: false).lane == 0) }
        #expect(choice.begin(to: "a", isSpread: true).lane == 0)
        #expect(choice.begin(to: "a", isSpread: true).lane == 1)
        choice.end(first[1], keepsConnection: true)
        #expect(choice.begin(to: "a", isSpread: false).lane == 1)
    }

    @Test("requests that may share a connection have a thread of their own, and count as one connection")
    func shared() {
        var choice = Self.choice(of: 2, withSharing: true)
        let first = (0..<4).map { _ in choice.begin(to: "a", isSpread: true, mayShare: true) }
        #expect(first.allSatisfy { $0.lane == 2 && $0.mayShare })
        choice.answered(first[0], isShared: true)
        for ticket in first { choice.end(ticket, keepsConnection: false) }
        let streams = (0..<50).map { _ in choice.begin(to: "a", isSpread: true, mayShare: true) }
        #expect(streams.allSatisfy { $0.lane == 2 })
        #expect(choice.connections(of: 2) == 1)
        // A segment's connection is on another thread.
        let own = (0..<4).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(own.map(\.lane) == [0, 1, 0, 1])
        #expect(own.allSatisfy { !$0.mayShare })
        for ticket in streams { choice.end(ticket, keepsConnection: true) }
        // It is idle.
        #expect(choice.connections(of: 2) == 1)
        _ = choice.begin(to: "a", isSpread: true, mayShare: true)
        #expect(choice.connections(of: 2) == 1)
    }

    @Test("without that thread they get connections of their own")
    func notShared() {
        var choice = Self.choice(of: 2)
        let tickets = (0..<2).map { _ in choice.begin(to: "a", isSpread: true, mayShare: true) }
        #expect(tickets.map(\.lane) == [0, 1])
        #expect(tickets.allSatisfy { !$0.mayShare })
    }

    @Test("the idle connections of other threads draw no request that may share one")
    func idle() {
        var choice = Self.choice(of: 2, withSharing: true)
        choice.end(choice.begin(to: "a", isSpread: true), keepsConnection: true)
        #expect(choice.begin(to: "a", isSpread: true, mayShare: true).lane == 2)
        #expect(choice.begin(to: "a", isSpread: true).lane == 0)
    }

    @Test("a connection that was closed draws nobody")
    func closed() {
        var choice = Self.choice(of: 2)
        let places = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        choice.end(places[1], keepsConnection: false)
        #expect(choice.begin(to: "a", isSpread: false).lane == 0)
    }

    @Test("a request ends once")
    func once() {
        var choice = Self.choice(of: 2)
        let places = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        for _ in 0..<2 { choice.end(places[1], keepsConnection: true) }
        let next = (0..<3).map { _ in choice.begin(to: "a", isSpread: true).lane }
        // One connection is left, then both threads are as busy.
        #expect(next == [1, 0, 1])
    }

    @Test("a host never gets more connections than requests were under way at a time")
    func bound() {
        var generator = SplitMix64(seed: 5)
        for cap in [1, 2, 3, 7] {
            var choice = Self.choice(of: 3)
            var underway: [String: [LaneChoice.Ticket]] = [:]
            var idle: [String: [Int]] = [:]
            for _ in 0..<4_000 {
                let host = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
                let busy = underway[host] ?? []
                if busy.count < cap, Bool.random(using: &generator) {
                    let place = choice.begin(to: host, isSpread: Bool.random(using: &generator))
                    underway[host, default: []].append(place)
                    if let used = idle[host]?.firstIndex(of: place.lane) { idle[host]?.remove(at: used) }
                } else if let index = busy.indices.randomElement(using: &generator) {
                    let isKept = Int.random(in: 0..<5, using: &generator) > 0
                    choice.end(busy[index], keepsConnection: isKept)
                    underway[host]?.remove(at: index)
                    if isKept { idle[host, default: []].append(busy[index].lane) }
                }
                #expect((underway[host] ?? []).count + (idle[host] ?? []).count <= cap)
            }
        }
    }

    /// The connections of a thread, as libcurl has them.
    private struct Connections {
        var open = 0
        /// The hosts of idle connections, the oldest one first.
        var idle: [String] = []

        mutating func begin(to host: String, atMost most: Int) {
            if let kept = idle.lastIndex(of: host) {
                idle.remove(at: kept)
            } else if open + idle.count >= most, !idle.isEmpty {
                idle.removeFirst()
            }
            open += 1
        }
    }

    @Test("all threads together never have more connections than allowed, idle ones included")
    func total() {
        var generator = SplitMix64(seed: 6)
        for cap in [1, 2, 5] {
            var choice = Self.choice(of: 3, maxConnections: cap)
            var lanes = Array(repeating: Connections(), count: 3)
            var underway: [(ticket: LaneChoice.Ticket, host: String)] = []
            var reused = 0
            for _ in 0..<4_000 {
                if underway.count < cap, Bool.random(using: &generator) {
                    let host = ["a", "b", "c", "d"].randomElement(using: &generator) ?? "a"
                    let ticket = choice.begin(to: host, isSpread: Bool.random(using: &generator))
                    if lanes[ticket.lane].idle.contains(host) { reused += 1 }
                    lanes[ticket.lane].begin(to: host, atMost: choice.connections(of: ticket.lane))
                    underway.append((ticket, host))
                } else if let index = underway.indices.randomElement(using: &generator) {
                    let (ticket, host) = underway.remove(at: index)
                    // A server may close a connection that the choice takes for idle.
                    let isKept = Int.random(in: 0..<5, using: &generator) > 0
                    choice.end(ticket, keepsConnection: true)
                    lanes[ticket.lane].open -= 1
                    if isKept { lanes[ticket.lane].idle.append(host) }
                }
                #expect(lanes.reduce(0) { $0 + $1.open + $1.idle.count } <= cap)
            }
            #expect(reused > 200)
        }
    }

    @Test("for a host without a connection the thread with the idle one that is closed is taken")
    func closes() {
        var choice = Self.choice(of: 2, maxConnections: 2)
        let places = ["a", "b"].map { choice.begin(to: $0, isSpread: true) }
        #expect(places.map(\.lane) == [0, 1])
        choice.end(places[1], keepsConnection: true)
        #expect(choice.begin(to: "c", isSpread: false).lane == 1)
        #expect(choice.connections(of: 1) == 1)
    }
}

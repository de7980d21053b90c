import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Which thread a request goes to")
struct LaneChoiceTests {
    private static func choice(of count: Int, maxConnections: Int = 100) -> LaneChoice {
        var choice = LaneChoice(maxConnections: maxConnections)
        for _ in 0..<count { choice.add() }
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

    @Test("of hosts beyond what libcurl keeps the one that was used first is forgotten")
    func forgets() {
        var choice = Self.choice(of: 2, maxConnections: 3)
        for host in ["a", "b", "c", "b", "d"] {
            let busy = choice.begin(to: "x", isSpread: false)
            let place = choice.begin(to: host, isSpread: true)
            #expect(place.lane == 1)
            choice.end(place, keepsConnection: true)
            choice.end(busy, keepsConnection: false)
        }
        #expect(["a", "b", "c", "d"].map { choice.begin(to: $0, isSpread: false).lane } == [0, 1, 1, 1])
        #expect(["b", "c", "d"].map { choice.begin(to: $0, isSpread: false).lane } == [0, 0, 0])
    }
}

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
        #expect((0..<6).map { _ in choice.begin(to: "a", isSpread: true) } == [0, 1, 2, 0, 1, 2])
        #expect((0..<3).map { _ in choice.begin(to: "b", isSpread: false) } == [0, 0, 0])
    }

    @Test("it goes where a connection to its host has nothing to do, however busy that thread is")
    func kept() {
        var choice = Self.choice(of: 2)
        #expect((0..<3).map { _ in choice.begin(to: "a", isSpread: true) } == [0, 1, 0])
        choice.end(at: "a", in: 0, keepsConnection: true)
        #expect((0..<4).map { _ in choice.begin(to: "b", isSpread: false) } == [0, 0, 0, 0])
        #expect(choice.begin(to: "a", isSpread: true) == 0)
        #expect(choice.begin(to: "a", isSpread: true) == 1)
        choice.end(at: "a", in: 1, keepsConnection: true)
        #expect(choice.begin(to: "a", isSpread: false) == 1)
    }

    @Test("a connection that was closed draws nobody")
    func closed() {
        var choice = Self.choice(of: 2)
        #expect((0..<2).map { _ in choice.begin(to: "a", isSpread: true) } == [0, 1])
        choice.end(at: "a", in: 1, keepsConnection: false)
        #expect(choice.begin(to: "a", isSpread: false) == 0)
    }

    @Test("a host never gets more connections than requests were under way at a time")
    func bound() {
        var generator = SplitMix64(seed: 5)
        for cap in [1, 2, 3, 7] {
            var choice = Self.choice(of: 3)
            var underway: [String: [Int]] = [:]
            var idle: [String: [Int]] = [:]
            for _ in 0..<4_000 {
                let host = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
                let busy = underway[host] ?? []
                if busy.count < cap, Bool.random(using: &generator) {
                    let lane = choice.begin(to: host, isSpread: Bool.random(using: &generator))
                    underway[host, default: []].append(lane)
                    if let used = idle[host]?.firstIndex(of: lane) { idle[host]?.remove(at: used) }
                } else if let lane = busy.randomElement(using: &generator) {
                    let isKept = Int.random(in: 0..<5, using: &generator) > 0
                    choice.end(at: host, in: lane, keepsConnection: isKept)
                    underway[host]?.remove(at: busy.firstIndex(of: lane) ?? 0)
                    if isKept { idle[host, default: []].append(lane) }
                }
                #expect((underway[host] ?? []).count + (idle[host] ?? []).count <= cap)
            }
        }
    }

    @Test("of hosts beyond what libcurl keeps the one that was used first is forgotten")
    func forgets() {
        var choice = Self.choice(of: 2, maxConnections: 3)
        for host in ["a", "b", "c", "b", "d"] {
            _ = choice.begin(to: "x", isSpread: false)
            #expect(choice.begin(to: host, isSpread: true) == 1)
            choice.end(at: host, in: 1, keepsConnection: true)
            choice.end(at: "x", in: 0, keepsConnection: false)
        }
        #expect(["a", "b", "c", "d"].map { choice.begin(to: $0, isSpread: false) } == [0, 1, 1, 1])
        #expect(["b", "c", "d"].map { choice.begin(to: $0, isSpread: false) } == [0, 0, 0])
    }

    @Test("a place ends once, and what is begun after is sent behind it")
    func places() {
        let table = LaneTable(Self.choice(of: 2))
        let busy = table.begin(to: "b", isSpread: false)
        let given = table.begin(to: "a", isSpread: true)
        #expect(busy.lane == 0 && given.lane == 1)
        busy.end(keepsConnection: false)
        given.end(keepsConnection: true)
        given.end(keepsConnection: true)
        #expect(table.begin(to: "a", isSpread: false).lane == 1)
        #expect(table.begin(to: "a", isSpread: false).lane == 0)
    }
}

import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The engine thread of a request")
struct LaneChoiceTests {
    @Test("new connections are spread evenly, or all belong to the first one")
    func spread() {
        var choice = LaneChoice.of(3)
        #expect((0..<6).map { _ in choice.begin(to: "a", isSpread: true).lane } == [0, 1, 2, 0, 1, 2])
        #expect((0..<3).map { _ in choice.begin(to: "b", isSpread: false).lane } == [0, 0, 0])
    }

    @Test("one with an idle connection to the host is preferred, however busy it is")
    func kept() {
        var choice = LaneChoice.of(2)
        let first = (0..<3).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(first.map(\.lane) == [0, 1, 0])
        choice.end(first[0], keepsConnection: true)
        for _ in 0..<4 { #expect(choice.begin(to: "b", isSpread: false).lane == 0) }
        #expect(choice.begin(to: "a", isSpread: true).lane == 0)
        #expect(choice.begin(to: "a", isSpread: true).lane == 1)
        choice.end(first[1], keepsConnection: true)
        #expect(choice.begin(to: "a", isSpread: false).lane == 1)
    }

    @Test("a request over an existing connection does not count as another one")
    func converted() {
        var choice = LaneChoice.of(1, withSharing: true)
        let tickets = (0..<3).map { _ in choice.begin(to: "a", isSpread: true, kind: .shareable) }
        #expect(choice.connections(of: 1) == 3)
        choice.answered(tickets[1], isShared: true, isFirst: true)
        choice.answered(tickets[0], isShared: true, isFirst: false)
        #expect(choice.connections(of: 1) == 2)
        // The host has opened a second shared connection.
        choice.answered(tickets[2], isShared: true, isFirst: true)
        #expect(choice.connections(of: 1) == 2)
        for ticket in tickets { choice.end(ticket, keepsConnection: true) }
        #expect(choice.connections(of: 1) == 2)
    }

    @Test("an idle connection of another thread is closed for one that would exceed the host's cap")
    func room() {
        var choice = LaneChoice.of(2, perHost: 2, withSharing: true)
        let stream = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(stream, isShared: true, isFirst: true)
        choice.end(stream, keepsConnection: true)
        let own = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        #expect(own.map(\.closing) == [[], [LaneChoice.Closing(lane: 2, host: "a")]])
        #expect(choice.begin(to: "b", isSpread: true).closing.isEmpty)
        for ticket in own { choice.end(ticket, keepsConnection: true) }
        let next = choice.begin(to: "a", isSpread: true, kind: .shareable)
        #expect(next.lane == 2 && next.closing.count == 1)
    }

    @Test("a new connection reuses no idle one, not even that of its own thread, which is closed for it")
    func single() {
        var choice = LaneChoice.of(1, perHost: 1)
        choice.end(choice.begin(to: "a", isSpread: true), keepsConnection: true)
        let single = choice.begin(to: "a", isSpread: true, kind: .single)
        #expect(single.closing == [LaneChoice.Closing(lane: 0, host: "a")])
        choice.end(single, keepsConnection: true)
        #expect(choice.connections(of: 0) == 0)
    }

    @Test("one that is closed at its end counts until its thread has closed it")
    func abandonedSingle() {
        var choice = LaneChoice.of(2, perHost: 2, withSharing: true)
        let single = choice.begin(to: "a", isSpread: true, kind: .single)
        choice.end(choice.begin(to: "a", isSpread: true), keepsConnection: true)
        choice.abandon(single)
        #expect(choice.connections(of: single.lane) == 1)
        // The idle one is closed, because two are still open.
        #expect(choice.begin(to: "a", isSpread: true, kind: .shareable).closing.count == 1)
        choice.end(single, keepsConnection: false)
        #expect(choice.connections(of: single.lane) == 0)
        // The connection of any other request counts as idle until then.
        let own = choice.begin(to: "b", isSpread: true)
        choice.abandon(own)
        #expect(choice.connections(of: own.lane) == 1)
        #expect(choice.begin(to: "b", isSpread: true).lane == own.lane)
    }

    @Test("the idle connections that a withdrawn request would have closed count again, where they are")
    func withdrawn() {
        var choice = LaneChoice.of(1, perHost: 2, withSharing: true)
        let own = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        for ticket in own { choice.end(ticket, keepsConnection: true) }
        let refused = choice.begin(to: "a", isSpread: true, kind: .shareable)
        #expect(refused.closing == [LaneChoice.Closing(lane: 0, host: "a")])
        choice.withdraw(refused)
        #expect(choice.connections(of: 0) == 2 && choice.connections(of: 1) == 0)
        // libcurl would have closed an idle connection of the same thread.
        choice.maximumConnections = 2
        let other = choice.begin(to: "b", isSpread: true)
        #expect(other.closing.isEmpty && choice.connections(of: 0) == 2)
        choice.withdraw(other)
        #expect(choice.connections(of: 0) == 2)
        choice.withdraw(other)
        #expect(choice.connections(of: 0) == 2)
    }

    @Test("a host beyond its cap leaves the requests to other hosts their connections")
    func surplusOfOther() {
        var choice = LaneChoice.of(1, perHost: 2, withSharing: true)
        for _ in 0..<2 { _ = choice.begin(to: "a", isSpread: true) }
        let shareable = ["a", "b", "c"].map { choice.begin(to: $0, isSpread: true, kind: .shareable) }
        #expect(choice.connections(of: 1) == 3)
        // Now the surplus is on another thread alone.
        choice.maximumPerHost = 1
        choice.end(shareable[0], keepsConnection: false)
        #expect(choice.connections(of: 1) == 2)
    }

    @Test("if the caps were lowered, all idle connections beyond them are closed for the next one")
    func lowered() {
        var choice = LaneChoice.of(3, maxConnections: 9)
        let tickets = (0..<9).map { choice.begin(to: "host \($0)", isSpread: true) }
        for ticket in tickets { choice.end(ticket, keepsConnection: true) }
        choice.maximumConnections = 4
        let next = choice.begin(to: "a", isSpread: true)
        // libcurl closes one more itself.
        #expect(next.closing.count == 5 && next.replaced != nil)
        #expect((0..<3).reduce(0) { $0 + choice.connections(of: $1) } == 4)
    }

    @Test("a closed connection attracts no request")
    func closed() {
        var choice = LaneChoice.of(2)
        let places = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        choice.end(places[1], keepsConnection: false)
        #expect(choice.begin(to: "a", isSpread: false).lane == 0)
    }

    @Test("a request ends once")
    func once() {
        var choice = LaneChoice.of(2)
        let places = (0..<2).map { _ in choice.begin(to: "a", isSpread: true) }
        for _ in 0..<2 { choice.end(places[1], keepsConnection: true) }
        let next = (0..<3).map { _ in choice.begin(to: "a", isSpread: true).lane }
        // One connection is left; then both threads are equally busy.
        #expect(next == [1, 0, 1])
    }

    @Test("a host never has more connections than simultaneous requests")
    func bound() {
        var generator = SplitMix64(seed: 5)
        for cap in [1, 2, 3, 7] {
            var choice = LaneChoice.of(3)
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

    /// The connections of a thread, as in libcurl.
    private struct Connections {
        var open = 0
        /// The hosts of idle connections, oldest first.
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

    @Test("all threads together never exceed the cap on connections, idle ones included")
    func total() {
        var generator = SplitMix64(seed: 6)
        for cap in [1, 2, 5] {
            var choice = LaneChoice.of(3, maxConnections: cap)
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
                    // A server may close a connection that is considered idle.
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

    /// The connections to a host, as seen by its server: those of each thread.
    private struct Host {
        let name: String
        var idle = [0, 0, 0]
        var used = [0, 0, 0]
        /// The number of requests over the shared connection.
        var streams = 0
        var atWork: Int { used.reduce(0, +) + (streams > 0 ? 1 : 0) }
        var all: Int { atWork + idle.reduce(0, +) }

        func all(on lane: Int) -> Int { idle[lane] + used[lane] + (lane == 2 && streams > 0 ? 1 : 0) }

        mutating func close(on lane: Int) { idle[lane] = max(0, idle[lane] - 1) }

        /// Begins a request; the connections that it closes are already closed.
        mutating func begin(_ ticket: LaneChoice.Ticket, _ kind: LaneChoice.Kind) {
            if kind == .shareable, streams > 0 {
                streams += 1
                return
            }
            if kind != .single { close(on: ticket.lane) }
            if kind == .shareable { streams = 1 } else { used[ticket.lane] += 1 }
        }

        mutating func end(_ ticket: LaneChoice.Ticket, _ kind: LaneChoice.Kind, isKept: Bool) {
            if kind == .shareable {
                streams -= 1
                if streams > 0 { return }
            } else {
                used[ticket.lane] -= 1
            }
            if isKept, kind != .single { idle[ticket.lane] += 1 }
        }
    }

    @Test(
        "a host never exceeds its cap, whatever its requests do with connections", arguments: 1...8
    )
    func perHost(cap: Int) {
        var generator = SplitMix64(seed: UInt64(cap))
        var choice = LaneChoice.of(2, perHost: cap, withSharing: true)
        let first = choice.begin(to: "a", isSpread: true, kind: .shareable)
        choice.answered(first, isShared: true, isFirst: true)
        choice.end(first, keepsConnection: false)
        var host = Host(name: "a")
        var underway: [(ticket: LaneChoice.Ticket, kind: LaneChoice.Kind)] = []
        var closed = 0
        for _ in 0..<4_000 {
            let kind = [LaneChoice.Kind.own, .shareable, .single].randomElement(using: &generator) ?? .own
            let isFurther = kind != .shareable || host.streams == 0
            if Bool.random(using: &generator), !isFurther || host.atWork < cap {
                let ticket = choice.begin(to: "a", isSpread: true, kind: kind)
                closed += ticket.closing.count
                for closing in ticket.closing { host.close(on: closing.lane) }
                host.begin(ticket, kind)
                underway.append((ticket, kind))
            } else if let index = underway.indices.randomElement(using: &generator) {
                let (ticket, kind) = underway.remove(at: index)
                let isKept = Int.random(in: 0..<5, using: &generator) > 0
                choice.end(ticket, keepsConnection: isKept)
                host.end(ticket, kind, isKept: isKept)
            }
            #expect(host.all <= cap)
        }
        #expect(closed > 50)
    }

    @Test("all hosts together never exceed the cap, shared and idle connections included")
    func totalWithSharing() {
        for cap in 1...6 {
            var generator = SplitMix64(seed: UInt64(cap))
            var choice = LaneChoice.of(2, maxConnections: cap, withSharing: true)
            var hosts = ["a", "b", "c"].map { Host(name: $0) }
            for host in hosts {
                let first = choice.begin(to: host.name, isSpread: true, kind: .shareable)
                choice.answered(first, isShared: true, isFirst: true)
                choice.end(first, keepsConnection: false)
            }
            var underway: [(ticket: LaneChoice.Ticket, host: Int, kind: LaneChoice.Kind)] = []
            var closed = 0
            for _ in 0..<4_000 {
                let host = Int.random(in: hosts.indices, using: &generator)
                let kind = Bool.random(using: &generator) ? LaneChoice.Kind.own : .shareable
                let isFurther = kind != .shareable || hosts[host].streams == 0
                let atWork = hosts.reduce(0) { $0 + $1.atWork }
                if Bool.random(using: &generator), !isFurther || atWork < cap {
                    let ticket = choice.begin(to: hosts[host].name, isSpread: true, kind: kind)
                    closed += ticket.closing.count
                    for closing in ticket.closing {
                        let named = hosts.firstIndex {
                            $0.name == closing.host && $0.idle[closing.lane] > 0
                        }
                        let any = hosts.firstIndex { $0.idle[closing.lane] > 0 }
                        if let idle = named ?? any { hosts[idle].close(on: closing.lane) }
                    }
                    hosts[host].begin(ticket, kind)
                    // libcurl closes an idle connection (CURLMOPT_MAX_TOTAL_CONNECTIONS).
                    let open = hosts.reduce(0) { $0 + $1.all(on: ticket.lane) }
                    if open > choice.connections(of: ticket.lane),
                        let idle = hosts.firstIndex(where: { $0.idle[ticket.lane] > 0 })
                    {
                        hosts[idle].close(on: ticket.lane)
                    }
                    underway.append((ticket, host, kind))
                } else if let index = underway.indices.randomElement(using: &generator) {
                    let (ticket, host, kind) = underway.remove(at: index)
                    let isKept = Int.random(in: 0..<5, using: &generator) > 0
                    choice.end(ticket, keepsConnection: isKept)
                    hosts[host].end(ticket, kind, isKept: isKept)
                }
                #expect(hosts.reduce(0) { $0 + $1.all } <= cap)
            }
            #expect(closed > 50)
        }
    }

    @Test("for a host without a connection the thread whose idle one is closed is chosen")
    func closes() {
        var choice = LaneChoice.of(2, maxConnections: 2)
        let places = ["a", "b"].map { choice.begin(to: $0, isSpread: true) }
        #expect(places.map(\.lane) == [0, 1])
        choice.end(places[1], keepsConnection: true)
        #expect(choice.begin(to: "c", isSpread: false).lane == 1)
        #expect(choice.connections(of: 1) == 1)
    }
}

extension LaneChoice {
    /// Creates a choice among threads, of which the last one may be that of shared connections.
    static func of(
        _ count: Int, maxConnections: Int = 100, perHost: Int = 100, withSharing: Bool = false
    ) -> LaneChoice {
        var choice = LaneChoice(maxConnections: maxConnections, perHost: perHost)
        for _ in 0..<count { choice.add() }
        if withSharing { choice.add(isForSharing: true) }
        return choice
    }
}

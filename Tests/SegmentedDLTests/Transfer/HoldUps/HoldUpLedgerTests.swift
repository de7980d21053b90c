import Testing

@testable import SegmentedDL

@Suite("The bottleneck of a download")
struct HoldUpLedgerTests {
    private typealias Facts = HoldUpLedger.Facts

    /// The first connection reached 1 MB/s alone.
    private var solo: SoloSpeed {
        var solo = SoloSpeed()
        for step in 0...10 { solo.note(0, upTo: Int64(step) * 10_000, now: Double(step) * 0.01) }
        solo.note(1, upTo: 0, now: 0.11)
        return solo
    }

    private let usual = HoldUpLedger.Allowance(kind: .hostCap, connections: 8)

    /// Facts of two seconds, in ten samples of a fifth.
    private func ledger(_ change: (inout Facts) -> Void) -> HoldUpLedger {
        var ledger = HoldUpLedger()
        for _ in 0..<10 {
            var facts = Facts(seconds: 0.2)
            change(&facts)
            facts.connections = facts.speeds.count
            facts.bytes = Int64(facts.speeds.values.reduce(0, +) * facts.seconds)
            ledger.note(facts)
        }
        return ledger
    }

    private func kind(_ change: (inout Facts) -> Void) -> Bottleneck.Kind? {
        ledger(change).bottleneck(after: solo, allowance: usual)?.kind
    }

    private func speeds(_ count: Int, _ speed: Double) -> [Segment.ID: Double] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, speed) })
    }

    @Test("each cause is derived from its facts")
    func causes() {
        let cap = RateCap(bytesPerSecond: 500, isOfFile: false)
        #expect(kind { $0.rateCap = cap } == .rateCap)
        #expect(kind { $0.rateCap = RateCap(bytesPerSecond: 500, isOfFile: true) } == .fileRateCap)
        #expect(kind { $0.isMoving = false } == .answers)
        #expect(kind { ($0.isMoving, $0.obstacle) = (false, .connections(4)) } == .connectionCap)
        #expect(kind { ($0.isMoving, $0.obstacle) = (false, .connectionsPerHost(2)) } == .hostCap)
        #expect(kind { ($0.isMoving, $0.obstacle) = (false, .requestsPerHost(9)) } == .requestCap)
        #expect(kind { ($0.isMoving, $0.obstacle) = (false, .host) } == .refusals)
        #expect(kind { $0.obstacle = .host } == .refusals)
        #expect(kind { $0.load = 0.95 } == .processor)
        #expect(kind { ($0.load, $0.diskShare) = (0.95, 0.6) } == .disk)
        #expect(kind { $0.state = .finalizing } == .disk)
        #expect(kind { $0.state = .verifying } == .processor)
        #expect(kind { $0.speeds = speeds(8, 1e6) } == .connectionRate)
        #expect(kind { $0.speeds = speeds(8, 125_000) } == .line)
    }

    @Test("neither a busy thread that writes fast nor a slow write without load is a slow disk")
    func load() {
        #expect(kind { ($0.load, $0.diskShare) = (0.5, 0.6) } == nil)
        #expect(kind { $0.load = 0.5 } == nil)
        #expect(kind { ($0.load, $0.diskShare) = (0.95, 0.2) } == .processor)
    }

    @Test("our own rate limit takes precedence over its effects")
    func order() {
        let cap = RateCap(bytesPerSecond: 500, isOfFile: false)
        #expect(kind { ($0.rateCap, $0.isMoving, $0.load) = (cap, false, 1) } == .rateCap)
    }

    @Test("of alternating caps the last is named, with the time of all")
    func changedCap() {
        var ledger = HoldUpLedger()
        for (seconds, cap) in [(8.0, RateCap(bytesPerSecond: 2000, isOfFile: true)), (1, nil), (1, .common)] {
            var facts = Facts(seconds: seconds)
            facts.rateCap = cap
            ledger.note(facts)
        }
        let found = ledger.bottleneck(after: solo, allowance: usual)
        #expect(found == Bottleneck(.rateCap, share: 0.9, bytesPerSecond: 500))
    }

    @Test("nothing is reported without speeds, within a moment, or if no cause has half of the time")
    func silence() {
        #expect(kind { _ in } == nil)
        var ledger = HoldUpLedger()
        #expect(ledger.bottleneck(after: solo, allowance: usual) == nil)
        ledger.note(Facts(seconds: 0.4, isMoving: false))
        #expect(ledger.bottleneck(after: solo, allowance: usual) == nil)
        ledger.note(Facts(seconds: 0.4, state: .finalizing))
        ledger.note(Facts(seconds: 0.3, load: 1))
        #expect(ledger.bottleneck(after: solo, allowance: usual) == nil)
        ledger.note(Facts(seconds: 1, state: .finalizing))
        let found = ledger.bottleneck(after: solo, allowance: usual)
        #expect(found == Bottleneck(.disk, share: 0.67))
    }

    @Test("a cap that the caller lowered, or that other files fill, is named instead of the server's limit")
    func caps() {
        let two = ledger { $0.speeds = speeds(2, 1e6) }
        let lowered = HoldUpLedger.Allowance(kind: .segmentCap, connections: 2, isLowered: true)
        #expect(
            two.bottleneck(after: solo, allowance: lowered)
                == Bottleneck(.segmentCap, share: 1, connections: 2, bytesPerSecond: 1e6))
        #expect(two.bottleneck(after: solo, allowance: usual)?.kind == .connectionRate)
        let shared = ledger { ($0.speeds, $0.obstacle) = (speeds(2, 1e6), .connections(16)) }
        #expect(
            shared.bottleneck(after: solo, allowance: usual)
                == Bottleneck(.connectionCap, share: 1, connections: 16, bytesPerSecond: 1e6))
        // More connections would not help: the cap is not the reason.
        let full = ledger { ($0.speeds, $0.obstacle) = (speeds(2, 500_000), .connections(16)) }
        #expect(full.bottleneck(after: solo, allowance: lowered)?.kind == .line)
    }

    @Test("a line that loses packets is named only over round trips, and not if it is saturated")
    func loss() {
        func found(trip: Double?, early: Int, queued: Int = 0, _ speed: Double = 1e6) -> Bottleneck? {
            let facts = ledger {
                $0.roundTrip = trip
                $0.arrivals = .init(segments: 1000, early: early, queued: queued)
                $0.speeds = speeds(8, speed)
            }
            return facts.bottleneck(after: solo, allowance: usual)
        }
        let loss = found(trip: 0.08, early: 20)
        #expect(loss?.kind == .loss && loss?.connections == 8 && loss?.roundTripSeconds == 0.08)
        #expect(loss?.bytesPerSecond?.rounded() == 1e6)
        #expect(found(trip: 0.08, early: 2)?.kind == .connectionRate)
        #expect(found(trip: 0.08, early: 20, queued: 500)?.kind == .connectionRate)
        #expect(found(trip: 0.001, early: 20)?.kind == .connectionRate)
        #expect(found(trip: nil, early: 20)?.kind == .connectionRate)
        #expect(found(trip: 0.08, early: 20, 125_000)?.kind == .line)
    }

    @Test("the round trip is named if slow start takes at least half of the time")
    func slowStart() {
        // 8 x 250 kB in two seconds: log2(250,000 / 14,480 + 1) is 4.2 round trips.
        func found(trip: Double, early: Int = 0) -> Bottleneck? {
            var ledger = HoldUpLedger()
            var facts = Facts(seconds: 2)
            (facts.connections, facts.bytes, facts.roundTrip) = (8, 2_000_000, trip)
            facts.arrivals = .init(segments: 1400, early: early)
            ledger.note(facts)
            return ledger.bottleneck(after: SoloSpeed(), allowance: usual)
        }
        #expect(
            found(trip: 0.25) == Bottleneck(.roundTrip, share: 1, connections: 8, roundTrip: .seconds(0.25)))
        #expect(found(trip: 0.25, early: 20)?.kind == .roundTrip)
        #expect(found(trip: 0.2, early: 20)?.kind == .loss)
        #expect(found(trip: 0.2) == nil)
    }

    @Test("refusals that did not slow a saturated line are not a cause")
    func refusalsOnAFullLine() {
        #expect(kind { ($0.obstacle, $0.speeds) = (.host, speeds(2, 500_000)) } == .line)
        #expect(kind { ($0.obstacle, $0.speeds) = (.host, speeds(2, 1e6)) } == .refusals)
    }

    @Test("a server without ranges is named if nothing else limited the download")
    func noRanges() {
        let plain = ledger { _ in }
        #expect(plain.bottleneck(after: solo, allowance: usual, hasRanges: false)?.kind == .noRanges)
        let busy = ledger { $0.load = 1 }
        #expect(busy.bottleneck(after: solo, allowance: usual, hasRanges: false)?.kind == .processor)
    }

    @Test("the cap that applies to one file is the smallest")
    func allowance() {
        var limits = Limits()
        let standard = HoldUpLedger.Allowance(.automatic, limits, hosts: 1)
        #expect(standard == .init(kind: .hostCap, connections: 8))
        #expect(HoldUpLedger.Allowance(.automatic, limits, hosts: 3).kind == .connectionCap)
        let below = HoldUpLedger.Allowance(.fixed(40), limits, hosts: 1)
        #expect(below.kind == .hostCap && below.connections == limits.connectionsPerHost)
        let fixed = HoldUpLedger.Allowance(.fixed(3), limits, hosts: 1)
        #expect(fixed == .init(kind: .segmentCap, connections: 3, isLowered: true))
        limits.connections = 2
        let two = HoldUpLedger.Allowance(.automatic, limits, hosts: 1)
        #expect(two == .init(kind: .connectionCap, connections: 2, isLowered: true))
    }
}

extension RateCap {
    fileprivate static let common = RateCap(bytesPerSecond: 500, isOfFile: false)
}

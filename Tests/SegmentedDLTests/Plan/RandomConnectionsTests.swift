import TestSupport
import Testing

@testable import SegmentedDL

/// Connections of different speeds in virtual time: they claim, write, fail and steal until the file is
/// complete.
private struct RandomConnections {
    struct Worker {
        var bytesPerSecond: Double
        var segment: Segment.ID?
        /// Claimed but not yet written.
        var pending: ByteRange?
    }

    var plan: SegmentPlan
    var workers: [Worker]
    var random: SplitMix64
    let failures: Int
    let comment: Comment
    var now = 0.0

    mutating func run() {
        var steps = 0
        while !plan.isComplete {
            steps += 1
            guard steps < 100_000 else {
                Issue.record("no end in sight after \(steps) steps; \(comment)")
                return
            }
            now += Double.random(in: 0...0.05, using: &random)
            step(Int.random(in: workers.indices, using: &random))
            #expect(plan.countsEachByteOnce, comment)
            if random.happens(1) { plan.cutLongest() }
            // If no connection is active and bytes are missing, a connection must be opened.
            if plan.segments.isEmpty, !plan.isComplete { #expect(plan.openings(now: now) > 0, comment) }
        }
    }

    private mutating func step(_ index: Int) {
        guard let segment = workers[index].segment else { return begin(index) }
        if random.happens(failures) { return end(index, segment) }
        if workers[index].pending != nil, random.happens(60) { return write(index) }
        guard workers[index].pending == nil else { return }
        let most = max(1, Int64(workers[index].bytesPerSecond * .random(in: 0.01...0.2, using: &random)))
        if let claim = plan.claim(segment, atMost: most, now: now) {
            #expect(claim.length > 0 && claim.length <= most, comment)
            #expect(!plan.written.intersects(ByteRangeSet(claim)), comment)
            workers[index].pending = claim
        } else {
            end(index, segment)
        }
    }

    private mutating func begin(_ index: Int) {
        guard let segment = plan.next(now: now) else { return }
        workers[index].segment = segment.id
        for other in workers {
            guard let claimed = other.pending else { continue }
            #expect(!claimed.overlaps(segment.start..<segment.end), comment)
        }
    }

    private mutating func write(_ index: Int) {
        guard let pending = workers[index].pending else { return }
        #expect(!plan.written.intersects(ByteRangeSet(pending)), "written twice; \(comment)")
        plan.wrote(pending)
        workers[index].pending = nil
    }

    /// Claimed but unwritten bytes are lost with the connection.
    private mutating func end(_ index: Int, _ segment: Segment.ID) {
        plan.release(segment, now: 0)
        workers[index].segment = nil
        workers[index].pending = nil
    }
}

extension ByteRangeSet {
    fileprivate func intersects(_ other: ByteRangeSet) -> Bool { !intersection(other).isEmpty }
}

@Suite("Random connections in virtual time")
struct RandomConnectionsTests {
    @Test(
        "every byte is written exactly once, whatever is claimed, stolen and lost",
        arguments: 0..<60 as Range<UInt64>)
    func completes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let totals: [Int64] = [0, 1, 3, 65_535, 1 << 20, 10_000_019, 300 << 20]
        let total = totals[Int(seed) % totals.count]
        let count = Int.random(in: 1...9, using: &random)
        let base = max(1, Double(total))
        let workers = (0..<count).map { _ in
            RandomConnections.Worker(bytesPerSecond: base * .random(in: 0.02...1, using: &random))
        }
        var written = ByteRangeSet()
        if seed % 3 == 0, total > 10 { written.insert(contentsOf: total / 3..<total / 2) }
        var plan = SegmentPlan(total: total, written: written)
        plan.divide(among: count, minimum: seed % 2 == 0 ? 1 : 65_536)
        var connections = RandomConnections(
            plan: plan, workers: workers, random: random, failures: seed % 4 == 0 ? 0 : 5,
            comment: "seed \(seed)")
        connections.run()
        #expect(connections.plan.isComplete, "seed \(seed)")
        #expect(connections.plan.written.byteCount == total, "seed \(seed)")
        #expect(connections.plan.firstMissing == nil, "seed \(seed)")
    }
}

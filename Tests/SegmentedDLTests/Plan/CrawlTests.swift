import Testing

@testable import SegmentedDL

@Suite("A connection much slower than its siblings")
struct CrawlTests {
    /// Two segments of a megabyte; the first receives `slow` bytes per second, the second `fast`.
    private func plan(slow: Int64, fast: Int64, seconds: Int) throws -> SegmentPlan {
        var plan = SegmentPlan(total: 2_000_000)
        plan.divide(among: 2, minimum: 1)
        let first = try plan.nextSegment(now: 0)
        let second = try plan.nextSegment(now: 0)
        for second10 in 0...(seconds * 10) {
            let now = Double(second10) / 10
            _ = plan.claim(first.id, atMost: max(1, slow / 10), now: now)
            _ = plan.claim(second.id, atMost: max(1, fast / 10), now: now)
        }
        return plan
    }

    @Test("is cut at its claims, and its rest is free for another")
    func replaced() throws {
        var plan = try plan(slow: 10_000, fast: 100_000, seconds: 2)
        let before = try #require(plan.segments[0])
        let fast = plan.segments[1]
        plan.replaceSlow(now: 2)
        #expect(plan.segments[0]?.end == before.claimed)
        #expect(plan.next(now: 2)?.start == before.claimed)
        #expect(plan.segments[1] == fast)
    }

    @Test("is left alone during and shortly after our own rate limit")
    func heldBack() throws {
        var plan = try plan(slow: 10_000, fast: 100_000, seconds: 2)
        plan.heldBack(now: 2)
        plan.replaceSlow(now: 2)
        #expect(plan.segments[0]?.isRecalled == false)
        for tenth in 21...40 {
            _ = plan.claim(0, atMost: 1_000, now: Double(tenth) / 10)
            _ = plan.claim(1, atMost: 10_000, now: Double(tenth) / 10)
        }
        plan.replaceSlow(now: 2 + SlowConnectionPolicy.limitMemorySeconds)
        #expect(plan.segments[0]?.isRecalled == true)
    }

    @Test("is left alone if it is only moderately slower")
    func slower() throws {
        var plan = try plan(slow: 20_000, fast: 100_000, seconds: 2)
        plan.replaceSlow(now: 2)
        #expect(plan.segments[0]?.remaining ?? 0 > 0)
    }

    @Test("is not judged before it has received for a while")
    func early() throws {
        var plan = SegmentPlan(total: 2_000_000)
        plan.divide(among: 2, minimum: 1)
        let first = try plan.nextSegment(now: 0)
        let second = try plan.nextSegment(now: 0)
        _ = plan.claim(first.id, atMost: 10, now: 0)
        for step in 0...4 { _ = plan.claim(second.id, atMost: 100_000, now: Double(step) / 10) }
        plan.replaceSlow(now: 0.4)
        #expect(plan.segments[first.id]?.remaining ?? 0 > 0)
    }

    @Test("is also compared with one that has just ended, for a few seconds")
    func remembered() throws {
        var plan = try plan(slow: 10_000, fast: 100_000, seconds: 2)
        plan.release(1, now: 2)
        var later = plan
        plan.replaceSlow(now: 3)
        #expect(plan.segments[0]?.remaining == 0)
        later.replaceSlow(now: 2 + EndedConnections.memorySeconds + 0.1)
        #expect(later.segments[0]?.remaining ?? 0 > 0)
    }

    @Test("is not compared with one that ended before it began: the link may be slower for all now")
    func witness() throws {
        for endsBefore in [true, false] {
            var plan = SegmentPlan(total: 3_000_000)
            plan.divide(among: 3, minimum: 1)
            let fast = try plan.nextSegment(now: 0)
            for step in 0...10 { _ = plan.claim(fast.id, atMost: 50_000, now: Double(step) / 10) }
            if endsBefore { plan.release(fast.id, now: 1) }
            let slow = try plan.nextSegment(now: 1.1)
            if !endsBefore { plan.release(fast.id, now: 1.2) }
            for step in 12...25 { _ = plan.claim(slow.id, atMost: 100, now: Double(step) / 10) }
            plan.replaceSlow(now: 2.5)
            #expect(plan.segments[slow.id]?.isRecalled == !endsBefore)
        }
    }

    @Test("that was given up does not prove that others could receive")
    func noWitness() throws {
        var plan = SegmentPlan(total: 3_000_000)
        plan.divide(among: 3, minimum: 1)
        for _ in 0..<3 { plan.answered(try plan.nextSegment(now: 0).id, now: 0) }
        for step in 0...10 {
            for id in 0..<3 { _ = plan.claim(id, atMost: 2000, now: Double(step) / 10) }
        }
        plan.replaceSlow(now: 4)
        #expect(plan.segments[0]?.isRecalled == true)
        plan.release(0, now: 4)
        plan.replaceSlow(now: 4.25)
        #expect(plan.segments.values.allSatisfy { !$0.isRecalled })
    }

    @Test("alone has no comparison")
    func alone() throws {
        var plan = SegmentPlan(total: 2_000_000)
        let only = try plan.nextSegment(now: 0)
        for step in 0...20 { _ = plan.claim(only.id, atMost: 10, now: Double(step) / 10) }
        plan.replaceSlow(now: 2)
        #expect(plan.segments[only.id]?.remaining ?? 0 > 0)
    }

    @Test("is cancelled, and its claimed bytes are free again")
    func recalled() throws {
        var plan = SegmentPlan(total: 2_000_000)
        plan.divide(among: 2, minimum: 1)
        let slow = try plan.nextSegment(now: 0)
        let fast = try plan.nextSegment(now: 0)
        // All of it is claimed: nothing can be cut.
        _ = plan.claim(slow.id, atMost: 1_000_000, now: 0)
        _ = plan.claim(fast.id, atMost: 10, now: 0)
        for step in 1...10 {
            let now = Double(step) / 10
            #expect(plan.isToContinue(slow, with: Int64(step) * 100, now: now) == true)
            #expect(plan.isToContinue(fast, with: Int64(step) * 10_000, now: now) == true)
        }
        plan.wrote(slow.start..<(slow.start + 1000))
        plan.replaceSlow(now: 1)
        #expect(plan.isToContinue(slow, with: 1000, now: 1) == false)
        #expect(plan.isToContinue(fast, with: 100_000, now: 1) == true)
        plan.release(slow.id, now: 1)
        let next = try plan.nextSegment(now: 1)
        #expect(next.start == slow.start + 1000)
        #expect(plan.countsEachByteOnce)
    }

    @Test("that stalls is replaced, however fast it was, if others receive")
    func silent() throws {
        for othersReceive in [true, false] {
            var plan = SegmentPlan(total: 200_000_000)
            plan.divide(among: 2, minimum: 1)
            let silent = try plan.nextSegment(now: 0)
            let other = try plan.nextSegment(now: 0)
            _ = plan.claim(silent.id, atMost: 50_000_000, now: 0)
            _ = plan.claim(other.id, atMost: 10, now: 0)
            _ = plan.note(silent.id, received: silent.start + 20_000_000, now: 1)
            _ = plan.note(other.id, received: other.start + 20_000_000, now: 1)
            if othersReceive { _ = plan.note(other.id, received: other.start + 30_000_000, now: 1.9) }
            plan.replaceSlow(now: 1.9)
            #expect(plan.isToContinue(silent, with: 20_000_000, now: 1.9) == true)
            plan.replaceSlow(now: 2.1)
            #expect(plan.isToContinue(silent, with: 20_000_000, now: 2.1) != othersReceive)
        }
    }

    @Test("without a response gets four times the setup time of the slowest other")
    func unanswered() throws {
        for (setup, patience) in [(0.0, 2.0), (3.0, 12.0)] {
            var plan = SegmentPlan(total: 200_000_000)
            plan.noteSetup(setup)
            plan.divide(among: 2, minimum: 1)
            let silent = try plan.nextSegment(now: 0)
            let other = try plan.nextSegment(now: 0)
            _ = plan.claim(other.id, atMost: 10, now: 0)
            var steps = 0
            func isReplaced(at now: Double) -> Bool {
                while Double(steps + 1) / 10 < now {
                    steps += 1
                    _ = plan.note(
                        other.id, received: other.start + Int64(steps) * 20_000, now: Double(steps) / 10)
                }
                plan.replaceSlow(now: now)
                return plan.note(silent.id, received: silent.start, now: now)
            }
            #expect(!isReplaced(at: patience - 0.1))
            #expect(isReplaced(at: patience))
            let next = try plan.nextSegment(now: patience)
            #expect(next.start == silent.start)
        }
    }

    @Test(
        "that repeatedly ends after a few bytes suggests one request for all",
        arguments: [
            (1000, 0, 8, true), (1000, 0, 7, false), (20_000, 0, 8, false), (0, 0, 20, false),
            (1000, 65_000_000, 20, true), (1000, 70_000_000, 20, false),
        ] as [(Int64, Int64, Int, Bool)])
    func starved(bytes: Int64, written: Int64, count: Int, isStarved: Bool) throws {
        var plan = SegmentPlan(total: 200_000_000, written: ByteRangeSet(0..<written))
        for number in 0..<count {
            let now = Double(number)
            let segment = try plan.nextSegment(now: now)
            plan.answered(segment.id, now: now)
            if bytes > 0 { _ = plan.claim(segment.id, atMost: 65_536, now: now) }
            for part in 1...4 where bytes > 0 {
                let arrived = segment.start + bytes * Int64(part) / 4
                _ = plan.note(segment.id, received: arrived, now: now + Double(part) / 10)
            }
            // Every second one is replaced because of its silence, the others are lost.
            if number.isMultiple(of: 2) { plan.recall([segment.id]) }
            plan.release(segment.id, now: now + 0.5)
        }
        #expect(plan.isStarved == isStarved)
    }

    @Test("suggests nothing if a short range arrives completely in between", arguments: [true, false])
    func shortRange(isComplete: Bool) throws {
        var plan = SegmentPlan(total: 1_000_000, written: ByteRangeSet(1000..<900_000))
        let short = try plan.nextSegment(now: 0)
        #expect(short.start == 0)
        func receive(_ count: Int64, of segment: Segment, now: Double) {
            plan.answered(segment.id, now: now)
            _ = plan.claim(segment.id, atMost: 65_536, now: now)
            for part in 1...4 {
                let arrived = segment.start + count * Int64(part) / 4
                _ = plan.note(segment.id, received: arrived, now: now + Double(part) / 10)
            }
        }
        for number in 1...8 {
            let now = Double(number)
            let segment = try plan.nextSegment(now: now)
            receive(1000, of: segment, now: now)
            plan.release(segment.id, now: now + 0.5)
            if number == 7, isComplete {
                receive(1000, of: short, now: now)
                plan.wrote(0..<1000)
                plan.release(short.id, now: now + 0.5)
            }
        }
        #expect(plan.isStarved != isComplete)
    }
}

extension SegmentPlan {
    /// Records the bytes of a segment that have arrived; returns true if its connection is still needed.
    fileprivate mutating func isToContinue(_ segment: Segment, with bytes: Int64, now: Double) -> Bool {
        !note(segment.id, received: segment.start + bytes, now: now)
    }
}

import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Writing the bytes of one segment")
struct SegmentSinkTests {
    private let directory: ScratchDirectory
    private let part: PartFile

    init() throws {
        directory = try ScratchDirectory()
        part = try PartFile(DownloadPaths(directory.file("x")))
    }

    private func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
    }

    /// Returns a sink for a whole file of `total` bytes.
    private func sink(_ total: Int64) throws -> (SharedPlan, Segment, SegmentSink) {
        let plan = SharedPlan(SegmentPlan(total: total))
        let segment = try #require(plan.withLock { plan, now in plan.next(now: now) })
        return (
            plan, segment,
            SegmentSink(PartWriter(part: part, plan: plan), segment: segment, bodyEnd: segment.end)
        )
    }

    private func give(_ bytes: ArraySlice<UInt8>, to sink: SegmentSink) -> SinkAnswer {
        Array(bytes).withUnsafeBytes { sink.receive($0) }
    }

    @Test("every byte is written at its offset, whatever the pieces", arguments: [1000, 16_384, 100_000])
    func arrives(piece: Int) throws {
        let bytes = content(700_001)
        let (plan, _, sink) = try sink(Int64(bytes.count))
        for start in stride(from: 0, to: bytes.count, by: piece) {
            #expect(give(bytes[start..<min(start + piece, bytes.count)], to: sink) == .more)
        }
        sink.finish()
        #expect(plan.isComplete)
        #expect(sink.outcome.received == Int64(bytes.count))
        #expect(sink.outcome.failure == nil)
        #expect(try directory.read("x.part") == bytes)
    }

    @Test("bytes not on disk are not reported as written")
    func gathered() throws {
        let (plan, _, sink) = try sink(1_000_000)
        _ = give(content(100_000)[...], to: sink)
        #expect(plan.snapshot.written.isEmpty)
        sink.finish()
        #expect(plan.snapshot.written == ByteRangeSet(0..<100_000))
        #expect(try part.status().size == 100_000)
    }

    @Test("bytes beyond the body's end are never written")
    func tooMany() throws {
        let plan = SharedPlan(SegmentPlan(total: 2000))
        plan.withLock { plan, _ in plan.divide(among: 2, minimum: 1) }
        let segment = try #require(plan.withLock { plan, now in plan.next(now: now) })
        let sink = SegmentSink(
            PartWriter(part: part, plan: plan), segment: segment, bodyEnd: segment.end)
        #expect(segment.end == 1000)
        #expect(give(content(1500)[...], to: sink) == .enough)
        sink.finish()
        #expect(!sink.outcome.isBeyondEnd)
        #expect(plan.snapshot.written == ByteRangeSet(0..<1000))
        #expect(try directory.read("x.part") == Array(content(1500).prefix(1000)))
    }

    @Test("a body that continues beyond the file's end shows that the length is wrong", arguments: [1, 400])
    func beyondEnd(piece: Int) throws {
        let (plan, _, sink) = try sink(1000)
        let bytes = content(1500)
        var (answer, start) = (SinkAnswer.more, 0)
        while answer == .more {
            answer = give(bytes[start..<min(start + piece, bytes.count)], to: sink)
            start += piece
        }
        #expect(answer == .enough)
        sink.finish()
        #expect(sink.outcome.isBeyondEnd)
        #expect(!plan.isComplete)
    }

    @Test("a file of unknown length may have as many bytes as the limit, and not one more")
    func limit() throws {
        let plan = SharedPlan(SegmentPlan(total: nil))
        let segment = try #require(plan.withLock { plan, now in plan.assign(at: 0, now: now) })
        var writer = PartWriter(part: part, plan: plan)
        writer.limit = LengthLimit(most: 1000, source: try Source("http://host/x"))
        let sink = SegmentSink(writer, segment: segment, bodyEnd: segment.end)
        #expect(give(content(1000)[...], to: sink) == .more)
        #expect(give(content(1)[...], to: sink) == .enough)
        sink.finish()
        #expect(sink.outcome.isTooLong)
        #expect(plan.snapshot.written == ByteRangeSet(0..<1000))
    }

    @Test("a segment that is cut ends there")
    func cut() throws {
        let (plan, segment, sink) = try sink(1_000_000)
        #expect(give(content(1000)[...], to: sink) == .more)
        plan.withLock { plan, _ in plan.cutLongest() }
        let end = try #require(plan.snapshot.segments[segment.id]?.end)
        #expect(give(content(200_000)[...], to: sink) == .enough)
        sink.finish()
        #expect(plan.snapshot.written == ByteRangeSet(0..<end))
        #expect(try part.status().size == end)
        #expect(plan.snapshot.countsEachByteOnce)
    }

    @Test("reports how much of a longer body it still accepts")
    func rest() throws {
        let (plan, segment, sink) = try sink(1_000_000)
        plan.withLock { plan, _ in plan.note(ServerDistance(roundTrip: 0.1, answer: 0.1)) }
        #expect(give(content(1000)[...], to: sink) == .more)
        #expect(sink.rest == nil)
        plan.withLock { plan, _ in plan.cutLongest() }
        let end = try #require(plan.snapshot.segments[segment.id]?.end)
        // It detects the cut at its next claim, which is refused.
        #expect(give(content(Int(end) - 1000)[...], to: sink) == .enough)
        #expect(sink.rest == 0)
        sink.finish()
    }

    @Test("accepts the segment's part of a body that began before the segment was divided")
    func restOfFirst() throws {
        let plan = SharedPlan(SegmentPlan(total: 4_000_000))
        plan.withLock { plan, _ in
            plan.note(ServerDistance(roundTrip: 0.1, answer: 0.1))
            plan.divide(among: 4, minimum: 1)
        }
        let segment = try #require(
            plan.withLock { plan, now in
                let first = plan.assign(at: 0, bodyEnd: 4_000_000, now: now)
                // Another connection has requested the share after it.
                _ = plan.next(now: now)
                return first
            })
        let sink = SegmentSink(PartWriter(part: part, plan: plan), segment: segment, bodyEnd: 4_000_000)
        #expect(give(content(1000)[...], to: sink) == .more)
        #expect(sink.rest == segment.end - 1000)
        #expect(segment.end < 1_100_000)
        sink.finish()
    }

    /// Returns a plan of two shares, the first of which has a response with the whole file, and the sink for
    /// it. The second one has been requested.
    private func waiting() throws -> (SharedPlan, second: Segment, SegmentSink) {
        let plan = SharedPlan(SegmentPlan(total: 400_000))
        let (first, second) = plan.withLock { plan, now in
            plan.divide(among: 2, minimum: 1)
            return (plan.assign(at: 0, bodyEnd: 400_000, now: now), plan.next(now: now))
        }
        let sink = SegmentSink(
            PartWriter(part: part, plan: plan), segment: try #require(first), bodyEnd: 400_000)
        return (plan, try #require(second), sink)
    }

    @Test("the only response continues into bytes that are refused to all other requests")
    func onlyResponse() throws {
        let bytes = content(400_000)
        let (plan, second, sink) = try waiting()
        #expect(give(bytes[..<250_000], to: sink) == .more)
        #expect(plan.snapshot.written == ByteRangeSet(0..<second.start))
        #expect(give(bytes[250_000...], to: sink) == .hold)
        #expect(sink.tick() == .more)
        plan.withLock { plan, now in plan.release(second.id, now: now) }
        #expect(sink.tick() == .more)
        #expect(give(bytes[250_000...], to: sink) == .more)
        sink.finish()
        #expect(sink.outcome.received == 400_000)
        #expect(plan.isComplete)
        #expect(try directory.read("x.part") == bytes)
    }

    @Test("the first response ends at its share once another request has got a response")
    func secondResponse() throws {
        let bytes = content(400_000)
        for offersMore in [true, false] {
            let (plan, second, sink) = try waiting()
            #expect(give(bytes[..<Int(second.start)], to: sink) == .more)
            plan.withLock { plan, now in plan.answered(second.id, now: now) }
            #expect((offersMore ? give(bytes[Int(second.start)...], to: sink) : sink.tick()) == .enough)
            sink.finish()
            #expect(plan.snapshot.written == ByteRangeSet(0..<second.start))
            #expect(plan.snapshot.segments[second.id]?.received == second.start)
        }
    }

    @Test("does not limit windows where round trips do not matter")
    func near() throws {
        let (plan, _, sink) = try sink(1_000_000)
        plan.withLock { plan, _ in plan.note(ServerDistance(roundTrip: 0.0001, answer: 0.0001)) }
        #expect(give(content(1000)[...], to: sink) == .more)
        plan.withLock { plan, _ in plan.cutLongest() }
        #expect(give(content(800_000)[...], to: sink) == .enough)
        #expect(sink.rest == nil)
        sink.finish()
    }
}

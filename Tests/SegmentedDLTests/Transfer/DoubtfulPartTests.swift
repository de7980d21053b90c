import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

/// Some servers send the file's first bytes for any range that they describe.
@Suite("A part that may be the file's first bytes")
struct DoubtfulPartTests {
    private let directory: ScratchDirectory
    private let plan = SharedPlan(SegmentPlan(total: 2_000_000))
    private let writer: PartWriter
    private let resumed = Counter()
    private static let content = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }

    init() throws {
        directory = try ScratchDirectory()
        writer = PartWriter(part: try PartFile(DownloadPaths(directory.file("x"))), plan: plan)
    }

    private func sink() throws -> SegmentSink {
        plan.withLock { plan, _ in plan.divide(among: 2, minimum: 1) }
        let segment = try #require(
            plan.withLock { plan, now in
                _ = plan.next(now: now)
                return plan.next(now: now)
            })
        try #require(segment.start > 0)
        return SegmentSink(
            writer, segment: segment, bodyEnd: segment.end, isDoubtful: true,
            resume: { [resumed] in _ = resumed.enter() })
    }

    private func give(_ range: Range<Int>, to sink: SegmentSink) -> SinkAnswer {
        Self.content[range].withUnsafeBytes { sink.receive($0) }
    }

    private func note(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { writer.beginning.note($0, at: 0) }
    }

    @Test("is not written before these have arrived", arguments: [true, false])
    func waits(isSame: Bool) throws {
        let sink = try sink()
        #expect(give(0..<200_000, to: sink) == .more)
        #expect(sink.tick() == .more)
        #expect(give(200_000..<300_000, to: sink) == .hold)
        #expect(plan.snapshot.written.isEmpty && resumed.value == 0)
        note(isSame ? Self.content[..<1000] : Self.content[1...1000])
        #expect(resumed.value == 1)
        #expect(give(200_000..<300_000, to: sink) == (isSame ? .enough : .more))
        sink.finish()
        #expect(sink.outcome.isBeginning == isSame)
        #expect(plan.snapshot.written.byteCount == (isSame ? 0 : 300_000))
    }

    @Test("is not written either if these do not arrive for long, or before its end")
    func unknown() throws {
        let sink = try sink()
        #expect(give(0..<1000, to: sink) == .more)
        for _ in 1...SegmentSink.mostDoubtfulTicks { #expect(sink.tick() == .more) }
        #expect(sink.tick() == .enough)
        sink.finish()
        #expect(sink.outcome.isBeginning && plan.snapshot.written.isEmpty)
    }

    @Test("directly behind the known bytes is not compared with itself")
    func behind() throws {
        let plan = SharedPlan(SegmentPlan(total: 2000, written: ByteRangeSet(0..<20)))
        let writer = PartWriter(part: try PartFile(DownloadPaths(directory.file("y"))), plan: plan)
        Self.content[..<20].withUnsafeBytes { writer.beginning.note($0, at: 0) }
        let segment = try #require(plan.withLock { plan, now in plan.assignFirstFree(now: now) })
        let sink = SegmentSink(writer, segment: segment, bodyEnd: segment.end, isDoubtful: true)
        _ = Self.content[..<1000].withUnsafeBytes { sink.receive($0) }
        sink.finish()
        #expect(sink.outcome.isBeginning && plan.snapshot.written.byteCount == 20)
    }

    @Test("of which nothing has arrived does not wait")
    func empty() throws {
        let sink = try sink()
        for _ in 0...SegmentSink.mostDoubtfulTicks { #expect(sink.tick() == .more) }
        sink.finish()
        #expect(!sink.outcome.isBeginning)
    }
}

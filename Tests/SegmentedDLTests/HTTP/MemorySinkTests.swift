import Testing

@testable import SegmentedDL

@Suite("A small body in memory")
struct MemorySinkTests {
    @Test("a body longer than the limit is truncated, and known to be longer")
    func limit() {
        let sink = MemorySink(limit: 10)
        func give(_ count: Int) -> SinkAnswer {
            [UInt8](repeating: 7, count: count).withUnsafeBytes { sink.receive($0) }
        }
        #expect(give(6) == .more)
        #expect(give(4) == .more)
        #expect(give(1) == .enough)
        #expect(sink.bytes == [UInt8](repeating: 7, count: 11))
    }

    @Test("a borrowed connection is returned once")
    func owed() {
        let owed = OwedConnections()
        #expect(!owed.take())
        owed.add()
        owed.add()
        #expect([owed.take(), owed.take(), owed.take()] == [true, true, false])
    }
}

import Testing

@testable import SegmentedDLQueue

@Suite("Events for many readers")
struct BroadcastTests {
    @Test("a reader that is too far behind gets what there was room for, and then the end")
    func slow() async {
        let broadcast = Broadcast<Int>()
        let (slow, other) = (broadcast.makeStream(limit: 2), broadcast.makeStream(limit: 10))
        for number in 1...5 { broadcast.send(number) }
        var seen: [Int] = []
        for await number in slow { seen.append(number) }
        #expect(seen == [1, 2])
        broadcast.finish()
        seen = []
        for await number in other { seen.append(number) }
        #expect(seen == [1, 2, 3, 4, 5])
    }
}

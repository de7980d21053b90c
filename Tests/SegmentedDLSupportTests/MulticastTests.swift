import Testing

@testable import SegmentedDLSupport

@Suite("A multicast")
struct MulticastTests {
    @Test("ends the stream of a slow reader, after the elements that fit")
    func slow() async {
        let multicast = Multicast<Int>()
        let (slow, other) = (multicast.makeStream(limit: 2), multicast.makeStream(limit: 10))
        for number in 1...5 { multicast.send(number) }
        var seen: [Int] = []
        for await number in slow { seen.append(number) }
        #expect(seen == [1, 2])
        multicast.finish()
        seen = []
        for await number in other { seen.append(number) }
        #expect(seen == [1, 2, 3, 4, 5])
    }

    @Test("ends all streams of missed elements, and serves later ones until its end")
    func ended() async {
        let multicast = Multicast<Int>()
        let early = multicast.makeStream(limit: 10)
        multicast.send(1)
        multicast.endStreams()
        let late = multicast.makeStream(limit: 10)
        multicast.send(2)
        multicast.finish()
        var seen: [[Int]] = []
        for stream in [early, late, multicast.makeStream(limit: 10)] {
            var numbers: [Int] = []
            for await number in stream { numbers.append(number) }
            seen.append(numbers)
        }
        #expect(seen == [[1], [2], []])
    }
}

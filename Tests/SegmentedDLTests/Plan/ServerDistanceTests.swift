import Testing

@testable import SegmentedDL

@Suite("The distance of a server")
struct ServerDistanceTests {
    @Test("spreads the beginnings of several connections over a round trip")
    func delays() {
        let far = ServerDistance(roundTrip: 0.08, answer: 0.08)
        #expect((0..<3).map { far.delay(of: $0, among: 3) } == [0.02, 0.04, 0.06])
        #expect(far.delay(of: 0, among: 1) == 0)
        let endless = ServerDistance(roundTrip: 60, answer: 60)
        #expect((0..<3).map { endless.delay(of: $0, among: 3) } == [0.25, 0.5, 0.75])
        let near = ServerDistance(roundTrip: 0.001, answer: 0.3)
        #expect(near.delay(of: 2, among: 3) == 0)
    }
}

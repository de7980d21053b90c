import Testing

@testable import SegmentedDL

@Suite("The speed of the first connection alone")
struct SoloSpeedTests {
    /// A first connection with these positions every 10 ms, until a second one joins.
    private func solo(_ positions: [Int64], joins: Bool = true) -> SoloSpeed {
        var solo = SoloSpeed()
        for (index, position) in positions.enumerated() {
            solo.note(7, upTo: position, now: 5 + Double(index) * 0.01)
        }
        if joins { solo.note(8, upTo: 900_000, now: 5 + Double(positions.count) * 0.01) }
        return solo
    }

    @Test("a constant speed is known after its first moments")
    func constant() throws {
        let solo = solo((0...8).map { $0 * 20_000 })
        #expect(abs(try #require(solo.steady) - 2e6) < 1)
        #expect(abs(try #require(solo.peak) - 2e6) < 1)
    }

    @Test("a burst is the peak, and the later silence the steady speed")
    func burst() throws {
        let solo = solo([0, 0, 500_000] + Array(repeating: 1_000_000, count: 7))
        #expect(solo.steady == 0)
        #expect(try #require(solo.peak) > 3e7)
    }

    @Test("bytes that arrive with the first one do not count")
    func firstBytes() throws {
        let solo = solo([0, 900_000] + (1...8).map { 900_000 + $0 * 20_000 })
        #expect(abs(try #require(solo.peak) - 2e6) < 1)
    }

    @Test("nothing is known before a second one starts, and later bytes do not count")
    func joining() {
        var solo = solo((0...8).map { $0 * 20_000 }, joins: false)
        #expect(solo.steady == nil && solo.peak == nil)
        solo.note(8, upTo: 900_000, now: 5.09)
        let known = solo.steady
        solo.note(7, upTo: 90_000_000, now: 5.1)
        #expect(known != nil && solo.steady == known)
    }

    @Test("a burst counts even if its silence ends with the second connection")
    func shortBurst() throws {
        var solo = SoloSpeed()
        solo.note(7, upTo: 0, now: 1)
        solo.note(7, upTo: 16_384, now: 1.0001)
        solo.note(7, upTo: 1_000_000, now: 1.002)
        solo.note(8, upTo: 4_000_000, now: 1.06)
        #expect(solo.steady == nil)
        #expect(try #require(solo.peak) > 1.6e7)
    }

    @Test("a moment is too short")
    func short() {
        let solo = solo([0, 20_000, 40_000])
        #expect(solo.steady == nil && solo.peak == nil)
        #expect(SoloSpeed().peak == nil)
    }
}

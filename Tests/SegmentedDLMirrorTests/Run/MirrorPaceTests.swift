import Testing

@testable import SegmentedDLMirror

@Suite("The speed of a mirror")
struct MirrorPaceTests {
    private let start = ContinuousClock.now

    @Test("is that of the last five seconds, and never negative")
    func window() {
        var pace = MirrorPace()
        #expect(pace.bytesPerSecond == 0)
        for second in 0...10 { pace.add(Int64(second) * 100, at: start + .seconds(second)) }
        #expect(pace.bytesPerSecond == 100)
        for second in 11...15 { pace.add(1000, at: start + .seconds(second)) }
        #expect(pace.bytesPerSecond == 0)
        pace.add(0, at: start + .seconds(16))
        #expect(pace.bytesPerSecond == 0)
    }
}

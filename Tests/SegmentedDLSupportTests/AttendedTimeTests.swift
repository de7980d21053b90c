import SegmentedDLSupport
import Testing

@Suite("The time during which a program looked at the clock")
struct AttendedTimeTests {
    private func seconds(_ looks: some Sequence<Double>) -> Double {
        var time = AttendedTime()
        for look in looks { time.look(at: look) }
        return time.seconds
    }

    @Test("is continuous without a gap, from any moment on")
    func all() {
        #expect(seconds([]) == 0)
        #expect(seconds([7]) == 0)
        #expect(seconds([7, 8, 10]) == 3)
        #expect(seconds(stride(from: 100, through: 200, by: 0.25)) == 100)
    }

    @Test("excludes each gap that is much longer than the previous ones")
    func breaks() {
        let first = Array(stride(from: 0.0, through: 5, by: 0.25))
        let second = Array(stride(from: 5000.0, through: 5010, by: 0.25))
        #expect(seconds(first + second) == 15)
        #expect(seconds(first + second + [9000, 9000.25]) == 15.25)
    }

    @Test("includes the delays of a busy machine")
    func busy() {
        #expect(seconds([0, 0.25, 0.5, 0.75, 1, 3.5, 4, 13]) == 13)
    }

    @Test("includes the gaps of a rare reader, or of several at once")
    func rare() {
        #expect(seconds([0, 3600]) == 3600)
        #expect(seconds([0, 60, 120, 300]) == 300)
        #expect(seconds([0, 0.25, 60, 60.25, 120, 120.25]) == 120.25)
    }

    @Test("never decreases")
    func backward() {
        #expect(seconds([10, 5, 6]) == 1)
    }
}

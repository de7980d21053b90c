import SegmentedDLSupport
import TestSupport
import Testing

@Suite("An alarm", .timeLimit(.minutes(10)))
struct AlarmTests {
    private final class Owner: Sendable {
        let fired = AsyncEvent()
        let count = Counter()

        func fire() {
            _ = count.enter()
            fired.send()
        }
    }

    @Test("it fires at its time, and can be set to the same one again")
    func fires() async {
        let (alarm, owner) = (Alarm(), Owner())
        for _ in 0..<2 {
            alarm.set(to: 5, now: 4.99, for: owner) { $0.fire() }
            #expect(await owner.fired.wait())
        }
        #expect(owner.count.value == 2)
    }

    @Test("a time in the past fires at once")
    func late() async {
        let (alarm, owner) = (Alarm(), Owner())
        alarm.set(to: 5, now: 100, for: owner) { $0.fire() }
        #expect(await owner.fired.wait())
    }

    @Test("times that no clock can represent do not crash", arguments: [1e12, 1e19, 1e300, .infinity])
    func distant(_ moment: Double) async {
        let (alarm, owner, other) = (Alarm(), Owner(), Owner())
        alarm.set(to: moment, now: 0, for: owner) { $0.fire() }
        let second = Alarm()
        second.set(to: 0.05, now: 0, for: other) { $0.fire() }
        #expect(await other.fired.wait())
        #expect(owner.count.value == 0)
    }

    @Test("another time replaces the previous one, and nil cancels it")
    func replaced() async {
        let (alarm, owner) = (Alarm(), Owner())
        alarm.set(to: 1000, now: 0, for: owner) { $0.fire() }
        alarm.set(to: nil, now: 0, for: owner) { $0.fire() }
        alarm.set(to: 2000, now: 0, for: owner) { $0.fire() }
        alarm.set(to: 0.05, now: 0, for: owner) { $0.fire() }
        #expect(await owner.fired.wait())
        #expect(owner.count.value == 1)
    }

    @Test("setting the same time again changes nothing")
    func same() async {
        let (alarm, owner, other) = (Alarm(), Owner(), Owner())
        alarm.set(to: 0.5, now: 0, for: owner) { $0.fire() }
        alarm.set(to: 0.5, now: 0.1, for: other) { $0.fire() }
        #expect(await owner.fired.wait())
        #expect(other.count.value == 0)
    }
}

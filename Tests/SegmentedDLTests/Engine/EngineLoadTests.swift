import Testing

@testable import SegmentedDL

@Suite("The load of an engine thread")
struct EngineLoadTests {
    @Test("time that is not idle is work, and each interval starts anew")
    func turns() {
        var load = EngineLoad()
        _ = load.turn(now: 10)
        load.rested(for: 0.01)
        load.rested(for: 0.03)
        let turn = load.turn(now: 10.05)
        #expect(abs(turn.busy - 0.01) < 1e-9 && abs(turn.seconds - 0.05) < 1e-9)
        #expect(abs(load.turn(now: 10.1).busy - 0.05) < 1e-9)
    }

    @Test("an idle time longer than the interval leaves no work")
    func rest() {
        var load = EngineLoad()
        _ = load.turn(now: 1)
        load.rested(for: 1)
        #expect(load.turn(now: 1.2).busy == 0)
    }
}

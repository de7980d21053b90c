import Testing

@testable import SegmentedDL

@Suite("How busy a thread of the engine is")
struct EngineLoadTests {
    @Test("what is not rest is work, and each turn begins afresh")
    func turns() {
        var load = EngineLoad()
        _ = load.turn(now: 10)
        load.rested(for: 0.01)
        load.rested(for: 0.03)
        let turn = load.turn(now: 10.05)
        #expect(abs(turn.busy - 0.01) < 1e-9 && abs(turn.seconds - 0.05) < 1e-9)
        #expect(abs(load.turn(now: 10.1).busy - 0.05) < 1e-9)
    }

    @Test("a rest that was longer than the turn leaves no work")
    func rest() {
        var load = EngineLoad()
        _ = load.turn(now: 1)
        load.rested(for: 1)
        #expect(load.turn(now: 1.2).busy == 0)
    }
}

import Testing

@testable import segdl

@Suite("Signals that end a run")
struct SignalRuleTests {
    @Test("the first one stops the run, at any time", arguments: [0, 7, 1e9])
    func first(now: Double) {
        var rule = SignalRule()
        #expect(rule.first == nil)
        #expect(rule.receive(15, now: now) == .stop)
        #expect(rule.first == 15)
    }

    @Test("one right after it counts as the same, as `timeout` sends two", arguments: [15, 2, 1] as [Int32])
    func sameRequest(second: Int32) {
        var rule = SignalRule()
        _ = rule.receive(15, now: 10)
        #expect(rule.receive(second, now: 10) == .ignore)
        #expect(rule.receive(second, now: 10.4) == .ignore)
        #expect(rule.first == 15)
    }

    @Test("a later one ends the process at once, with its own status")
    func second() {
        var rule = SignalRule()
        _ = rule.receive(2, now: 10)
        _ = rule.receive(2, now: 10.1)
        #expect(rule.receive(2, now: 10.5) == .exit(status: 130))
        #expect(rule.receive(15, now: 11) == .exit(status: 143))
        #expect(rule.first == 2)
    }
}

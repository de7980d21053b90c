import Testing

@testable import SegmentedDL

@Suite("When a silent connection is tried again")
struct TrialPaceTests {
    /// The times of trials in a minute of silence, looked for four times a second.
    private func times(isSteady: Bool) -> [Double] {
        var pace = TrialPace()
        var times: [Double] = []
        for tick in 0..<240 {
            let now = Double(tick) / 4
            guard pace.allowsTrial(isSteady: isSteady, now: now) else { continue }
            // The policy and the plan both report it.
            pace.began(now: now)
            pace.began(now: now)
            times.append(now)
        }
        return times
    }

    @Test("once, and at a steady host after twice the time each time")
    func silence() {
        #expect(times(isSteady: false) == [0])
        #expect(times(isSteady: true) == [0, 2, 6, 14, 30])
    }

    @Test("once bytes have arrived for ten seconds, or the trial has helped")
    func again() {
        var pace = TrialPace()
        pace.began(now: 0)
        pace.received(for: 9.9)
        #expect(!pace.allowsTrial(isSteady: false, now: 60))
        pace.received(for: 0.1)
        #expect(pace.allowsTrial(isSteady: false, now: 60))
        pace.began(now: 60)
        pace.helped()
        #expect(pace.allowsTrial(isSteady: false, now: 60.1))
        pace.began(now: 60.1)
        #expect(pace.allowsTrial(isSteady: true, now: 62.1))
    }

    @Test("after a shorter silence at a steady host, and the shortest once a trial has helped")
    func firstTrial() {
        var pace = TrialPace()
        #expect(pace.silence(isSteady: false) == 3 && pace.silence(isSteady: true) == 2)
        pace.began(now: 0)
        pace.helped()
        #expect(pace.silence(isSteady: false) == 3 && pace.silence(isSteady: true) == 1)
    }

    @Test("a host is steady after four bodies without a pause since the last one with one")
    func steady() {
        var record = PauseRecord()
        for _ in 0..<3 { record.bodyEnded(hasPaused: false) }
        #expect(!record.isSteady)
        record.bodyEnded(hasPaused: false)
        #expect(record.isSteady)
        record.bodyEnded(hasPaused: true)
        for _ in 0..<3 { record.bodyEnded(hasPaused: false) }
        #expect(!record.isSteady)
    }

    @Test("a second without bytes counts as a pause only if more follow")
    func pauses() {
        var pace = SegmentPace()
        func tick(_ received: Int, times: Int = 1) { for _ in 0..<times { pace.tick(received: received) } }
        tick(1000)
        tick(0, times: 19)
        tick(1000)
        #expect(pace.hasPaused == false)
        tick(0, times: 20)
        #expect(pace.hasPaused == nil)
        tick(1)
        #expect(pace.hasPaused == true)
    }
}

import Testing

@testable import SegmentedDL

@Suite("The trial of one silent connection before others are given up")
struct SilenceTrialTests {
    /// A segment of ten million bytes that has received some in ten parts, within the 0.9 seconds before
    /// `last`.
    private func segment(_ id: Int, received: Int64, began: Double = 0, last: Double) -> Segment {
        let start = Int64(id) * 10_000_000
        var segment = Segment(
            id: id, start: start, claimed: start + received, received: start, end: start + 10_000_000,
            bodyEnd: start + 10_000_000, began: began)
        for part in 0...10 as ClosedRange<Int64> {
            segment.arrived(upTo: start + received * part / 10, now: last - 0.09 * Double(10 - part))
        }
        return segment
    }

    private func list(_ segments: Segment...) -> SegmentList {
        var list = SegmentList()
        for segment in segments { list[segment.id] = segment }
        return list
    }

    /// A trial with a connection that stalled after the first second and was replaced after the second one.
    private var begun: SilenceTrial {
        var trial = SilenceTrial()
        trial.begin(with: segment(0, received: 1_000_000, last: 1), now: 2)
        return trial
    }

    @Test("keeps the other silent connections, except those that receive, or have not received yet")
    func waiting() {
        let other = segment(1, received: 1_000_000, last: 1)
        #expect(SilenceTrial().isNeeded(for: other, now: 2))
        #expect(!SilenceTrial().keepsWaiting(other, now: 2))
        #expect(begun.keepsWaiting(other, now: 2))
        #expect(!begun.keepsWaiting(other, now: 1.1))
        let unanswered = Segment(
            id: 2, start: 0, claimed: 0, received: 0, end: 1000, bodyEnd: 1000, began: 0)
        #expect(!begun.keepsWaiting(unanswered, now: 2))
    }

    @Test("ends once a new connection has received more, or receives for long enough")
    func passed() {
        for (received, convincing) in [(Int64(1_100_000), 60.0), (500_000, 0.5)] {
            var trial = begun
            let new = segment(2, received: received, began: 2, last: 3.1)
            let failed = trial.hasFailed(in: list(new), ended: [], convincing: convincing, now: 3.2)
            #expect(!failed)
            #expect(!trial.isNeeded(for: segment(1, received: 1_000_000, last: 1), now: 3.2))
            #expect(trial.isNeeded(for: segment(1, received: 1_000_000, last: 2.5), now: 3.2))
        }
    }

    @Test("ends once a connection has ended that received more")
    func ended() {
        var trial = begun
        let early = trial.hasFailed(in: list(), ended: [(1, 2_000_000)], convincing: 1, now: 3)
        #expect(!early && trial.isNeeded(for: segment(1, received: 1, last: 1), now: 3))
        let later = trial.hasFailed(in: list(), ended: [(2.5, 2_000_000)], convincing: 1, now: 3)
        #expect(!later && !trial.isNeeded(for: segment(1, received: 1, last: 1), now: 3))
    }

    @Test("fails, once, if the new connection stalls as well")
    func failed() {
        var trial = begun
        let new = segment(2, received: 500_000, began: 2, last: 3.1)
        var failures: [Bool] = []
        for now in [3.2, 4.2, 4.3] {
            failures.append(trial.hasFailed(in: list(new), ended: [], convincing: 60, now: now))
        }
        #expect(failures == [false, true, false])
        #expect(trial.isNeeded(for: segment(1, received: 1_000_000, last: 1), now: 4.3))
    }
}

import Testing

@testable import SegmentedDL

@Suite("What is learned about a host's own limit")
struct HostLimitTests {
    private func allowance(_ limit: inout HostLimit, at now: Double, upTo setting: Int = 8) -> Int {
        limit.recover(upTo: setting, now: now)
        return limit.allowance(upTo: setting, now: now)
    }

    @Test("a host that refused nothing has the configured cap")
    func untouched() {
        var limit = HostLimit()
        #expect(limit.nextChange(now: 0) == nil)
        let allowed = allowance(&limit, at: 1e9)
        #expect(allowed == 8)
    }

    @Test("a refusal lowers the cap to the number held, after a short pause")
    func drops() {
        var limit = HostLimit()
        limit.refused(whileOpen: 4, retryAfter: nil, now: 100)
        #expect(limit.cap == 4)
        let allowed = [100, 100.1, 100.3].map { allowance(&limit, at: $0) }
        #expect(allowed == [0, 0, 4])
    }

    @Test("a factor shortens the pauses that the host has not requested")
    func factor() {
        var limit = HostLimit(pauseFactor: 0.01)
        limit.refused(whileOpen: 0, retryAfter: nil, now: 0)
        #expect(limit.pausedUntil == 0.01)
        limit.refused(whileOpen: 0, retryAfter: nil, now: 1)
        #expect(limit.pausedUntil == 1.02)
        limit.refused(whileOpen: 4, retryAfter: nil, now: 2)
        #expect(limit.pausedUntil == 2.002)
        limit.refused(whileOpen: 0, retryAfter: 5, now: 3)
        #expect(limit.pausedUntil == 8)
    }

    @Test("the cap never drops below one, and never rises by a refusal")
    func bounds() {
        var limit = HostLimit()
        limit.refused(whileOpen: 3, retryAfter: nil, now: 0)
        limit.refused(whileOpen: 7, retryAfter: nil, now: 0)
        #expect(limit.cap == 3)
        limit.refused(whileOpen: 0, retryAfter: nil, now: 0)
        #expect(limit.cap == 1)
    }

    @Test("the configured cap applies as well")
    func setting() {
        var limit = HostLimit()
        limit.refused(whileOpen: 6, retryAfter: nil, now: 0)
        let allowed = allowance(&limit, at: 1, upTo: 2)
        #expect(allowed == 2)
    }

    @Test("Retry-After is honoured")
    func retryAfter() {
        var limit = HostLimit()
        limit.refused(whileOpen: 2, retryAfter: 50, now: 100)
        #expect(limit.pausedUntil == 150)
        #expect(limit.nextChange(now: 100) == 150)
        let allowed = allowance(&limit, at: 149.9)
        #expect(allowed == 0)
        let after = allowance(&limit, at: 150)
        #expect(after >= 2)
        // A shorter pause does not replace a longer one.
        var other = HostLimit()
        other.refused(whileOpen: 2, retryAfter: 50, now: 100)
        other.refused(whileOpen: 1, retryAfter: 1, now: 101)
        #expect(other.pausedUntil == 150)
    }

    @Test("Retry-After: 0 does not mean at once")
    func retryAfterZero() {
        var limit = HostLimit()
        limit.refused(whileOpen: 0, retryAfter: 0, now: 100)
        #expect(allowance(&limit, at: 100.1) == 0)
        #expect(allowance(&limit, at: 100.2) == 1)
        // Refusals in the meantime count once.
        for now in [101, 101.1, 102] { limit.refused(whileOpen: 0, retryAfter: 0, now: now) }
        #expect(limit.pausedUntil == 102.8)
    }

    @Test("it recovers one connection at a time")
    func recovers() {
        var limit = HostLimit()
        limit.refused(whileOpen: 2, retryAfter: nil, now: 0)
        let step = HostLimit.recoverySeconds
        let allowed = [1, step - 0.1, step, step + 1, 2 * step, 3 * step].map { allowance(&limit, at: $0) }
        #expect(allowed == [2, 2, 3, 3, 4, 5])
        // A long quiet period is still one step: nothing has shown that the host accepts more.
        let later = allowance(&limit, at: 100 * step)
        #expect(later == 6)
    }

    @Test("when the cap reaches the configured one, the limit is forgotten")
    func forgotten() {
        var limit = HostLimit()
        limit.refused(whileOpen: 2, retryAfter: nil, now: 0)
        let allowed = allowance(&limit, at: 10, upTo: 3)
        #expect(allowed == 3)
        #expect(limit.cap == nil)
        #expect(limit.nextChange(now: 10) == nil)
    }

    @Test("a refusal right after an increase delays the next one")
    func slower() {
        var limit = HostLimit()
        limit.refused(whileOpen: 2, retryAfter: nil, now: 0)
        let stepped = allowance(&limit, at: 10)
        #expect(stepped == 3)
        limit.refused(whileOpen: 3, retryAfter: nil, now: 11)
        let allowed = [22, 30.9, 31].map { allowance(&limit, at: $0) }
        #expect(allowed == [3, 3, 4])
    }

    @Test("without any success, pauses double up to the maximum, and success ends that")
    func pauses() {
        var limit = HostLimit()
        var now = 0.0
        var pauses: [Double] = []
        for _ in 0..<8 {
            limit.refused(whileOpen: 0, retryAfter: nil, now: now)
            pauses.append(limit.pausedUntil - now)
            now = limit.pausedUntil
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30])
        limit.worked()
        // A host that refuses an only connection right after serving one limits its request rate.
        limit.refused(whileOpen: 0, retryAfter: nil, now: now)
        #expect(limit.pausedUntil - now < 1)
        now = limit.pausedUntil
        limit.refused(whileOpen: 0, retryAfter: nil, now: now)
        #expect(limit.pausedUntil - now == 1)
    }

    @Test("the first refusals of many files do not lengthen the pauses, only those of retries do")
    func firstRequests() {
        var limit = HostLimit()
        var now = 0.0
        func pause(isFirst: Bool) -> Double {
            limit.refused(whileOpen: 0, retryAfter: nil, isFirstOfFile: isFirst, now: now)
            defer { now = limit.pausedUntil }
            return limit.pausedUntil - now
        }
        for _ in 0..<HostLimit.mostDoubtfulFiles { #expect(pause(isFirst: true).rounded() == 1) }
        // No file was served, so further ones fail sooner.
        for _ in 0..<100 { #expect(pause(isFirst: true) < HostLimit.minimumPauseSeconds * 1.01) }
        #expect([false, false, true, true, false].map { pause(isFirst: $0).rounded() } == [2, 4, 4, 4, 8])
        limit.worked()
        limit.refused(whileOpen: 1, retryAfter: nil, isFirstOfFile: true, now: now)
        now = limit.pausedUntil
        #expect(pause(isFirst: true).rounded() == 1)
    }

    @Test("refusals during a pause do not extend it")
    func during() {
        var limit = HostLimit()
        for _ in 0..<10 { limit.refused(whileOpen: 0, retryAfter: nil, now: 5) }
        #expect(limit.pausedUntil == 6)
    }

    @Test("a host that refuses all requests faster than their interval is given the same growing pauses")
    func promptRefusals() {
        var limit = HostLimit()
        limit.worked()
        var (now, pauses) = (0.0, [Double]())
        for _ in 0..<6 {
            limit.granted(now: now)
            // The response is sooner than the next request at the known rate.
            now += 0.001
            limit.refused(whileOpen: 0, retryAfter: nil, now: now)
            pauses.append(limit.pausedUntil - now)
            now = limit.pausedUntil
        }
        #expect(pauses.map { ($0 * 10).rounded() / 10 } == [0.2, 1, 2, 4, 4, 4])
    }

    @Test("the next change is the pause's end, then the next step")
    func nextChange() {
        var limit = HostLimit()
        limit.refused(whileOpen: 0, retryAfter: nil, now: 100)
        #expect(limit.nextChange(now: 100) == 101)
        // The first refusal of an only connection already makes one the cap.
        let step = limit.nextChange(now: 101)
        #expect(step == 100 + HostLimit.recoverySeconds)
    }
}

import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The decision after a failure")
struct RetryStateTests {
    private static func network(_ kind: EngineError.Kind) -> TransferFailure {
        .network(EngineError(kind: kind, message: "x"))
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var failure: TransferFailure
        /// The decision if no other connection is active.
        var alone: String
        /// The decision if another connection is active.
        var accompanied: String

        var testDescription: String { "\(failure)" }
    }

    static let rows: [Row] = [
        Row(failure: network(.resolve), alone: "retry", accompanied: "retry"),
        Row(failure: network(.connect), alone: "retry", accompanied: "retry"),
        Row(failure: network(.refused), alone: "retry", accompanied: "retry"),
        Row(failure: network(.timeout), alone: "retry", accompanied: "retry"),
        Row(failure: network(.lost), alone: "retry", accompanied: "retry"),
        Row(failure: network(.truncated), alone: "retry", accompanied: "retry"),
        Row(failure: network(.badResponse), alone: "retry", accompanied: "retry"),
        Row(failure: network(.other), alone: "retry", accompanied: "retry"),
        Row(failure: network(.tls), alone: "fail", accompanied: "fail"),
        Row(failure: network(.setting), alone: "fail", accompanied: "fail"),
        Row(failure: .busy(status: 503, retryAfter: 9), alone: "retry", accompanied: "retry"),
        Row(failure: .busyForFile(status: 503, retryAfter: 9), alone: "retry", accompanied: "retry"),
        Row(failure: .rangeIgnored, alone: "single stream", accompanied: "drop"),
        Row(failure: .wrongRange("x"), alone: "retry", accompanied: "retry"),
        Row(failure: .encoded("gzip"), alone: "fail", accompanied: "drop"),
        Row(failure: .redirect("x"), alone: "fail", accompanied: "drop"),
        Row(failure: .failing(status: 500), alone: "retry", accompanied: "retry"),
        Row(failure: .refused(status: 404), alone: "fail", accompanied: "drop"),
        Row(failure: .expired(status: 403, at: 0), alone: "fail", accompanied: "drop"),
        Row(failure: .proxyRefused(status: 501), alone: "fail", accompanied: "drop"),
        Row(failure: .proxyRefused(status: 503), alone: "retry", accompanied: "retry"),
        Row(failure: .shortBody, alone: "retry", accompanied: "retry"),
        Row(failure: .unproven, alone: "retry", accompanied: "retry"),
        Row(failure: .changed("x"), alone: "start over", accompanied: "start over"),
        Row(
            failure: .storage(StorageError(action: "write", path: "x", errno: .noSpace)), alone: "fail",
            accompanied: "fail"),
        Row(failure: .other(DownloadError(.locked, "x")), alone: "fail", accompanied: "fail"),
    ]

    @Test("retries made without a decision count for the budget")
    func madeRetries() {
        var policy = RetryPolicy()
        policy.retries = 2
        var state = RetryState(policy: policy, hasAnswered: false)
        state.countRetries(1)
        func decision(_ now: Double) -> String {
            state.decide(.failing(status: 500), others: 0, written: 0, now: now, jitter: 1).name
        }
        #expect(decision(0) == "retry")
        #expect(state.lastRetry == RetryState.Count(number: 2, most: 2))
        #expect(decision(1000) == "fail")
    }

    @Test("the first decision on each kind of failure", arguments: rows)
    func table(row: Row) {
        var alone = RetryState(policy: RetryPolicy.five, hasAnswered: false)
        #expect(alone.decide(row.failure, others: 0, written: 0, now: 0, jitter: 0).name == row.alone)
        var accompanied = RetryState(policy: RetryPolicy.five, hasAnswered: false)
        #expect(
            accompanied.decide(row.failure, others: 1, written: 0, now: 0, jitter: 0).name == row.accompanied)
    }

    /// Fails repeatedly, each time after the requested wait.
    private func retries(_ recovery: inout RetryState, from start: Double = 0, written: Int64 = 0) -> [Double]
    {
        var now = start
        var waits: [Double] = []
        while waits.count < 1000 {
            let decision = recovery.decide(
                .failing(status: 500), others: 0, written: written, now: now, jitter: 1)
            guard let wait = decision.wait else { break }
            waits.append(wait)
            now += wait
        }
        return waits
    }

    @Test("without progress it is retried as often as allowed", arguments: [0, 1, 5, 20])
    func budget(allowed: Int) {
        var policy = RetryPolicy.five
        policy.retries = allowed
        var recovery = RetryState(policy: policy, hasAnswered: false)
        #expect(retries(&recovery).count == allowed)
    }

    /// Fails repeatedly with one kind of error, and returns the number of retries and the last count.
    private func retries(
        _ kind: EngineError.Kind, isBeforeAnyAnswer: Bool, _ policy: RetryPolicy, message: String = "x"
    ) -> (number: Int, last: RetryState.Count?) {
        var state = RetryState(policy: policy, hasAnswered: false)
        var (number, now, last) = (0, 0.0, RetryState.Count?.none)
        var error = EngineError(kind: kind, message: message)
        error.isBeforeAnyAnswer = isBeforeAnyAnswer
        while number < 100 {
            let decision = state.decide(.network(error), others: 0, written: 0, now: now, jitter: 1)
            guard let wait = decision.wait else { break }
            (number, now, last) = (number + 1, now + wait, state.lastRetry)
        }
        return (number, last)
    }

    @Test("an unreadable response is requested again as often as that may help", arguments: [0, 2, nil])
    func unreadable(most: Int?) {
        var error = EngineError(kind: .badResponse, message: "x")
        error.mostRetries = most
        var state = RetryState(policy: RetryPolicy(), hasAnswered: true)
        var (number, now) = (0, 0.0)
        while let wait = state.decide(.network(error), others: 0, written: 0, now: now, jitter: 1).wait {
            (number, now) = (number + 1, now + wait)
        }
        #expect(number == most ?? RetryPolicy().retries)
    }

    @Test("a timeout that was doubled counts as several retries")
    func doubledTimeout() {
        var state = RetryState(policy: RetryPolicy(), hasAnswered: true)
        var error = EngineError(kind: .timeout, message: "x")
        var (numbers, now) = ([Int](), 0.0)
        for used in [1, 2, 4, 4] {
            error.retriesUsed = used
            let decision = state.decide(.network(error), others: 0, written: 0, now: now, jitter: 1)
            guard let wait = decision.wait else { break }
            numbers.append(state.lastRetry?.number ?? 0)
            now += wait
        }
        #expect(numbers == [1, 3, 7])
    }

    @Test("a probably mistyped name or port is given up soon, unless the host has responded once")
    func mistyped() {
        for kind in [EngineError.Kind.resolve, .refused] {
            #expect(retries(kind, isBeforeAnyAnswer: true, RetryPolicy()).number == 2)
            #expect(retries(kind, isBeforeAnyAnswer: false, RetryPolicy()).number == 7)
            var policy = RetryPolicy()
            policy.retriesAtStart = nil
            #expect(retries(kind, isBeforeAnyAnswer: true, policy).number == 7)
            policy.retriesAtStart = 9
            #expect(retries(kind, isBeforeAnyAnswer: true, policy).number == 7)
            policy.retries = 0
            #expect(retries(kind, isBeforeAnyAnswer: true, policy).number == 0)
        }
        for kind in [EngineError.Kind.connect, .lost, .timeout, .other] {
            #expect(retries(kind, isBeforeAnyAnswer: true, RetryPolicy()).number == 7)
        }
        let temporary = "Could not resolve host: a (Temporary failure in name resolution)"
        #expect(retries(.resolve, isBeforeAnyAnswer: true, RetryPolicy(), message: temporary).number == 7)
    }

    @Test("a host that has responded is tried beyond the retries until its outage is too long")
    func outage() {
        for (longest, retries) in [(120.0, 7), (120, 1), (120, 0), (0, 7)] {
            var policy = RetryPolicy()
            policy.longestOutage = .seconds(longest)
            policy.retries = retries
            var state = RetryState(policy: policy, hasAnswered: true)
            var (now, number) = (0.0, 0)
            while true {
                var error = EngineError(kind: .refused, message: "refused")
                error.outageSeconds = now
                let decision = state.decide(.network(error), others: 0, written: 5, now: now, jitter: 1)
                guard let wait = decision.wait else { break }
                #expect(wait <= (longest > 0 ? 8 : 16) && state.lastRetry?.number ?? 0 <= retries)
                (now, number) = (now + wait, number + 1)
            }
            let isSatOut = longest > 0 && retries > 0
            #expect(
                isSatOut ? (120...128).contains(now) : number == retries, "\(longest), \(retries): \(now)")
        }
    }

    @Test("a host given up by another download is not retried", arguments: [true, false])
    func givenUp(hasAnswered: Bool) {
        var policy = RetryPolicy()
        policy.longestOutage = .seconds(120)
        var error = EngineError(kind: .connect, message: "x", isBeforeAnyAnswer: !hasAnswered)
        error.isOfHostGivenUp = true
        error.outageSeconds = hasAnswered ? 130 : nil
        var state = RetryState(policy: policy, hasAnswered: false)
        #expect(state.decide(.network(error), others: 0, written: 0, now: 0, jitter: 1).name == "fail")
    }

    @Test("the delays before a mistyped name or port is given up are less than two seconds")
    func mistypedSoon() {
        let policy = RetryPolicy()
        let waits = (1...(policy.retriesAtStart ?? 100)).map { policy.delay(failures: $0) }
        #expect(waits.reduce(0, +) < 2)
    }

    @Test("each counted retry has its position in the budget")
    func count() {
        let start = retries(.refused, isBeforeAnyAnswer: true, RetryPolicy())
        #expect(start.last == RetryState.Count(number: 2, most: 2))
        let later = retries(.lost, isBeforeAnyAnswer: false, RetryPolicy())
        #expect(later.last == RetryState.Count(number: 7, most: 7))
        var state = RetryState(policy: RetryPolicy(), hasAnswered: true)
        _ = state.decide(.shortBody, others: 1, written: 0, now: 0, jitter: 1)
        #expect(state.lastRetry == nil)
        _ = state.decide(.shortBody, others: 0, written: 0, now: 0, jitter: 1)
        #expect(state.lastRetry?.number == 1)
        _ = state.decide(.changed("its length"), others: 0, written: 0, now: 100, jitter: 1)
        #expect(state.lastRetry == nil)
    }

    @Test("delays double up to the maximum")
    func waits() {
        var policy = RetryPolicy.five
        policy.retries = 30
        policy.delay = .seconds(2)
        policy.longestDelay = .seconds(30)
        var recovery = RetryState(policy: policy, hasAnswered: false)
        let waits = retries(&recovery)
        #expect(Array(waits.prefix(6)) == [2, 4, 8, 16, 30, 30])
        #expect(waits.count == 30)
        #expect(waits.last == 30)
    }

    @Test("jitter subtracts up to a half")
    func jitter() {
        for (jitter, expected) in [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)] {
            var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: false)
            let decision = recovery.decide(.shortBody, others: 0, written: 0, now: 0, jitter: jitter)
            #expect(decision.wait == expected)
        }
    }

    @Test("a busy host is not waited for twice: the scheduler already does")
    func busy() {
        var policy = RetryPolicy.five
        policy.retries = 3
        var recovery = RetryState(policy: policy, hasAnswered: false)
        for now in [0.0, 10, 20] {
            let decision = recovery.decide(
                .busy(status: 429, retryAfter: 5), others: 0, written: 0, now: now, jitter: 1)
            #expect(decision.wait == 0)
        }
        let last = recovery.decide(
            .busy(status: 429, retryAfter: 5), others: 0, written: 0, now: 30, jitter: 1)
        #expect(last.name == "fail")
    }

    @Test("a host that asks for a longer wait than allowed fails, unless other connections work")
    func longWait() {
        var policy = RetryPolicy.five
        policy.longestRequestedWait = .seconds(60)
        func decision(_ failure: TransferFailure, others: Int = 0) -> String {
            var state = RetryState(policy: policy, hasAnswered: true)
            return state.decide(failure, others: others, written: 1, now: 0, jitter: 1).name
        }
        for (wait, name) in [(60.0, "retry"), (60.5, "fail"), (3600, "fail")] {
            #expect(decision(.busy(status: 503, retryAfter: wait)) == name)
            #expect(decision(.busyForFile(status: 429, retryAfter: wait)) == name)
            #expect(decision(.busy(status: 503, retryAfter: wait), others: 1) == "retry")
        }
        #expect(decision(.busy(status: 503, retryAfter: nil)) == "retry")
    }

    @Test("a file refused individually waits by itself, at least as long as stated")
    func busyForFile() {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: false)
        var (now, waits) = (0.0, [Double]())
        for wait in [nil, nil, 30, 1] as [Double?] {
            let decision = recovery.decide(
                .busyForFile(status: 503, retryAfter: wait), others: 0, written: 0, now: now, jitter: 1)
            waits.append(decision.wait ?? -1)
            now += decision.wait ?? 0
        }
        #expect(waits == [1, 2, 30, 8])
    }

    @Test("progress restores the budget and the first delay")
    func progress() {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: false)
        #expect(retries(&recovery).count == 5)
        #expect(retries(&recovery, from: 1000, written: 1) == [1, 2, 4, 8, 16])
        // The same or a smaller number is not progress.
        #expect(retries(&recovery, from: 2000, written: 1).isEmpty)
        #expect(retries(&recovery, from: 3000, written: 0).isEmpty)
        #expect(retries(&recovery, from: 4000, written: 2).count == 5)
    }

    @Test("progress ends an outage: a later refusal is a new one")
    func progressEndsAnOutage() {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: false)
        _ = recovery.decide(Self.network(.lost), others: 0, written: 0, now: 0, jitter: 1)
        let refusal = recovery.decide(.refused(status: 404), others: 0, written: 9, now: 0.1, jitter: 1)
        #expect(refusal.name == "fail")
    }

    @Test("while others work, failures do not count")
    func others() {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: false)
        for step in 0..<100 {
            let decision = recovery.decide(
                .failing(status: 500), others: 3, written: 0, now: Double(step) * 10, jitter: 0)
            #expect(decision.name == "retry")
        }
        #expect(retries(&recovery, from: 10_000).count == 5)
    }

    @Test("simultaneous failures count once")
    func simultaneous() {
        var policy = RetryPolicy.five
        policy.retries = 3
        var recovery = RetryState(policy: policy, hasAnswered: false)
        for round in 0..<3 {
            for _ in 0..<16 {
                let decision = recovery.decide(
                    Self.network(.lost), others: 0, written: 0, now: Double(round) * 100, jitter: 1)
                #expect(decision.name == "retry", "round \(round)")
            }
        }
        let last = recovery.decide(Self.network(.lost), others: 0, written: 0, now: 1000, jitter: 1)
        #expect(last.name == "fail")
    }

    /// Returns the seconds after which a download fails if all its connections fail.
    private func outlasted(connections: Int, seed: UInt64) -> Double {
        var random = SplitMix64(seed: seed)
        var recovery = RetryState(policy: RetryPolicy(), hasAnswered: true)
        var due = (0..<connections).map { _ in Double.random(in: 0...1, using: &random) }
        while true {
            let index = due.indices.min { due[$0] < due[$1] } ?? 0
            let now = due[index]
            let decision = recovery.decide(
                Self.network(.connect), others: 0, written: 5, now: now,
                jitter: .random(in: 0...1, using: &random))
            guard let wait = decision.wait else { return now }
            // A refused connection takes a moment, too.
            due[index] = now + wait + .random(in: 0...0.05, using: &random)
        }
    }

    @Test("an outage is outlasted equally with many connections and with one", arguments: [2, 4, 8, 16])
    func outage(connections: Int) {
        func mean(_ connections: Int) -> Double {
            (0..<50).map { outlasted(connections: connections, seed: $0) }.reduce(0, +) / 50
        }
        #expect(mean(connections) > 0.9 * mean(1))
        #expect(mean(connections) < 2 * mean(1))
    }

    @Test("in any sequence of events, it ends without progress")
    func ends() {
        let seed: UInt64 = 5
        var random = SplitMix64(seed: seed)
        for round in 0..<200 {
            var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: false)
            var now = 0.0
            var tries = 0
            while tries < 1000 {
                let failure =
                    [TransferFailure.shortBody, .unproven, .busy(status: 503, retryAfter: nil)]
                    .randomElement(using: &random) ?? .shortBody
                let decision = recovery.decide(
                    failure, others: 0, written: 77, now: now, jitter: .random(in: 0...1, using: &random))
                guard let wait = decision.wait else { break }
                tries += 1
                // A busy host's own pause is at least a second for an only connection.
                now += max(wait, 1)
            }
            #expect(tries == 5, "seed \(seed), round \(round)")
        }
    }
}

import Testing

@testable import SegmentedDL

@Suite("The decision after a failure caused by the range or the file")
struct RetryStateRangeTests {
    @Test("persistent wrong ranges without progress lead to the plain file")
    func wrongRanges() {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: false)
        var names: [String] = []
        for second in 0..<3 {
            names.append(
                recovery.decide(
                    .wrongRange("x"), others: 0, written: 5, now: Double(second) * 100, jitter: 0
                ).name)
        }
        #expect(names == ["retry", "retry", "single stream"])
    }

    @Test("encoded ranges lead to the plain file, unless bytes have been passed on")
    func encoded() {
        for (canStartOver, others, name) in [
            (true, 0, "single stream"), (true, 1, "drop"), (false, 0, "retry"),
        ] {
            var recovery = RetryState(
                policy: RetryPolicy.five, hasAnswered: true, canStartOver: canStartOver, asksForRanges: true)
            let decision = recovery.decide(.encoded("gzip"), others: others, written: 5, now: 0, jitter: 0)
            #expect(decision.name == name)
        }
    }

    @Test(
        "a refusal by a source with progress is retried once; then the file is requested without a range, if that may be the cause",
        arguments: [(400, "single stream"), (403, "single stream"), (404, "fail"), (410, "fail")])
    func refusalThatPasses(status: Int, last: String) {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: true)
        func decision(written: Int64, now: Double) -> String {
            recovery.decide(.refused(status: .init(status)), others: 0, written: written, now: now, jitter: 0)
                .name
        }
        #expect(decision(written: 5, now: 0) == "retry")
        #expect(decision(written: 9, now: 100) == "retry")
        #expect(decision(written: 9, now: 200) == last)
    }

    @Test("a refusal that may be a ban is retried with growing delays, for a limited number of times")
    func ban() {
        var policy = RetryPolicy.five
        policy.retries = 100
        var recovery = RetryState(policy: policy, hasAnswered: true)
        var (now, waits) = (0.0, [Double]())
        while let wait = recovery.decide(
            .refused(status: 404), others: 0, written: 5, now: now, jitter: 1, mayBeBan: true
        ).wait {
            waits.append(wait)
            now += wait
        }
        #expect(waits == [1, 2, 4, 8, 16, 32])
    }

    @Test("a refusal that may be a ban, or concern ranges, leads to one request for the whole file")
    func banOrRange() {
        let many = SegmentPlan.mostStartedOver + 1
        for (status, written, second) in [
            (403, 5, "try whole"), (404, 5, "retry"), (403, many, "retry"),
        ] as [(Int, Int64, String)] {
            var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: true, asksForRanges: true)
            let names = (0..<4).map {
                let decision = recovery.decide(
                    .refused(status: .init(status)), others: 0, written: written, now: Double($0) * 100,
                    jitter: 0, mayBeBan: true)
                if case .tryWhole = decision { recovery.triedWhole() }
                return decision.name
            }
            #expect(names == ["retry", second, "retry", "retry"])
        }
    }

    @Test(
        "parts that fail after others arrived lead to one request for the whole file, once until progress",
        arguments: [
            TransferFailure.failing(status: 500), .busy(status: 503, retryAfter: nil), .shortBody,
            .network(EngineError(kind: .lost, message: "x")),
        ])
    func behindAnOffset(failure: TransferFailure) {
        func names(_ written: [Int64], canStartOver: Bool = true) -> [String] {
            var recovery = RetryState(
                policy: RetryPolicy.five, hasAnswered: true, canStartOver: canStartOver, asksForRanges: true)
            return written.enumerated().map { index, written in
                let decision = recovery.decide(
                    failure, others: 0, written: written, now: Double(index) * 100, jitter: 0)
                if case .tryWhole = decision {
                    // Meanwhile another connection fails.
                    let other = recovery.decide(
                        failure, others: 0, written: written, now: Double(index) * 100 + 50, jitter: 0)
                    #expect(other.name == "retry")
                    recovery.triedWhole()
                }
                return decision.name
            }
        }
        #expect(names([5, 5, 5, 5, 5, 5]) == ["retry", "retry", "try whole", "retry", "retry", "fail"])
        #expect(names([5, 5, 6, 6, 6]) == ["retry", "retry", "retry", "retry", "try whole"])
        #expect(names([5, 5, 5], canStartOver: false) == ["retry", "retry", "retry"])
        let many = SegmentPlan.mostStartedOver + 1
        #expect(names([many, many, many, many]) == ["retry", "retry", "retry", "retry"])
    }

    @Test(
        "while the whole file is requested no other failure ends the download, whatever the retries",
        arguments: [2, 3])
    func failuresMeanwhile(retries: Int) {
        var policy = RetryPolicy.five
        policy.retries = retries
        var recovery = RetryState(policy: policy, hasAnswered: true, asksForRanges: true)
        func name(_ failure: TransferFailure, others: Int = 0, now: Double) -> String {
            recovery.decide(failure, others: others, written: 5, now: now, jitter: 0).name
        }
        for second in [0.0, 100] { #expect(name(.shortBody, now: second) == "retry") }
        for round in 1...3 {
            let now = Double(round) * 1000
            #expect(name(.shortBody, now: now) == "try whole")
            for second in 1...5 { #expect(name(.shortBody, now: now + Double(second) * 100) == "retry") }
            recovery.triedWhole()
            #expect(name(.rangeIgnored, others: 1, now: now + 600) == "drop")
        }
        #expect(name(.shortBody, now: 9000) == "try whole")
        recovery.triedWhole()
        // The request for the whole file has failed, too.
        #expect(name(.shortBody, now: 9100) == "fail")
    }

    @Test("the whole file is requested again if its response arrived while another connection received")
    func wholeBesideOthers() {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: true, asksForRanges: true)
        func name(_ failure: TransferFailure, others: Int = 0, now: Double) -> String {
            recovery.decide(failure, others: others, written: 5, now: now, jitter: 0).name
        }
        for second in [0.0, 100] { #expect(name(.shortBody, now: second) == "retry") }
        #expect(name(.shortBody, now: 200) == "try whole")
        recovery.triedWhole()
        #expect(name(.rangeIgnored, others: 1, now: 201) == "drop")
        #expect(name(.shortBody, now: 300) == "try whole")
        recovery.triedWhole()
        #expect(name(.rangeIgnored, now: 301) == "single stream")
    }

    @Test(
        "other failures do not lead to it",
        arguments: [
            TransferFailure.busy(status: 429, retryAfter: nil), .busy(status: 503, retryAfter: 5),
            .network(EngineError(kind: .connect, message: "x")),
            .network(EngineError(kind: .timeout, message: "x")),
        ])
    func elsewhere(failure: TransferFailure) {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: true, asksForRanges: true)
        for second in 0..<5 {
            let decision = recovery.decide(
                failure, others: 0, written: 5, now: Double(second) * 100, jitter: 0)
            #expect(decision.name == "retry")
        }
    }

    @Test("bytes already written are of one version: another one's connections are dropped")
    func changeOfWhatHasGoneOut() {
        var recovery = RetryState(policy: RetryPolicy.five, hasAnswered: true, canStartOver: false)
        #expect(recovery.decide(.changed("x"), others: 1, written: 5, now: 0, jitter: 0).name == "drop")
        #expect(recovery.decide(.changed("x"), others: 0, written: 5, now: 0, jitter: 0).name == "start over")
    }

    @Test(
        "announced parts without a byte lead to the plain file; once bytes arrived they do not",
        arguments: [
            TransferFailure.shortBody, .network(EngineError(kind: .truncated, message: "x")),
        ])
    func nothing(failure: TransferFailure) {
        func names(written: Int64, asksForRanges: Bool = true, canStartOver: Bool = true) -> [String] {
            var recovery = RetryState(
                policy: RetryPolicy.five, hasAnswered: true, canStartOver: canStartOver,
                asksForRanges: asksForRanges)
            return (0..<3).map {
                recovery.decide(failure, others: 0, written: written, now: Double($0) * 100, jitter: 0).name
            }
        }
        #expect(names(written: 0) == ["retry", "retry", "single stream"])
        #expect(names(written: 1) == ["retry", "retry", "try whole"])
        #expect(names(written: 0, asksForRanges: false) == ["retry", "retry", "retry"])
        #expect(names(written: 0, canStartOver: false) == ["retry", "retry", "retry"])
    }
}

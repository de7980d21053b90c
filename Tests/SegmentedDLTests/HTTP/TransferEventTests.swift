import Testing

@testable import SegmentedDL

@Suite("Log messages during a transfer")
struct TransferEventTests {
    private let source: Source
    private let other: Source

    init() throws {
        source = try Source("http://me:hunter1@a.example/f?token=hunter2")
        other = try Source("http://b.example/f")
    }

    private func retry(_ failure: TransferFailure, number: Int?, isAtStart: Bool = true) -> TransferEvent {
        let count = number.map { RetryState.Count(number: $0, most: 7) }
        return .retries(failure, of: source, after: 0.25, count, isAtStart: isAtStart)
    }

    /// The name of the level, to avoid importing the logging library.
    private func level(_ event: TransferEvent) -> String { "\(event.level)" }

    private func network(_ kind: EngineError.Kind) -> TransferFailure {
        .network(EngineError(kind: kind, message: "details"))
    }

    @Test(
        "only the first failure to connect at the start is a notice",
        arguments: [.resolve, .refused, .connect] as [EngineError.Kind])
    func firstFailure(kind: EngineError.Kind) {
        #expect(level(retry(network(kind), number: 1)) == "notice")
        #expect(level(retry(network(kind), number: 2)) == "info")
        #expect(level(retry(network(kind), number: nil)) == "info")
        #expect(level(retry(network(kind), number: 1, isAtStart: false)) == "info")
        #expect(level(retry(network(.lost), number: 1)) == "info")
        #expect(level(retry(.failing(status: 500), number: 1)) == "info")
    }

    @Test("each failure after a full timeout is a notice, and so is each long wait")
    func longFailure() {
        for number in 1...5 {
            #expect(level(retry(network(.timeout), number: number, isAtStart: false)) == "notice")
            let count = RetryState.Count(number: number, most: 7)
            let long = TransferEvent.retries(
                .failing(status: 500), of: source, after: 5, count, isAtStart: false)
            #expect(level(long) == "notice")
        }
    }

    @Test(
        "a persistent failure is a notice, at growing intervals",
        arguments: [
            (1, "info"), (2, "info"), (3, "notice"), (4, "info"), (6, "notice"), (9, "info"), (12, "notice"),
            (18, "info"), (24, "notice"),
        ])
    func lastingFailure(number: Int, expected: String) {
        for isAtStart in [true, false] {
            for failure in [network(.lost), .failing(status: 500), .busy(status: 503, retryAfter: nil)] {
                #expect(level(retry(failure, number: number, isAtStart: isAtStart)) == expected)
            }
        }
        #expect(level(retry(network(.refused), number: number, isAtStart: false)) == expected)
    }

    @Test("a retry has its reason, its time and its number")
    func retries() {
        #expect(
            retry(network(.refused), number: 1).text
                == "http://a.example/f?…: no connection to a.example:80 (connection refused); trying again in 0.3 s (1 of 7)"
        )
        #expect(
            retry(.failing(status: 500), number: nil).text
                == "http://a.example/f?…: the server failed with 500; trying again in 0.3 s")
        let busy = TransferEvent.retries(
            .busy(status: 503, retryAfter: nil), of: other, after: 0, nil, isAtStart: false)
        #expect(busy.text == "http://b.example/f: the server is busy (503); trying again")
        let unbounded = TransferEvent.retries(
            .busy(status: 503, retryAfter: nil), of: other, after: 1, RetryState.Count(number: 3, most: .max),
            isAtStart: false)
        #expect(unbounded.text == "http://b.example/f: the server is busy (503); trying again in 1.0 s (3)")
    }

    @Test(
        "seconds have one decimal place below ten",
        arguments: [
            (0.04, "0.0 s"), (0.25, "0.3 s"), (1, "1.0 s"), (9.94, "9.9 s"), (12.6, "13 s"),
        ] as [(Double, String)])
    func seconds(seconds: Double, text: String) {
        #expect(TransferEvent.seconds(seconds) == text)
    }

    @Test("a long wait requested by a host is a notice")
    func busy() {
        let host = other.origin
        let long = TransferEvent.busy(host, status: 503, seconds: 2)
        #expect(level(long) == "notice")
        #expect(long.text == "b.example:80 is busy (503) and requests a delay of 2 seconds")
        #expect(level(.busy(host, status: 503, seconds: 2, isNews: false)) == "info")
        let short = TransferEvent.busy(host, status: 429, seconds: nil)
        #expect(level(short) == "info")
        #expect(short.text == "b.example:80 is busy (429)")
        let quota = TransferEvent.quotaExhausted(host.description, seconds: 11.2)
        #expect(level(quota) == "notice")
        #expect(
            quota.text == "b.example:80 accepts no further requests for 12 s (RateLimit); waiting")
        #expect(level(.quotaExhausted(host.description, seconds: 1)) == "info")
    }

    @Test("a long wait names the remedy for an exhausted quota, and a short one does not")
    func remedy() {
        let (host, advice) = (other.origin, "set HF_TOKEN for a larger quota")
        for (seconds, isNamed) in [(250.0, true), (1, false), (nil, false)] as [(Double?, Bool)] {
            let event = TransferEvent.busy(host, status: 429, seconds: seconds, advice: advice)
            #expect(event.text.hasSuffix("; " + advice) == isNamed)
        }
        let quota = TransferEvent.quotaExhausted(host.description, seconds: 12, advice: advice)
        #expect(quota.text.hasSuffix("(RateLimit); waiting; set HF_TOKEN for a larger quota"))
    }

    @Test("a mirror with another file is reported by default, one that fails is not")
    func sources() {
        let differs = TransferEvent.sourceDiffers("its length", other)
        #expect(level(differs) == "notice")
        #expect(
            differs.text
                == "Dropping the source http://b.example/f: it has a different file (its length differs)")
        #expect(level(.sourceOfOtherDate(other)) == "notice")
        let dropped = TransferEvent.sourceDropped(.refused(status: 404), other)
        #expect(level(dropped) == "info")
        #expect(
            dropped.text == "Dropping the source http://b.example/f: the server answered 404 (not found)")
    }

    @Test("a head is shown with its fields, but without cookies and signatures")
    func head() {
        let head = ResponseHead(
            status: 302,
            fields: [
                HTTPHeader("Location", "https://c.example/f?signature=hunter3"),
                HTTPHeader("Set-Cookie", "session=hunter4"), HTTPHeader("Server", "nginx"),
            ])
        let event = TransferEvent.answered(head, from: source)
        #expect(level(event) == "debug")
        #expect(
            event.text
                == "http://a.example/f?… answered 302: location: https://c.example/f?…; set-cookie: …; server: nginx"
        )
    }

    @Test("a silence states who is silent, and the timeout")
    func silence() {
        func text(
            _ awaited: SilenceWatch.Awaited, proxy: String? = nil, until: Double? = 20,
            repeatedAfter: Double? = nil
        ) -> String {
            let silence = SilenceWatch.Silence(awaited: awaited, seconds: 5, proxy: proxy)
            let patience = SilenceWatch.Patience(connection: until, answer: until, bytes: until)
            let event = TransferEvent.silent(
                silence, at: other.origin, other, patience, repeatedAfter: repeatedAfter)
            #expect(level(event) == "notice")
            return event.text
        }
        #expect(
            text(.answer)
                == "http://b.example/f: b.example:80 accepted the connection but has not responded for 5 s; waiting until 20 s (lowSpeedTime, --low-speed-time)"
        )
        #expect(text(.answer, proxy: "10.0.0.1:3128").contains(": the proxy 10.0.0.1:3128 accepted"))
        #expect(
            text(.connection, until: 30)
                == "http://b.example/f: no connection to b.example:80 for 5 s; waiting until 30 s (connectTimeout, --connect-timeout)"
        )
        for (delay, end) in [(0, "trying another connection"), (5, "trying another connection in 5.0 s")] {
            #expect(text(.answer, repeatedAfter: Double(delay)).hasSuffix(" for 5 s; \(end)"))
        }
        #expect(text(.bytes, until: nil) == "http://b.example/f: no data from b.example:80 for 5 s; waiting")
    }

    @Test("no event reveals a secret, or a name from the code")
    func plainWords() {
        let failure = TransferFailure.refused(status: 403)
        let events: [TransferEvent] = [
            .redirected(status: 302, from: source, to: other),
            .redirectedInsecurely(from: source.origin, to: other.origin),
            .expired(status: 403, at: other, from: source),
            .asksAgain(status: 500, of: source, withRange: false),
            .asksAgain(status: 200, of: source, withRange: true),
            .connectionDropped(failure, to: source), .connectionReplaced(to: source),
            .connectionMoved(from: source), .becomesStream(.rangeIgnored, from: source),
            .rangesStarve(at: source), .sourcePassedOver(failure, source), .sourceDropped(failure, source),
            .sourceDiffers("its length", source), .sourceOfOtherDate(source), retry(failure, number: 1),
        ]
        for event in events {
            for word in ["hunter", "status:", "refused(", "TransferFailure", "Optional"] {
                #expect(!event.text.contains(word), "\(event.text)")
            }
            #expect(!event.text.hasSuffix("."), "\(event.text)")
        }
    }
}

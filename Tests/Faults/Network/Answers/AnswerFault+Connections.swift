import SegmentedDL

extension AnswerFault {
    static let connections: [AnswerFault] = [
        .init("No server listens", "http://127.0.0.1:1/", "", .error(.connectionFailed, .nothing)),
        .init("Three connections close without an answer", "hang-up-before-head", "times=3"),
        .init(
            "Every connection closes without an answer", "hang-up-before-head", "times=1000",
            .error(.connectionFailed, .nothing)
        ).requests(4),
        AnswerFault(
            "Every connection with a later range closes without an answer", "hang-up-before-head",
            "times=1000&later=1"
        ).interrupted(),
        .init("Three bodies are reset in the middle", "reset", "times=3"),
        .init("Every body is reset, but each delivers some bytes", "reset", "times=1000&at=100000"),
        .init(
            "Every body is reset before its first byte", "reset", "times=1000&at=0",
            .error(.connectionFailed, .unfinished)),
        .init("Two bodies stall in the middle", "stall", "times=2").stalling,
        .init("Two requests get no answer", "stall-head", "times=2").stalling,
        .init("Two later requests get no answer", "stall-head", "times=2&later=1").stalling,
        // The second timeout is doubled, and counts as two of the three retries.
        .init("No request gets an answer", "stall-head", "times=1000", .error(.timedOut, .nothing))
            .stalling.requests(3),
        .init("Every second later connection drips", "drip", "every=2&bps=20000"),
        .init("Every connection is closed after its answer", "plain", "close=1"),
        .init("A stream without ranges is reset in the middle, twice", "reset", "times=2&whole=1"),
    ]

    static let limits: [AnswerFault] =
        ["503", "429", "reset", "refuse"].flatMap { how in
            [2, 1].map { k in
                AnswerFault("At most \(k) connections, more get \(name(how))", "limit", "k=\(k)&how=\(how)")
                    .sized(2_000_000, segments: 6).requests(2...39)
            }
        } + [
            .init("At most 2 connections, more get 503 with Retry-After: 1", "limit", "k=2&retry-after=1")
                .sized(2_000_000, segments: 6).requests(2...39).sees(206, 503),
            .init("At most 2 connections, more get silence", "limit", "k=2&how=silence")
                .sized(2_000_000, segments: 6).requests(2...39).stalling,
            .init("At most 1 connection, more get silence", "limit", "k=1&how=silence")
                .sized(2_000_000, segments: 6).requests(2...39).stalling,
        ]

    private static func name(_ how: String) -> String {
        switch how {
        case "reset": "a reset"
        case "refuse": "closed without an answer"
        default: how
        }
    }
}

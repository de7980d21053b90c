import SegmentedDL

extension AnswerFault {
    static let wrongRanges: [AnswerFault] = [
        .init("Two later answers start at another byte", "wrong-start", "times=2").sees(206),
        .init(
            "Every later answer starts at another byte", "wrong-start"),
        .init("The first answer starts at another byte", "wrong-start", "first=1&times=1"),
        .init("Every answer to a range starts at another byte", "wrong-start", "first=1"),
        .init("The answer to a resume starts at another byte", "wrong-start", "times=1").interrupted(),
        .init("Two later answers end early, and say so", "wrong-end", "times=2"),
        .init("Every later answer ends early", "wrong-end"),
        .init("The first answer holds less than the whole file, and says so", "wrong-end", "first=1&times=1"),
        .init("One later answer states another total", "wrong-total", "times=1"),
        .init(
            "Every later answer states another total", "wrong-total", "",
            .error(.remoteFileChanged, .unfinished)),
        .init("Only the first answer states another total", "wrong-total", "first=1&times=1"),
        .init(
            "Every answer states a total that is one too many", "wrong-total", "first=1",
            .error(.remoteFileChanged, .unfinished)),
        .init("Two later answers have no Content-Range", "no-content-range", "times=2"),
        .init(
            "No later answer has a Content-Range", "no-content-range"),
        .init("No answer has a Content-Range", "no-content-range", "first=1"),
        .init("The total is left open in two later answers", "no-total", "times=2"),
        .init(
            "The total is left open in every later answer", "no-total"),
        .init("The total is left open in every answer", "no-total", "first=1"),
        .init("Two contradicting Content-Ranges, twice", "two-content-ranges", "times=2"),
        .init(
            "Two contradicting Content-Ranges in every later answer", "two-content-ranges"),
        .init("Two contradicting Content-Ranges in every answer", "two-content-ranges", "first=1"),
        .init("Two later answers have a garbled Content-Range", "garbled-content-range", "times=2"),
        .init(
            "Every later answer has a garbled Content-Range", "garbled-content-range"),
        .init("Every answer has a garbled Content-Range", "garbled-content-range", "first=1"),
        garbled("has an empty Content-Range", "%20"),
        garbled("has a Content-Range of another unit", "items%200-249999/1000000"),
        garbled("has a Content-Range without its end", "bytes%20250000-/1000000"),
        garbled("has a Content-Range that ends before it starts", "bytes%20499999-250000/1000000"),
        garbled("has a Content-Range that ends behind its total", "bytes%20250000-499999/1000"),
        garbled(
            "has a Content-Range beyond 64 bits",
            "bytes%200-99999999999999999999/99999999999999999999"),
        garbled("has the Content-Range of a 416", "bytes%20*/1000000"),
        .init("Two later answers have a negative Content-Range", "negative-content-range", "times=2"),
        .init(
            "Every later answer has a negative Content-Range", "negative-content-range"),
        .init("Two later answers are multipart", "multipart", "times=2"),
        .init("Every later answer is multipart", "multipart"),
        .init("Every answer is multipart", "multipart", "first=1"),
    ]

    private static func garbled(_ what: String, _ value: String) -> AnswerFault {
        .init("One later answer \(what)", "garbled-content-range", "times=1&value=\(value)")
    }

    static let ignoredRanges: [AnswerFault] = [
        .init("The server has no ranges: 200 to the first request", "no-ranges").requests(1),
        .init("Every second later request gets 200", "ranges-sometimes").sees(200, 206),
        .init("Only the first request gets a range", "ranges-only-first").sees(200, 206),
        .init(
            "A range from the first byte on gets 200, others 206, and every body ends early",
            "ranges-only-later", "at=150000"
        ).sees(200, 206),
        .init("Only one connection gets ranges, the others 200", "ranges-on-first-connection").sees(200, 206),
        .init("Ranges are gone when an interrupted download resumes", "ranges-only-first")
            .interrupted(keepsBytes: false).sees(200, 206),
        .init(
            "Later requests get 200 with another file's validators", "changing", "after=1&whole=1&by=all",
            .exact(seed: 2, length: 1_001_000)),
        .init(
            "Later requests get 200 with another length only", "changing", "after=1&whole=1&by=total",
            .exact(seed: 2, length: 1_001_000)),
    ]
}

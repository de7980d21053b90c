import SegmentedDL

extension AnswerFault {
    static let changes: [AnswerFault] = [
        .init(
            "A few words without validators under 200, once the first body was cut", "status",
            "code=200&after=1&at=500000&text=Session_expired.", .error(.remoteFileChanged, .unfinished)),
        .init(
            "The same as a binary type", "status",
            "code=200&after=1&at=500000&text=Session_expired.&type=application/octet-stream",
            .error(.remoteFileChanged, .unfinished)),
        .init(
            "Nothing under 200, once the first body was cut", "status", "code=200&after=1&at=500000&text=_",
            .error(.remoteFileChanged, .unfinished)),
        .init(
            "Replaced between two segments, with another total", "changing", "by=total&after=2",
            .exact(seed: 2, length: 1_001_000)),
        .init(
            "Replaced between two segments, with another ETag", "changing", "by=etag&after=2", .exact(seed: 2)
        ),
        .init(
            "Replaced between two segments, with another ETag and no date", "changing",
            "by=etag&after=2&lm=none", .exact(seed: 2)),
        .init(
            "Replaced between two segments, under the same date without an ETag", "changing",
            "by=no-etag&after=2", .exact(seed: 2)),
        .init(
            "Replaced before a resume, under the same date without an ETag", "changing",
            "by=no-etag&after=1", .exact(seed: 2)
        ).interrupted(),
        AnswerFault(
            "Replaced before a resume over one connection", "changing", "by=lm&after=1", .exact(seed: 2)
        ).sized(1_000_000, segments: 1).interrupted().requests(3),
        .init(
            "Replaced between two segments, with another weak ETag", "changing", "by=etag&after=2&etag=weak",
            .exact(seed: 2)),
        .init(
            "Replaced between two segments, with another Last-Modified", "changing", "by=lm&after=2",
            .exact(seed: 2)),
        .init(
            "Replaced between two segments, with another Last-Modified and no ETag", "changing",
            "by=lm&after=2&etag=none", .exact(seed: 2)),
        .init(
            "Replaced between two segments, in all of these", "changing", "by=all&after=2",
            .exact(seed: 2, length: 1_001_000)),
        .init(
            "Replaced between two segments, in none of these, which no head shows", "changing",
            "by=none&after=2", .error(.checksumMismatch, .setAside)
        ).verified,
        .init(
            "Replaced during a segment, with another ETag", "replaced-within", "by=etag", .exact(seed: 2)),
        .init(
            "Replaced during a segment, with another total", "replaced-within", "by=total",
            .exact(seed: 2, length: 1_001_000)),
        .init(
            "Replaced during a segment, with another Last-Modified", "replaced-within", "by=lm",
            .exact(seed: 2)),
        .init(
            "Replaced during a segment, which ends there", "replaced-within", "by=all&cut=1&times=3",
            .exact(seed: 2, length: 1_001_000)),
        .init(
            "Replaced during the last answer, which no head shows any more", "replaced-within", "by=all",
            .error(.checksumMismatch, .setAside)
        ).sized(1_000_000, segments: 1).verified.requests(1),
        .init("The ETag is another one in each answer, the file is the same", "rotating-etag"),
        .init(
            "A weak ETag is another one in each answer, the file is the same", "rotating-etag", "etag=weak"),
        .init(
            "The ETag is another one in each answer, and there is no date", "rotating-etag", "lm=none"),
        .init("The date is another one in each answer, the file is the same", "rotating", "by=lm"),
        .init("ETag and date are other ones in each answer, the file is the same", "rotating"),
        .init("Two servers take turns, each with validators of its own", "rotating", "of=2"),
        .init("Three servers take turns, each with a date of its own", "rotating", "of=3&by=lm&etag=none"),
        .init("Neither ETag nor Last-Modified", "plain", "etag=none&lm=none"),
        .init("Only a weak ETag", "plain", "etag=weak&lm=none"),
        .init("Only a Last-Modified", "plain", "etag=none"),
        .init("A Last-Modified that is no date", "plain", "etag=none&lm=yesterday"),
        .init("Empty validators", "plain", "etag=%20&lm=%20"),
    ]

    static let changesBetweenRuns: [AnswerFault] = [
        .init("Nothing changed", "plain").interrupted(keepsBytes: true),
        .init("Another total", "changing", "by=total", .exact(seed: 2, length: 1_001_000))
            .interrupted(keepsBytes: false),
        .init(
            "A total below what is on disk", "changing", "by=total&grows=-990000",
            .exact(seed: 2, length: 10_000)
        ).interrupted(keepsBytes: false),
        .init(
            "A few words without validators under 200 (UniqueStudio/UniqueRecruitmentSystem #45)", "status",
            "code=200&after=1&text=Session_expired.", .error(.remoteFileChanged, .unfinished)
        ).interrupted(),
        .init(
            "Nothing under 200, without validators", "status", "code=200&after=1&text=_",
            .error(.remoteFileChanged, .unfinished)
        ).interrupted(),
        .init("An empty file now", "changing", "by=total&grows=-1000000", .exact(seed: 2, length: 0))
            .interrupted(keepsBytes: false),
        .init("Another ETag", "changing", "by=etag", .exact(seed: 2)).interrupted(keepsBytes: false),
        .init("Another ETag, and no date", "changing", "by=etag&lm=none", .exact(seed: 2))
            .interrupted(keepsBytes: false),
        .init("Another weak ETag", "changing", "by=etag&etag=weak", .exact(seed: 2))
            .interrupted(keepsBytes: false),
        .init("Another Last-Modified", "changing", "by=lm", .exact(seed: 2)).interrupted(keepsBytes: false),
        .init("Another Last-Modified, and no ETag", "changing", "by=lm&etag=none", .exact(seed: 2))
            .interrupted(keepsBytes: false),
        .init("All of these", "changing", "by=all", .exact(seed: 2, length: 1_001_000))
            .interrupted(keepsBytes: false),
        .init(
            "Other bytes, and no validators at all", "changing", "by=none&etag=none&lm=none", .exact(seed: 2)
        )
        .interrupted(keepsBytes: false),
        .init(
            "Other bytes under the same weak ETag", "changing", "by=none&etag=weak&lm=none", .exact(seed: 2)
        )
        .interrupted(keepsBytes: false),
        .init(
            "Other bytes under the same total, ETag and Last-Modified, which no head shows", "changing",
            "by=none", .error(.checksumMismatch, .setAside)
        ).interrupted().verified,
        .init("The same file under another ETag and date each time", "rotating")
            .interrupted(keepsBytes: false),
        .init("The same file under another ETag", "rotating-etag").interrupted(keepsBytes: true),
        .init("The same file, and no validators at all", "plain", "etag=none&lm=none")
            .interrupted(keepsBytes: true),
        .init("The same file under the same weak ETag", "plain", "etag=weak&lm=none")
            .interrupted(keepsBytes: true),
    ]
}

import SegmentedDL

extension AnswerFault {
    static let lengths: [AnswerFault] = [
        .init("Bodies end in the middle, three times", "short-body", "times=3"),
        .init("Every body ends in the middle, but each delivers some bytes", "short-body", "at=100000"),
        .init(
            "Every body ends before its first byte", "short-body", "at=0",
            .error(.connectionFailed, .unfinished)),
        .init(
            "The first body ends in the middle of a whole file", "close-truncated", "",
            .error(.connectionFailed, .unfinished)),
        .init("More bytes follow than are stated", "long-body").sees(206),
        .init(
            "More bytes follow than are stated, behind 200", "garbled-length", "whole=1&value=999999",
            .exact(length: 999_999)),
        .init("A length that contradicts the Content-Range, twice", "contradicting-length", "times=2"),
        .init(
            "A shorter length that contradicts the Content-Range, twice", "contradicting-length",
            "times=2&by=-7"),
        .init(
            "Lengths that contradict the Content-Range of every later answer", "contradicting-length",
            "later=1"),
        .init("Lengths that contradict the Content-Range of every answer", "contradicting-length"),
        .init("Two contradicting Content-Lengths, twice", "extra-field", "times=2&field=Content-Length:7"),
        .init(
            // The first request is for a range, and the next three are not.
            "Two contradicting Content-Lengths in every answer", "extra-field", "field=Content-Length:7",
            .error(.badResponse, .nothing)
        ).requests(4),
        .init(
            "Two contradicting Content-Lengths in every later answer", "extra-field",
            "later=1&field=Content-Length:7"),
        .init("The same Content-Length twice", "extra-field", "whole=1&field=Content-Length:1000000"),
        .init(
            "The same Content-Length twice in one field", "garbled-length", "whole=1&value=1000000,%201000000"
        ),
        .init("A negative length, twice", "garbled-length", "value=-5&times=2"),
        .init(
            "A negative length in every answer", "garbled-length", "value=-5", .error(.badResponse, .nothing)
        ).requests(3),
        AnswerFault(
            "A negative length in every answer to a later range", "garbled-length", "value=-5&later=1"
        ).interrupted(),
        .init("A length that is no number, twice", "garbled-length", "times=2"),
        .init(
            "A length that is no number in every 200", "garbled-length", "whole=1",
            .error(.badResponse, .nothing)),
        .init(
            "A length with a sign, in every 200", "garbled-length", "whole=1&value=%2B1000000",
            .error(.badResponse, .nothing)),
        .init("A length beyond 64 bits, twice", "huge-length", "times=2"),
        .init("A length beyond 64 bits in every answer", "huge-length", "", .error(.badResponse, .nothing)),
        .init(
            "A length beyond 64 bits in every later answer", "huge-length", "later=1"),
        .init(
            "A length beyond 64 bits in every 200, whose body ends early", "garbled-length",
            "whole=1&value=99999999999999999999&at=500000", .error(.badResponse, .nothing)),
        .init(
            "A length of more than an exbibyte in every 200", "garbled-length",
            "whole=1&value=9000000000000000000", .error(.badResponse, .nothing)),
        .init("An empty file", "plain").sized(0).requests(2),
        AnswerFault("An empty file of which the digest is known", "plain").sized(0).verified.requests(1),
        .init("A file of one byte", "plain").sized(1).requests(1),
    ]

    static let framing: [AnswerFault] = [
        .init("200 without a length, ended by closing", "no-length").requests(1),
        .init(
            "200 without a length, ended by a reset", "no-length-truncated", "how=reset",
            .error(.connectionFailed, .nothing)),
        .init(
            "200 without a length, closed in the middle, which looks like its end", "no-length-truncated", "",
            .error(.checksumMismatch, .setAside)
        ).verified,
        .init("206 without a length, ended by closing", "no-length-ranges"),
        .init("206 without a length, closed early, twice", "no-length-ranges", "at=100000&times=2"),
        .init("206 without a length, reset early, twice", "no-length-ranges", "at=100000&times=2&how=reset"),
        .init("200 in chunks", "chunked").requests(1),
        .init("200 in chunks that never end", "chunked-truncated", "", .error(.connectionFailed, .nothing)),
        .init("206 in chunks", "chunked-ranges"),
        .init("Chunks with contradicting fields behind the last one", "chunked-trailer"),
        .init("Garbage in the place of a chunk, twice", "chunked-garbage", "times=2"),
        .init(
            "Garbage in the place of the first chunk of every answer", "chunked-garbage", "at=0",
            .error(.badResponse, .unfinished)),
        .init("206 in chunks with a shorter Content-Length, twice", "chunked-with-length", "times=2"),
        .init("206 in chunks with a longer Content-Length, twice", "chunked-with-length", "times=2&by=7"),
        .init("200 in chunks with a shorter Content-Length", "chunked-with-length", "whole=1"),
        .init("200 in chunks with a longer Content-Length", "chunked-with-length", "whole=1&by=7"),
    ]

    static let encodings: [AnswerFault] = [
        .init("Every answer is compressed", "encoded", "first=1", .error(.encodedContent, .nothing)).requests(
            2),
        .init("Every answer to a range is compressed", "encoded", "first=1&ranges=1").requests(2),
        .init("Every later answer to a range is compressed", "encoded", "ranges=1"),
        .init("The answer to a resume is compressed", "encoded", "").interrupted(keepsBytes: false),
        .init(
            "A whole file is compressed", "extra-field", "whole=1&field=Content-Encoding:br",
            .error(.encodedContent, .nothing)),
        .init("An encoding is named that no client decodes", "extra-field", "field=Content-Encoding:lzma"),
        .init("An encoding is named that changes nothing", "extra-field", "field=Content-Encoding:identity"),
        .init(
            "An encoding is named that the media type says as well, as Apache's AddEncoding does",
            "extra-field", "ctype=application/x-gzip&field=Content-Encoding:x-gzip"),
        .init(
            "A second encoding is named behind one that changes nothing", "extra-field",
            "field=Content-Encoding:identity,%20gzip", .error(.encodedContent, .nothing)),
        .init(
            "A compression for the way only, which was not asked for", "extra-field",
            "field=Transfer-Encoding:gzip", .error(.badResponse, .unfinished)),
    ]
}

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
            "Every later answer states another total", "wrong-total"),
        .init("Only the first answer states another total", "wrong-total", "first=1&times=1"),
        .init(
            "Every answer states a total that is one too many", "wrong-total", "first=1"),
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
        .init("Two later answers are multipart under 200", "multipart", "times=2&code=200"),
        .init("Every later answer is multipart under 200", "multipart", "code=200"),
        .init("Every answer to a range is multipart under 200", "multipart", "first=1&code=200"),
        .init("The answer to a resume is multipart under 200", "multipart", "code=200").interrupted(),
        AnswerFault("Only the first request gets an answer", "stall-head", "later=1&times=1000000")
            .sized(16_000_000),
    ]

    private static func garbled(_ what: String, _ value: String) -> AnswerFault {
        .init("One later answer \(what)", "garbled-content-range", "times=1&value=\(value)")
    }

    static let rangesUnder200: [AnswerFault] = [
        .init("Each range is sent with status 200, with its Content-Range", "ranges-under-200").sees(200),
        .init("Each range is sent with status 200, and the download is resumed", "ranges-under-200")
            .interrupted(keepsBytes: true),
        .init(
            "Later ranges are sent with status 200, with their Content-Range", "ranges-under-200", "later=1"
        )
        .sees(200, 206),
        .init("The range of a resume is sent with status 200", "ranges-under-200", "later=1")
            .interrupted(keepsBytes: true).sees(200, 206),
        .init("Each range is sent with status 200, without its offsets", "ranges-under-200", "silent=1"),
        .init(
            "Later ranges are sent with status 200, without its offsets", "ranges-under-200",
            "silent=1&later=1"),
        .init(
            "The range of a resume is sent with status 200, without its offsets", "ranges-under-200",
            "silent=1&later=1"
        )
        .interrupted(keepsBytes: true).sees(200, 206),
        .init(
            "The range of a resume is sent with status 200 with nothing but a length, as is each later one",
            "ranges-under-200", "silent=1"
        ).interrupted(keepsBytes: false),
        .init(
            "One range of a resume is sent with status 200, without validators", "ranges-under-200",
            "silent=1&later=1&times=1&etag=none&lm=none"
        )
        .interrupted(keepsBytes: true),
    ]

    static let refusedRanges: [AnswerFault] =
        [304, 400, 402, 403, 405, 406, 409, 412, 413, 415, 418, 422, 428, 431, 600, 999].map {
            AnswerFault("Each range is refused with \($0), the file is not", "ranges-refused", "code=\($0)")
                .sees(200, $0).requests(2)
        }
        + [406, 415].map {
            .init("Accept-Encoding is refused with \($0), the file is not", "coding-refused", "code=\($0)")
                .sees(200, $0).requests(2)
        } + [
            .init("Ranges are refused when an interrupted download resumes", "ranges-refused", "later=1")
                .interrupted(keepsBytes: false).sees(200, 206, 403),
            .init("Later ranges are refused", "ranges-refused", "later=1&code=400").sees(206, 400),
            .init("Each range is redirected to itself", "ranges-refused", "code=302").sees(200, 302),
            .init("Later ranges get 304, without a condition", "ranges-refused", "later=1&code=304")
                .sees(206, 304),
            .init("Responses hold less than was asked for", "short-ranges").sees(206),
            .init(
                "Responses hold less than was asked for, and the whole is refused", "short-ranges", "bare=400"
            ),
            .init("Responses hold less than was asked for, after an interruption", "short-ranges", "bare=400")
                .interrupted(keepsBytes: true),
            .init(
                "Open ranges are refused, and the whole too", "long-ranges-refused", "most=1048576&bare=400"
            )
            .sized(3_000_000).sees(206, 400),
            .init(
                "Long and open ranges are refused with 416, and the whole with 400", "long-ranges-refused",
                "most=1048576&bare=400&code=416"
            ).sized(3_000_000).sees(206, 416),
            .init("Long ranges are refused, open ones are not", "long-ranges-refused", "open=1&bare=400")
                .sees(206, 400),
            .init(
                "Long ranges are refused with 413, open ones are not", "long-ranges-refused",
                "open=1&code=413"
            )
            .sees(206, 413),
        ]

    /// Sends an empty body, or a page, in answer to each request with a range.
    static let emptyRanges: [AnswerFault] =
        [201, 204, 205, 207, 300, 305].map {
            AnswerFault("Each range gets \($0), the file is whole without", "ranges-refused", "code=\($0)")
                .sees(200, $0).requests(2)
        }
        + ["length", "chunked", "closed"].map {
            AnswerFault("Each range gets an empty file (\($0))", "ranges-refused", "code=200&empty=\($0)")
                .sees(200).requests(2)
        } + [
            AnswerFault("Each range gets a web page under 200", "ranges-refused", "code=200")
                .sees(200).requests(2),
            AnswerFault("Each range gets 416 as of an empty file", "ranges-refused", "code=416&empty=length")
                .sees(200, 416).requests(2),
            AnswerFault("The file is empty, and the range too", "ranges-refused", "code=200&empty=length")
                .sized(0).sees(200).requests(2),
            AnswerFault("A resume gets an empty file", "ranges-refused", "later=1&code=200&empty=length")
                .interrupted().sees(200, 206),
            AnswerFault(
                "A resume gets an empty file without a length", "ranges-refused",
                "later=1&code=200&empty=chunked"
            )
            .interrupted().sees(200, 206),
            AnswerFault("A resume gets 204", "ranges-refused", "later=1&code=204")
                .interrupted(keepsBytes: false).sees(200, 204, 206),
            .init("Later ranges get an empty file", "ranges-refused", "later=1&code=200&empty=length"),
            .init("Later ranges get a web page", "ranges-refused", "later=1&code=200"),
        ]
        + ["length", "chunked", "closed", "cut"].map {
            AnswerFault(
                "Each range is announced, but no byte of it is sent (\($0))", "ranges-refused",
                "code=206&empty=\($0)"
            )
            .sees(200, 206)
        }

    /// Caches and gateways that cannot serve ranges after some offset, but can serve the whole file.
    static let rangesBehindOffset: [AnswerFault] =
        [400, 403, 416, 500, 502, 503, 504].map {
            AnswerFault(
                "A resume gets \($0), the whole does not", "ranges-refused", "behind=100000&code=\($0)"
            )
            .interrupted().sees(200, 206, $0)
        }
        + [
            AnswerFault("A resume is closed without an answer", "ranges-refused", "behind=100000&code=0"),
            AnswerFault("A resume is reset", "ranges-refused", "behind=100000&reset=1"),
        ].map { $0.interrupted().sees(200, 206) }
        + ["length", "chunked", "closed", "cut"].map {
            AnswerFault(
                "A resume is announced, but no byte of it is sent (\($0))", "ranges-refused",
                "behind=100000&code=206&empty=\($0)"
            )
            .interrupted().sees(200, 206)
        }
        + [403, 500, 503, 0].map {
            .init("Parts behind an offset get \($0)", "ranges-refused", "behind=300000&code=\($0)")
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

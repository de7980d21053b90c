import SegmentedDL

extension AnswerFault {
    static let statuses: [AnswerFault] =
        [401, 404, 410, 451].map { refused($0, "\($0) to the first request") }
        // Requested again without a range, and with a short one.
        + [400, 402, 405, 406, 412, 418].map { refused($0, "\($0) to each request", requests: 3) }
        + [304, 403].map { refused($0, "\($0) to each request", requests: 2) }
        + [201, 204, 300].map { refused($0, "\($0), which is neither the file nor an error", requests: 2) }
        + [408, 421, 425, 500, 502, 504, 509].flatMap { status in
            [
                AnswerFault("\(status), twice", "status", "code=\(status)&times=2").sees(206, status),
                AnswerFault("\(status) to two later requests", "status", "code=\(status)&times=2&later=1")
                    .sees(206, status),
            ]
        }
        + [202, 429, 503].flatMap { status in
            [
                AnswerFault("\(status), twice", "status", "code=\(status)&times=2&retry-after=0")
                    .sees(206, status),
                AnswerFault("\(status) to two later requests", "status", "code=\(status)&times=2&later=1")
                    .sees(206, status),
                AnswerFault(
                    "\(status) to every request", "status", "code=\(status)&retry-after=0",
                    .error(.httpStatus, status: status, .nothing)
                ).requests(4),
            ]
        } + [
            .init(
                "410 to every request but the first, as of a link for one use", "status", "code=410&after=1"
            )
            .sees(206, 410),
            .init("404 to every request but the first", "status", "code=404&after=1").sees(206, 404),
            .init("500 to every request", "status", "code=500", .error(.httpStatus, status: 500, .nothing))
                .requests(4),
            AnswerFault(
                "500 to every later range", "status", "code=500&later=1"
            ).interrupted(),
            AnswerFault(
                "404 to every request of a resume", "status", "code=404&later=1",
                .error(.httpStatus, status: 404, .unfinished)
            ).interrupted(),
            .init(
                "503 with a Retry-After that is neither a number nor a date", "status",
                "code=503&times=1&retry-after=soon"),
            .init(
                "503 with a Retry-After that is past", "status", "code=503&times=1&retry-after=date+-100"),
            .init(
                "503 with a date in Retry-After, and a clock that is half an hour ahead", "status",
                "code=503&times=1&retry-after=date+1&clock=1800"),
            .init(
                "503 with a date in Retry-After, and a clock that is half an hour behind", "status",
                "code=503&times=1&retry-after=date+1&clock=-1800"),
            .init(
                "403 to one later request, behind no redirect", "status", "code=403&times=1&later=1"
            ).sees(206, 403),
        ]

    private static func refused(_ status: Int, _ fault: String, requests: Int = 1) -> AnswerFault {
        .init(fault, "status", "code=\(status)", .error(.httpStatus, status: status, .nothing))
            .requests(requests)
    }

    static let unsatisfiable: [AnswerFault] = [
        .init("416 to the first request only", "unsatisfiable", "first=1&times=1").sees(200, 416),
        .init("416 to every range, although the file has bytes", "unsatisfiable", "first=1").sees(200, 416),
        .init("416 to two later requests, with the known total", "unsatisfiable", "times=2").sees(206, 416),
        .init(
            "416 to every later request, with the known total", "unsatisfiable"),
        .init("416 to a later request, with another total", "unsatisfiable", "times=1&total=1000"),
        .init(
            "416 to every later request, with another total", "unsatisfiable", "total=1000"),
        .init("416 to a later request, without a total", "unsatisfiable", "times=1&total=none"),
        .init(
            "416 to every later request, without a total", "unsatisfiable", "total=none"),
        .init("416 to the request of a resume", "unsatisfiable", "times=1").interrupted(),
        .init(
            "416 even without a range", "status", "code=416", .error(.httpStatus, status: 416, .nothing)
        ).requests(2),
    ]
}

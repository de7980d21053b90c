import SegmentedDL

extension AnswerFault {
    static let redirects: [AnswerFault] =
        [301, 302, 303, 307, 308].map { code in
            AnswerFault("\(code) to the file", "redirect", "code=\(code)").sees(206, code)
        } + [
            .init("A chain of 20 redirects", "redirect-chain", "n=20").sees(206, 302),
            .init("A chain of 21 redirects", "redirect-chain", "n=21", .error(.badRedirect, .nothing))
                .requests(21),
            .init("A redirect to itself that waits for its cookie", "redirect-cookie", "").sees(206, 302),
            .init("A redirect to itself", "redirect-loop", "", .error(.badRedirect, .nothing)).requests(21),
            .init("Later requests are redirected", "redirect", "later=1").sees(206, 302),
            .init(
                "Later requests are redirected to another file", "redirect", "later=1&to={other}",
                .exact(seed: 7)),
            .init(
                "A redirect without a Location", "redirect-nowhere", "",
                .error(.httpStatus, status: 302, .nothing)
            ).requests(2),
            .init(
                "A redirect to a port without a listener, once", "redirect",
                "times=1&to=http%3A//127.0.0.1%3A1/file.bin"),
        ]
        + [
            ("file:", "file%3A///etc/passwd"), ("ftp:", "ftp%3A//127.0.0.1/file.bin"),
            ("gopher:", "gopher%3A//127.0.0.1/file.bin"), ("data:", "data%3A,text"),
            ("javascript:", "javascript%3Aalert(1)"), ("no scheme's port", "http%3A//127.0.0.1%3A99999/"),
        ].map { what, target in
            AnswerFault("A redirect to \(what)", "redirect", "to=\(target)", .error(.badRedirect, .nothing))
                .requests(1)
        }
        + [
            AnswerFault(
                "The request of a resume is redirected to file:", "redirect",
                "later=1&to=file%3A///etc/passwd", .error(.badRedirect, .unfinished)
            ).interrupted()
        ]

    static let expiry: [AnswerFault] =
        [200, 204, 400, 401, 402, 403, 404, 405, 406, 409, 410, 416, 418, 422].map { code in
            AnswerFault("The target says \(code) after two requests", "signed", "uses=2&code=\(code)")
                .sees(206, 302, code)
        } + [
            .init("Each target works once", "signed", "uses=1").sees(206, 302, 403),
            .init("The target of the interrupted run has expired", "signed", "uses=1")
                .interrupted(keepsBytes: true),
            .init(
                "The URL itself has expired after one request", "status",
                "code=403&after=1&at=300000&expires=1000000000&signature=S",
                .error(.httpStatus, status: 403, .unfinished)
            ).sees(206, 403).requests(2...6),
            .init(
                "The URL itself has expired after one request, as its body says", "status",
                "code=403&after=1&at=300000&text=Request_has_expired&signature=S",
                .error(.httpStatus, status: 403, .unfinished)
            ).sees(206, 403).requests(2...6),
            .init(
                "The URL itself has expired before the first request", "status",
                "code=403&expires=1000000000&signature=S", .error(.httpStatus, status: 403, .nothing)
            ).requests(1),
        ]
}

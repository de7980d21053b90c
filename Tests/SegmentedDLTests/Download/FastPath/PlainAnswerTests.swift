import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("Answers that are the whole of a small file")
struct PlainAnswerTests {
    private static let url = "http://a.example/dir/file.bin"

    private func request(_ url: String = url, to destination: DownloadRequest.Destination = .directory("."))
        throws -> DownloadRequest
    {
        try DownloadRequest(url, to: destination)
    }

    private func verdict(
        _ status: Int, _ fields: [HTTPHeader] = [], body: String = "abc", _ request: DownloadRequest
    ) -> PlainAnswer.Verdict {
        let bytes = Array(body.utf8)
        let length = HTTPHeader("Content-Length", "\(bytes.count)")
        return PlainAnswer.verdict(
            ResponseHead(status: status, fields: fields + [length]), body: bytes, to: request, now: 0)
    }

    private func isPlain(
        _ status: Int, _ fields: [HTTPHeader] = [], body: String = "abc", _ request: DownloadRequest
    ) -> Bool {
        if case .plain = verdict(status, fields, body: body, request) { true } else { false }
    }

    private func isPlain(_ status: Int, _ request: DownloadRequest) -> Bool { isPlain(status, [], request) }

    private let whole = HTTPHeader("Content-Range", "bytes 0-2/3")

    @Test("200, and 206 with all of the file")
    func plain() throws {
        let request = try request()
        #expect(isPlain(200, request))
        let fields = [
            whole, HTTPHeader("ETag", "\"v\""), HTTPHeader("Last-Modified", "Wed, 01 Jan 2025 00:00:00 GMT"),
        ]
        guard case .plain(let answer) = verdict(206, fields, request) else {
            Issue.record("206")
            return
        }
        #expect(answer.body == Array("abc".utf8) && answer.resource.length == 3)
        #expect(answer.resource.acceptsRanges && answer.resource.validators.etag == "\"v\"")
        #expect(answer.resource.isEndProven)
    }

    @Test("no other status", arguments: [201, 204, 301, 304, 400, 401, 403, 404, 410, 416, 500, 502])
    func statuses(status: Int) throws {
        #expect(!isPlain(status, [HTTPHeader("Location", "/other")], try request()))
    }

    @Test("a host that limits its requests gets no more", arguments: [429, 503, 202])
    func restricted(status: Int) throws {
        guard case .restricted(let verdict) = verdict(status, [], try request()) else {
            Issue.record("\(status)")
            return
        }
        switch verdict {
        case .busy(status, _), .busyForFile(status, _): break
        default: Issue.record("\(verdict)")
        }
    }

    @Test("a host that states a limit only in the body of a refusal gets no more")
    func statedInBody() throws {
        let json = HTTPHeader("Content-Type", "application/json; charset=utf-8")
        func verdict(_ message: String) throws -> PlainAnswer.Verdict {
            self.verdict(403, [json], body: "{\"message\": \"\(message)\"}", try request())
        }
        guard case .restricted(let limited) = try verdict("You have exceeded a secondary rate limit.") else {
            Issue.record("not restricted")
            return
        }
        #expect(limited == .busy(status: 403, retryAfter: 60))
        guard case .other = try verdict("You may not read this file.") else {
            Issue.record("restricted")
            return
        }
    }

    @Test("a file with a statement about a limit of requests")
    func quota() throws {
        let fields = [HTTPHeader("RateLimit-Remaining", "5"), HTTPHeader("RateLimit-Reset", "60")]
        guard case .restricted = verdict(200, fields, try request()) else {
            Issue.record("it is plain")
            return
        }
    }

    @Test(
        "no part of a file, and none that contradicts itself",
        arguments: [
            "bytes 0-2/4", "bytes 1-3/4", "bytes 0-2/*", "bytes 0-3/4", "bytes banana", "bytes */3", "",
        ])
    func ranges(range: String) throws {
        #expect(!isPlain(206, range.isEmpty ? [] : [HTTPHeader("Content-Range", range)], try request()))
        if !range.isEmpty, range != "bytes 0-2/3" {
            #expect(!isPlain(200, [HTTPHeader("Content-Range", range)], try request()))
        }
    }

    @Test("no empty body, which may be the answer to any range")
    func empty() throws {
        #expect(!isPlain(200, [], body: "", try request()))
    }

    @Test("no encoded one, unless the name says so")
    func encoded() throws {
        let gzip = [HTTPHeader("Content-Encoding", "gzip")]
        #expect(!isPlain(200, gzip, try request()))
        #expect(isPlain(200, gzip, try request("http://a.example/file.tar.gz")))
    }

    @Test("no web page in the place of a file")
    func pages() throws {
        let page = [HTTPHeader("Content-Type", "text/html; charset=utf-8")]
        #expect(!isPlain(200, page, try request()))
        #expect(!isPlain(206, page + [whole], try request()))
        #expect(isPlain(200, page, try request("http://a.example/index.html")))
    }

    @Test("no name of the server's, where it counts")
    func names() throws {
        let named = [HTTPHeader("Content-Disposition", "attachment; filename=other.bin")]
        let same = [HTTPHeader("Content-Disposition", "attachment; filename=file.bin")]
        #expect(!isPlain(200, named, try request()))
        #expect(isPlain(200, same, try request()))
        #expect(isPlain(200, named, try request(to: .file("x"))))
        var byURL = try request()
        byURL.naming = .url
        #expect(isPlain(200, named, byURL))
    }

    @Test("only the length and the type that the request demands")
    func demands() throws {
        var request = try request()
        request.expectedLength = 4
        #expect(!isPlain(200, request))
        request.expectedLength = 3
        #expect(isPlain(200, request))
        request.maximumLength = 2
        #expect(!isPlain(200, request))
        request.maximumLength = 3
        request.expectedTypes = ["image/*"]
        #expect(!isPlain(200, request))
        #expect(isPlain(200, [HTTPHeader("Content-Type", "image/png")], request))
    }

    @Test("a digest of the server's is kept, unless the request ignores it")
    func digests() throws {
        let digest = [HTTPHeader("Content-MD5", "kAFQmDzST7DWlj99KOF/cg==")]
        var request = try request()
        guard case .plain(let answer) = verdict(200, digest, request) else {
            Issue.record("it is not plain")
            return
        }
        #expect(answer.resource.digest?.checksum.hexadecimal == "900150983cd24fb0d6963f7d28e17f72")
        request.verifiesServerDigest = false
        guard case .plain(let other) = verdict(200, digest, request) else {
            Issue.record("it is not plain")
            return
        }
        #expect(other.resource.digest == nil)
    }
}

@Suite("Downloads that may take the fast path of small files")
struct FastPathRuleTests {
    private func task(
        _ url: String = "http://a.example/file", _ change: (inout DownloadRequest) -> Void = { _ in }
    )
        throws -> DownloadTask
    {
        var request = try DownloadRequest(url, to: .directory("d"))
        change(&request)
        return DownloadTask(request)
    }

    private func mayEnter(_ change: (inout DownloadRequest) -> Void) throws -> Bool {
        FastPathRule.mayEnter(try task("http://a.example/file", change))
    }

    @Test("a plain one may, with a name, header fields, and a policy for existing files")
    func plain() throws {
        #expect(try mayEnter { _ in })
        #expect(try mayEnter { $0.destination = .file("x") })
        #expect(try mayEnter { $0.headers = [HTTPHeader("X-Key", "1")] })
        for policy in [ExistingFilePolicy.skip, .replace, .update] {
            #expect(try mayEnter { $0.ifExists = policy })
        }
        #expect(try mayEnter { $0.expectedTypes = ["image/*"] })
    }

    @Test("so may one over TLS, and one with a digest", arguments: ["http", "https"])
    func others(scheme: String) throws {
        let sum = try Checksum(.md5, String(repeating: "0", count: 32))
        let url = "\(scheme)://a.example/file"
        #expect(FastPathRule.mayEnter(try task(url)))
        #expect(FastPathRule.mayEnter(try task(url) { $0.checksums = [sum] }))
    }

    @Test(
        "so may one with each policy for existing files, because none exists",
        arguments: ExistingFilePolicy.allCases)
    func policies(policy: ExistingFilePolicy) throws {
        #expect(FastPathRule.mayEnter(try task { $0.ifExists = policy }))
    }

    @Test("every setting that the fast path does not carry out prevents it")
    func settings() throws {
        let changes: [(inout DownloadRequest) throws -> Void] = [
            { $0.mirrors = [try Source("http://b.example/file")] }, { $0.followsLinks = true },
            { $0.destination = .descriptor(.standardOutput) },
            { $0.credentials = Credentials(user: "u", password: "p") }, { $0.segments = .fixed(2) },
            { $0.order = .inOrder }, { $0.startsOver = true }, { $0.takesOver = true },
            { $0.ifEncoded = .decode }, { $0.ifEncoded = .store },
            { $0.rate = 1 }, { $0.priority = 1 }, { $0.headers = [HTTPHeader("Range", "bytes=1-")] },
        ]
        for change in changes {
            var task = try task()
            try change(&task.request)
            #expect(!FastPathRule.mayEnter(task))
        }
        for url in ["https://u:p@a.example/file", "http://u:p@a.example/file", "http://a.example/"] {
            #expect(!FastPathRule.mayEnter(try task(url)), "\(url)")
        }
    }

    @Test("so does each term of another part of the program")
    func tasks() throws {
        var owing = try task()
        owing.hasPendingAction = true
        var examined = try task()
        examined.hooks.examine = { _, _ in }
        var blind = try task()
        blind.recognizesCopies = false
        var placed = try task()
        placed.paths = DownloadPaths("x")
        for task in [owing, examined, blind, placed] { #expect(!FastPathRule.mayEnter(task)) }
    }

    @Test("so does each hook that the fast path does not call")
    func hooks() throws {
        let changes: [(inout DownloadHooks) -> Void] = [
            { $0.entered = { _ in } }, { $0.examine = { _, _ in } }, { $0.claim = { _ in true } },
            { $0.willFinalize = { _, _ in } },
        ]
        for change in changes {
            var task = try task()
            change(&task.hooks)
            #expect(!FastPathRule.mayEnter(task))
        }
        var named = try task()
        named.hooks.takeName = { _ in nil }
        named.hooks.choosePath = { _ in nil }
        #expect(FastPathRule.mayEnter(named))
    }

    @Test("a recorded file may if neither a copy nor a part of it exists")
    func recorded() throws {
        var task = try task()
        task.hooks.record = { _ in EmptyJournal() }
        #expect(!FastPathRule.mayEnter(task))
        task.mayBeUnfinished = false
        #expect(FastPathRule.mayEnter(task))
        var checked = task
        checked.isCheckOnly = true
        #expect(!FastPathRule.mayEnter(checked))
        task.revalidatedCopy = RevalidatedCopy(condition: .etag("\"a\""), length: 1)
        #expect(!FastPathRule.mayEnter(task))
    }

    @Test("limits of speed, the last files first, a proxy, and another directory prevent it for all")
    func configurations() {
        #expect(FastPathRule.isAllowed(by: Configuration()))
        let changes: [(inout Configuration) -> Void] = [
            { $0.limits.rate = 1 }, { $0.ratePerFile = 1 }, { $0.limits.queueOrder = .lifo },
            { $0.transport.proxy = "http://p.example" }, { $0.transport.usesNetrc = true },
            { $0.transport.cookieFile = "c" }, { $0.incompleteDirectory = "i" },
            { $0.minimumSegmentSize = 64 * 1024 }, { $0.transport.referer = "*" },
        ]
        for change in changes {
            var configuration = Configuration()
            change(&configuration)
            #expect(!FastPathRule.isAllowed(by: configuration))
        }
    }
}

private final class EmptyJournal: CompletionJournal {
    func commit() {}
}

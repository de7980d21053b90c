import Testing

@testable import SegmentedDL

@Suite("Pipelined revalidation")
struct PipelineTests {
    private static func question(_ number: Int) throws -> ConditionalRequests.Request {
        let source = try Source("http://host:8080/files/\(number)?x=\(number)")
        return try #require(ConditionalRequests.Request(source, if: .etag("\"tag \(number)\"")))
    }

    private func pipeline(_ count: Int, _ headers: [HTTPHeader] = []) throws -> Pipeline {
        let origin = try Source("http://host:8080/").origin
        let batch = ConditionalRequests(
            to: origin, headers: headers, try (0..<count).map { try Self.question($0) })
        return Pipeline(batch, userAgent: "agent")
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the number of requests sent now.
    private func send(_ pipeline: inout Pipeline) -> Int {
        text(pipeline.bytesToSend()).components(of: "HEAD ") - 1
    }

    private func unchanged(_ numbers: Range<Int>) -> String {
        numbers.map { "HTTP/1.1 304 Not Modified\r\nServer: x\r\nETag: \"tag \($0)\"\r\n\r\n" }.joined()
    }

    private func receive(_ text: String, _ pipeline: inout Pipeline) {
        Array(text.utf8).withUnsafeBytes { pipeline.receive($0) }
    }

    @Test("a request has the usual fields, and the condition")
    func request() throws {
        var pipeline = try pipeline(2, [HTTPHeader("X-Mine", "1"), HTTPHeader("accept", "text/plain")])
        let common = "User-Agent: agent\r\nHost: host:8080\r\nX-Mine: 1\r\naccept: text/plain\r\n"
        #expect(
            text(pipeline.bytesToSend())
                == "HEAD /files/0?x=0 HTTP/1.1\r\n\(common)If-None-Match: \"tag 0\"\r\n\r\n"
                + "HEAD /files/1?x=1 HTTP/1.1\r\n\(common)If-None-Match: \"tag 1\"\r\n\r\n")
        #expect(pipeline.bytesToSend().isEmpty && !pipeline.isOver)
    }

    @Test("responses match the requests in order, however they arrive", arguments: [1, 7, 1000])
    func order(size: Int) throws {
        var pipeline = try pipeline(4)
        _ = pipeline.bytesToSend()
        let answers =
            unchanged(0..<1) + "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"tag 1\"\r\n\r\n"
            + "HTTP/1.1 103 Early Hints\nLink: <x>\n\n" + unchanged(2..<3)
            + "HTTP/1.1 404 Not Found\nContent-Length: 5\n\n"
        var rest = Array(answers.utf8)[...]
        while !rest.isEmpty {
            #expect(!pipeline.isOver)
            let piece = rest.prefix(size)
            piece.withUnsafeBytes { pipeline.receive($0) }
            rest = rest.dropFirst(size)
        }
        #expect(pipeline.isOver && !pipeline.answers.wasUseless)
        #expect(pipeline.answers.answers == [.unchanged, .other, .unchanged, .other])
    }

    @Test(
        "a 304 counts only with the requested validator",
        arguments: [
            ("ETag: \"tag 0\"", true), ("etag: W/\"tag 0\"", true), ("ETag: \"tag 1\"", false),
            ("X: y", false),
            ("Last-Modified: Sun, 22 Nov 2026 10:00:00 GMT", false),
        ])
    func validator(line: String, counts: Bool) throws {
        var pipeline = try pipeline(1)
        _ = pipeline.bytesToSend()
        receive("HTTP/1.1 304 Not Modified\r\n\(line)\r\n\r\n", &pipeline)
        #expect(pipeline.answers.answers == [counts ? .unchanged : .other])
    }

    @Test("a date is compared as sent", arguments: [true, false])
    func date(isSame: Bool) throws {
        let date = "Sun, 22 Nov 2026 10:00:00 GMT"
        let source = try Source("http://host/a")
        let question = try #require(ConditionalRequests.Request(source, if: .lastModified(date)))
        var pipeline = Pipeline(
            ConditionalRequests(to: source.origin, headers: [], [question]), userAgent: "")
        #expect(text(pipeline.bytesToSend()).contains("\r\nHost: host\r\n"))
        receive(
            "HTTP/1.1 304 Not Modified\r\nLast-Modified: \(isSame ? date : "Sun, 22 Nov 2026 10:00:01 GMT")\r\n\r\n",
            &pipeline)
        #expect(pipeline.answers.answers == [isSame ? .unchanged : .other])
    }

    @Test("no more are sent if the first response limits requests", arguments: [true, false])
    func limited(isLimited: Bool) throws {
        let origin = try Source("http://host:8080/").origin
        var batch = ConditionalRequests(
            to: origin, headers: [], try (0..<40).map { try Self.question($0) })
        batch.stopsAfter = { $0["server"] == (isLimited ? "x" : "y") }
        var pipeline = Pipeline(batch, userAgent: "agent")
        #expect(send(&pipeline) == 16)
        receive(unchanged(0..<16), &pipeline)
        #expect(send(&pipeline) == (isLimited ? 0 : 24))
        #expect(pipeline.isOver == isLimited && (pipeline.answers.limiting != nil) == isLimited)
        #expect(pipeline.answers.wasUseless == isLimited)
        #expect(pipeline.answers.answers.count { $0 == .unchanged } == 16)
    }

    @Test("a few are sent at first, more as responses arrive, and at most 64 are in flight")
    func window() throws {
        var pipeline = try pipeline(300)
        #expect(send(&pipeline) == 16)
        #expect(send(&pipeline) == 0)
        receive(unchanged(0..<1), &pipeline)
        #expect(send(&pipeline) == 17)
        var (sent, answered) = (33, 1)
        while !pipeline.isOver {
            receive(unchanged(answered..<(answered + 1)), &pipeline)
            answered += 1
            sent += send(&pipeline)
            #expect(sent - answered <= 64)
        }
        #expect(sent == 300 && pipeline.answers.answers.allSatisfy { $0 == .unchanged })
    }

    @Test("64 are sent at once to a host that has answered such questions before")
    func proven() throws {
        let origin = try Source("http://host:8080/").origin
        var batch = ConditionalRequests(
            to: origin, headers: [], try (0..<100).map { try Self.question($0) })
        batch.isProven = true
        var pipeline = Pipeline(batch, userAgent: "agent")
        #expect(send(&pipeline) == 64)
        receive(unchanged(0..<31), &pipeline)
        #expect(send(&pipeline) == 0)
        receive(unchanged(31..<32), &pipeline)
        #expect(send(&pipeline) == 32)
        receive(unchanged(32..<96), &pipeline)
        #expect(send(&pipeline) == 4)
        receive(unchanged(96..<100), &pipeline)
        #expect(pipeline.isOver && !pipeline.answers.wasUseless)
    }

    @Test("once stopped it waits for pending responses, and sends no more")
    func stop() throws {
        var pipeline = try pipeline(40)
        _ = pipeline.bytesToSend()
        receive(unchanged(0..<10), &pipeline)
        pipeline.stop()
        #expect(send(&pipeline) == 0 && !pipeline.isOver)
        receive(unchanged(10..<16), &pipeline)
        #expect(pipeline.isOver && !pipeline.answers.wasUseless)
        #expect(pipeline.answers.answers == (0..<40).map { $0 < 16 ? .unchanged : .none })
    }

    @Test(
        "questions to a server that closes the connection after a few responses are useless",
        arguments: [1, 15, 16, 20])
    func closes(count: Int) throws {
        var pipeline = try pipeline(100)
        _ = pipeline.bytesToSend()
        receive(unchanged(0..<1), &pipeline)
        _ = pipeline.bytesToSend()
        if count > 2 { receive(unchanged(1..<(count - 1)), &pipeline) }
        if count == 1 {
            pipeline.fail()
        } else {
            receive(
                "HTTP/1.1 304 Not Modified\r\nConnection: keep-alive, Close\r\nETag: \"tag \(count - 1)\"\r\n\r\n",
                &pipeline)
        }
        #expect(pipeline.isOver && pipeline.bytesToSend().isEmpty)
        #expect(pipeline.answers.wasUseless == (count < 16))
        #expect(pipeline.answers.answers == (0..<100).map { $0 < count ? .unchanged : .none })
    }

    @Test("a host that refuses is not queried further", arguments: [405, 429, 500, 501, 503])
    func refuses(status: Int) throws {
        var pipeline = try pipeline(100)
        _ = pipeline.bytesToSend()
        receive(unchanged(0..<16), &pipeline)
        _ = pipeline.bytesToSend()
        receive("HTTP/1.1 \(status) No\r\nRetry-After: 9\r\n\r\n", &pipeline)
        #expect(pipeline.isOver && pipeline.answers.wasUseless)
        #expect(pipeline.answers.answers[16] == .other && pipeline.answers.answers[17] == .none)
        #expect(pipeline.answers.refusal?.status == status && pipeline.answers.refusal?["retry-after"] == "9")
    }

    @Test("nor is one whose first few copies all changed", arguments: [7, 8])
    func neverUnchanged(count: Int) throws {
        var pipeline = try pipeline(count)
        _ = pipeline.bytesToSend()
        receive(String(repeating: "HTTP/1.1 200 OK\r\n\r\n", count: count), &pipeline)
        #expect(pipeline.isOver && pipeline.answers.wasUseless == (count == 8))
        #expect(pipeline.answers.answers.allSatisfy { $0 == .other })
    }

    @Test(
        "an invalid response ends it, and earlier ones count",
        arguments: [
            "<html>a body that a HEAD has not</html>\r\n",
            "HTTP/1.0 304 Not Modified\r\nETag: \"tag 1\"\r\n\r\n",
            "\r\n", "HTTP/1.1 x\r\n\r\n", "X: " + String(repeating: "x", count: 70_000),
        ])
    func garbage(what: String) throws {
        var pipeline = try pipeline(20)
        _ = pipeline.bytesToSend()
        receive(unchanged(0..<1) + what + unchanged(1..<2), &pipeline)
        #expect(pipeline.isOver && pipeline.answers.wasUseless)
        #expect(pipeline.answers.answers == (0..<20).map { $0 == 0 ? .unchanged : .none })
    }

    @Test("endless interim responses end it", arguments: [8, 9])
    func interim(count: Int) throws {
        var pipeline = try pipeline(20)
        _ = pipeline.bytesToSend()
        for number in 0..<2 {
            receive(String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: count), &pipeline)
            if count == 8 { receive(unchanged(number..<(number + 1)), &pipeline) }
        }
        #expect(pipeline.isOver == (count == 9))
        #expect(pipeline.answers.answers[1] == (count == 8 ? .unchanged : .none))
    }

    @Test("more responses than requests end it")
    func tooMany() throws {
        var pipeline = try pipeline(20)
        _ = pipeline.bytesToSend()
        receive(unchanged(0..<17), &pipeline)
        #expect(pipeline.isOver && pipeline.answers.answers[16] == .none)
    }

    @Test(
        "only requests that can be sent verbatim are pipelined",
        arguments: [
            ("http://host/a%20b?q=1&r=2", "/a%20b?q=1&r=2"), ("https://host:444/", "/"),
            ("http://host/.hidden", nil),
        ])
    func target(url: String, target: String?) throws {
        #expect(ConditionalRequests.Request(try Source(url), if: .etag("\"x\""))?.target == target)
    }

    @Test("a tag with a line break is not sent")
    func tagWithLineEnd() throws {
        #expect(ConditionalRequests.Request(try Source("http://host/a"), if: .etag("x\r\nX: y")) == nil)
    }

    @Test("a non-default port is stated")
    func authority() throws {
        for (url, authority) in [
            ("http://host/a", "host"), ("https://host:443/a", "host"), ("http://host:443/a", "host:443"),
            ("https://[::1]:8443/", "[::1]:8443"),
        ] {
            let batch = ConditionalRequests(to: try Source(url).origin, headers: [], [])
            #expect(batch.authority == authority)
            #expect(try Source(batch.url).origin == Source(url).origin)
        }
    }
}

extension String {
    /// Returns the number of parts between separators.
    fileprivate func components(of separator: String) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}

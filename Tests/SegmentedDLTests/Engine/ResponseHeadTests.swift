import Testing

@testable import SegmentedDL

@Suite("A response's head")
struct ResponseHeadTests {
    @Test(
        "a status line is read",
        arguments: [
            ("HTTP/1.1 206 Partial Content", 206), ("HTTP/2 200", 200), ("HTTP/1.0 404 ", 404),
            ("HTTP/1.1 503 a b c", 503), ("http/1.1 200 ok", 200), ("HTTP/1.1 200\tOK", 200),
            ("HTTP/1.1\t200 OK", 200), ("HTTP/1.1 200OK", 200), ("HTTP/1.1 206,", 206),
        ])
    func statusLine(line: String, status: Int) {
        #expect(head(line)?.status == status)
    }

    @Test(
        "an invalid status line is refused",
        arguments: [
            "", "HTTP/1.1", "200 OK", "ICY 200 OK", "HTTP/1.1 abc", "HTTP/1.1  ", "HTTP/1.1 20",
            "HTTP/1.1 2000",
        ])
    func noStatusLine(line: String) {
        #expect(head(line) == nil)
    }

    @Test(
        "only the end of the connection ends a body without a length",
        arguments: [
            (200, [], true), (206, [], true), (304, [], false), (204, [], false), (100, [], false),
            (200, [HTTPHeader("Content-Length", "0")], false),
            (200, [HTTPHeader("Transfer-Encoding", "gzip, chunked")], false),
            (200, [HTTPHeader("Transfer-Encoding", "gzip"), HTTPHeader("Content-Length", "1")], true),
            (200, [HTTPHeader("Transfer-Encoding", "Identity"), HTTPHeader("Content-Length", "1")], false),
            (200, [HTTPHeader("Transfer-Encoding", "identity")], true),
            (200, [HTTPHeader("Transfer-Encoding", "identity, chunked")], false),
        ] as [(Int, [HTTPHeader], Bool)])
    func endedByClose(status: Int, fields: [HTTPHeader], isEndedByClose: Bool) {
        #expect(ResponseHead(status: status, fields: fields).isEndedByClose == isEndedByClose)
    }

    @Test(
        "a length with an unknown coding is counted here, because libcurl waits for the end",
        arguments: [
            ("identity", "5", 5), ("IDENTITY", "0", 0), ("identity, identity", "5", 5), (nil, "5", nil),
            ("chunked", "5", nil), ("identity, chunked", "5", nil), ("gzip", "5", nil),
            ("identity", nil, nil),
        ] as [(String?, String?, Int64?)])
    func uncounted(coding: String?, length: String?, expected: Int64?) {
        let fields = [("Transfer-Encoding", coding), ("Content-Length", length)]
            .compactMap { name, value in value.map { HTTPHeader(name, $0) } }
        #expect(ResponseHead(status: 200, fields: fields).uncountedLength == expected)
    }

    private func head(_ statusLine: String) -> ResponseHead? {
        Array(statusLine.utf8).withUnsafeBytes { ResponseHead(statusLine: $0) }
    }

    @Test("fields are found in any case, the first one first")
    func fields() {
        var head = ResponseHead(status: 200)
        head.append(HTTPHeader("Content-LENGTH", "1"))
        head.append(HTTPHeader("content-length", "2"))
        #expect(head["content-length"] == "1")
        #expect(head.values("content-length") == ["1", "2"])
        #expect(head["etag"] == nil)
        #expect(head.values("etag").isEmpty)
        #expect(
            head.allFields == [HTTPHeader("content-length", "1"), HTTPHeader("content-length", "2")])
    }

    @Test("a line is split without the spaces around its value, and invalid fields are dropped")
    func lines() {
        var head = ResponseHead(status: 200)
        for line in [
            "ETag: \t\"Ab C\" ", "X-Empty:", ": nameless", "no colon", "Bad Name: 1", "Control: a\u{1}b",
            "Über: 1",
        ] {
            Array(line.utf8).withUnsafeBytes { head.append(line: $0) }
        }
        #expect(
            head
                == ResponseHead(
                    status: 200, fields: [HTTPHeader("etag", "\"Ab C\""), HTTPHeader("x-EMPTY", "")]))
        #expect(head["etag"] == "\"Ab C\"" && head["x-empty"] == "")
    }

    private func head(of lines: [String], status: Int = 206) -> ResponseHead {
        var head = ResponseHead(status: status)
        for line in lines { Array(line.utf8).withUnsafeBytes { head.append(line: $0) } }
        return head
    }

    @Test("a line that begins with white space continues the field before it")
    func folded() {
        let head = head(of: [
            " nothing", "Content-Range: bytes", " 0-4/5", "Location:", "\thttp://h/a ", "ETag: \"a", " \t",
            "  b:c\" ",
        ])
        #expect(head["content-range"] == "bytes 0-4/5" && head["location"] == "http://h/a")
        #expect(head["etag"] == "\"a b:c\"" && head.allFields.count == 3 && !head.foldsBody)
        #expect(
            head
                == ResponseHead(
                    status: 206,
                    fields: [
                        HTTPHeader("Content-Range", "bytes 0-4/5"), HTTPHeader("Location", "http://h/a"),
                        HTTPHeader("ETag", "\"a b:c\""),
                    ]))
    }

    @Test(
        "a line that continues an ignored one is ignored, and one with control characters removes its field")
    func foldedNothing() {
        let head = head(of: ["ETag: 1", "no colon", " 2", "X: a", " b\u{1}", " c", "Y: d"])
        #expect(head.allFields == [HTTPHeader("etag", "1"), HTTPHeader("y", "d")])
        #expect(self.head(of: ["ETag: 1", "no colon", " 2"])["etag"] == "1")
    }

    @Test(
        "a body whose length or coding continues in a line that libcurl ignores is not used",
        arguments: [
            ["Content-Length: 1", " 00"], ["content-length:", " 5"],
            ["Transfer-Encoding: gzip,", " chunked"], ["Content-Encoding:", " gzip"],
        ])
    func foldedBody(lines: [String]) {
        let head = head(of: lines, status: 200)
        #expect(head.foldsBody)
        guard case .malformed = ResponseVerdict(head, asked: .none, now: 0, ifEncoded: .decode) else {
            Issue.record("it is used")
            return
        }
    }

    @Test("a Location keeps bytes that are not UTF-8")
    func location() {
        for (bytes, expected) in [([0xe9], "%e9"), (Array("\u{e9}".utf8), "\u{e9}")] as [([UInt8], String)] {
            var head = ResponseHead(status: 302)
            let line = Array("Location: /a%20b/caf".utf8) + bytes
            line.withUnsafeBytes { head.append(line: $0) }
            #expect(head["location"] == "/a%20b/caf\(expected)")
        }
    }

    @Test("a value in ISO-8859-1 is decoded, and one in UTF-8 as well")
    func characters() {
        for name in [Array("na\u{ef}ve".utf8), [0x6e, 0x61, 0xef, 0x76, 0x65]] {
            var head = ResponseHead(status: 200)
            let line = Array("Content-Disposition: attachment; filename=".utf8) + name
            line.withUnsafeBytes { head.append(line: $0) }
            #expect(head["content-disposition"].flatMap(ContentDisposition.fileName) == "na\u{ef}ve")
        }
    }

    @Test("lines form a head, also after an interim response; without a status line they are refused")
    func assembledLines() {
        var lines = HeadLines()
        func next(_ line: String) -> HeadLines.Next {
            Array(line.utf8).withUnsafeBytes { lines.append($0) }
        }
        #expect(next("HTTP/1.1 103 Early Hints\r\n") == .begun)
        #expect(next("Link: </a>\r\n") == .incomplete)
        #expect(next("\r\n") == .incomplete)
        #expect(next("HTTP/1.1 200 OK\r\n") == .begun)
        #expect(next("ETag: 1\n") == .incomplete)
        #expect(next("\r\n") == .complete(ResponseHead(status: 200, fields: [HTTPHeader("etag", "1")])))
        #expect(next("\r\n") == .refused && !lines.isTooLong)
        #expect(next("a: " + String(repeating: "b", count: EngineError.longestHeadBytes)) == .refused)
        #expect(lines.isTooLong)
    }
}

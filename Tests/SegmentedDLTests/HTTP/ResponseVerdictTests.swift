import Testing

@testable import SegmentedDL

@Suite("The meaning of a response's head")
struct ResponseVerdictTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now: Int64 = 784_111_777

    private func answer(
        _ status: Int, _ fields: [String: String] = [:], asked: TransferRequest.Range = .exactly(100..<200)
    ) -> ResponseVerdict {
        let head = ResponseHead(status: status, fields: fields.map { HTTPHeader($0.key, $0.value) })
        return ResponseVerdict(head, asked: asked, now: Self.now)
    }

    private func isWrongRange(_ answer: ResponseVerdict) -> Bool {
        if case .wrongRange(let what) = answer { !what.isEmpty } else { false }
    }

    private func isMalformed(_ answer: ResponseVerdict) -> Bool {
        if case .malformed(let what) = answer { !what.isEmpty } else { false }
    }

    // MARK: 206

    @Test("206 as requested is accepted")
    func asAsked() {
        let fields = ["Content-Range": "bytes 100-199/1000", "Content-Length": "100"]
        #expect(answer(206, fields) == .range(100..<200, total: 1000))
        #expect(answer(206, ["content-range": "bytes 100-199/1000"]) == .range(100..<200, total: 1000))
    }

    @Test("the server may choose the end of an open range, but not its start")
    func openRange() {
        let fields = ["Content-Range": "bytes 100-149/1000"]
        #expect(answer(206, fields, asked: .from(100)) == .range(100..<150, total: 1000))
        #expect(isWrongRange(answer(206, fields, asked: .from(0))))
        #expect(isWrongRange(answer(206, fields, asked: .from(101))))
    }

    @Test("206 may be shorter than requested, from the same offset on")
    func shorter() {
        #expect(answer(206, ["Content-Range": "bytes 100-100/1000"]) == .range(100..<101, total: 1000))
        #expect(answer(206, ["Content-Range": "bytes 100-198/1000"]) == .range(100..<199, total: 1000))
    }

    @Test(
        "206 with another range is refused",
        arguments: [
            "bytes 0-99/1000", "bytes 99-199/1000", "bytes 100-200/1000",
            "bytes 101-199/1000",
            "bytes 100-199/*", "bytes */1000", "bytes=100-199/1000", "", "100-199/1000", "bytes 100-199",
        ])
    func otherRange(text: String) {
        #expect(isWrongRange(answer(206, ["Content-Range": text])))
    }

    @Test("206 without Content-Range is refused as a range")
    func noContentRange() {
        #expect(answer(206) == .wrongRange("no Content-Range"))
        #expect(answer(206, asked: .none) == .whole(length: nil))
        let multipart = ["Content-Type": "Multipart/byteranges; boundary=x"]
        #expect(answer(206, multipart) == .wrongRange("a multipart response"))
        let long = multipart.merging(["Content-Length": "1100"]) { $1 }
        #expect(answer(200, long, asked: .from(0)) == .wrongRange("a multipart response"))
        #expect(answer(200, long, asked: .exactly(100..<200)) == .wrongRange("a multipart response"))
        // A file may itself be one.
        #expect(answer(200, long, asked: .none) == .whole(length: 1100))
    }

    @Test("206 to a request without a range is refused, unless it is the whole file")
    func notAsked() {
        #expect(isWrongRange(answer(206, ["Content-Range": "bytes 0-98/100"], asked: .none)))
        #expect(isWrongRange(answer(206, ["Content-Range": "bytes 1-99/100"], asked: .none)))
        #expect(answer(206, ["Content-Range": "bytes 0-99/100"], asked: .none) == .whole(length: 100))
    }

    @Test("206 whose length contradicts its range is refused", arguments: ["99", "101", "0", "-100", "abc"])
    func contradiction(length: String) {
        #expect(isWrongRange(answer(206, ["Content-Range": "bytes 100-199/1000", "Content-Length": length])))
    }

    // MARK: 200

    @Test("200 is the whole file, with the stated length")
    func whole() {
        #expect(answer(200, ["Content-Length": "1000"]) == .whole(length: 1000))
        #expect(answer(200, ["Content-Length": "0"], asked: .from(0)) == .whole(length: 0))
        #expect(answer(200) == .whole(length: nil))
        #expect(answer(200, ["Content-Length": "many"]) == .malformed("the Content-Length 'many'"))
        #expect(answer(200, asked: .from(0)) == .whole(length: nil))
    }

    @Test("an invalid or ambiguous length is ignored for a whole file")
    func unclearLength() {
        for text in ["many", "-5", "+5", "99999999999999999999", "1, 2", "", "0x10", "5.5", "5e3", "; 5"] {
            #expect(isMalformed(answer(200, ["Content-Length": text])), "\(text)")
        }
        // Values that libcurl parses as a length, at which it ends the body.
        for text in ["5 bytes", "5;", "5.0", "5.", "05"] {
            #expect(answer(200, ["Content-Length": text], asked: .none) == .whole(length: 5), "\(text)")
        }
        #expect(isMalformed(answer(200, ["Content-Length": "1", "content-length": "2"])))
        #expect(answer(200, ["Content-Length": "5, 5"], asked: .none) == .whole(length: 5))
    }

    @Test("a Transfer-Encoding overrides a length")
    func overriddenLength() {
        let fields = ["Content-Length": "7", "Transfer-Encoding": "chunked"]
        #expect(answer(200, fields) == .whole(length: nil))
        let range = fields.merging(["Content-Range": "bytes 100-199/1000"]) { $1 }
        #expect(answer(206, range) == .range(100..<200, total: 1000))
    }

    @Test("two contradicting Content-Ranges are refused, in any order")
    func severalContentRanges() {
        let fields = ["Content-Range": "bytes 100-199/1000", "content-range": "bytes 1-2/1000"]
        #expect(isWrongRange(answer(206, fields)))
    }

    @Test("encoded content is refused", arguments: ["gzip", "br", "identity, gzip", "x-gzip", "GZIP"])
    func encoded(encoding: String) {
        #expect(answer(200, ["Content-Encoding": encoding]) == .encoded(encoding))
        let fields = ["Content-Encoding": encoding, "Content-Range": "bytes 100-199/1000"]
        #expect(answer(206, fields) == .encoded(encoding))
    }

    @Test(
        "an encoding implied by the file's name changes nothing",
        arguments: [
            ("gzip", "a.tar.gz"), ("x-gzip", "A.TGZ"), ("br", "a.br"), ("zstd", "a.tar.zst"),
        ])
    func encodingOfName(encoding: String, name: String) {
        let fields = [HTTPHeader("Content-Encoding", encoding), HTTPHeader("Content-Length", "9")]
        let head = ResponseHead(status: 200, fields: fields)
        #expect(ResponseVerdict(head, asked: .none, now: 0, names: [name]) == .whole(length: 9))
        #expect(ResponseVerdict(head, asked: .none, now: 0, names: ["a.tar"]) == .encoded(encoding))
        let named = ResponseHead(
            status: 200,
            fields: fields + [HTTPHeader("Content-Disposition", "attachment; filename=\"\(name)\"")])
        #expect(ResponseVerdict(named, asked: .none, now: 0, names: ["get"]) == .whole(length: 9))
        #expect(ResponseVerdict(head, asked: .none, now: 0, names: ["ab12", name]) == .whole(length: 9))
    }

    @Test("an encoding implied by the media type changes nothing")
    func encodingOfType() {
        func verdict(_ type: String, _ encodings: String...) -> ResponseVerdict {
            let fields = encodings.map { HTTPHeader("Content-Encoding", $0) }
            let head = ResponseHead(
                status: 200,
                fields: fields + [HTTPHeader("Content-Type", type), HTTPHeader("Content-Length", "9")])
            return ResponseVerdict(head, asked: .none, now: 0, names: ["download"])
        }
        #expect(verdict("application/x-gzip", "x-gzip") == .whole(length: 9))
        #expect(verdict("application/x-gzip", "gzip", "gzip") == .encoded("gzip"))
        #expect(verdict("application/x-tar", "gzip") == .encoded("gzip"))
    }

    @Test(
        "neither identity nor an unknown word is an encoding",
        arguments: [
            "identity", "Identity", "", "UTF-8", "none", "binary", "8bit", "utf-8, none", "aws-chunked",
        ])
    func identity(encoding: String) {
        #expect(answer(200, ["Content-Encoding": encoding]) == .whole(length: nil))
        let fields = ["Content-Encoding": encoding, "Content-Range": "bytes 100-199/1000"]
        #expect(answer(206, fields) == .range(100..<200, total: 1000))
    }

    @Test("encoded content is the file for a caller who accepts it")
    func stored() {
        let fields = [HTTPHeader("Content-Encoding", "gzip"), HTTPHeader("Content-Length", "9")]
        let head = ResponseHead(status: 200, fields: fields)
        #expect(ResponseVerdict(head, asked: .none, now: 0, ifEncoded: .store) == .whole(length: 9))
    }

    @Test("decoded content has no length before its end, and plain content has the stated one")
    func decoded() {
        func verdict(_ encoding: String?, status: Int = 200, length: String = "9") -> ResponseVerdict {
            let fields = encoding.map { [HTTPHeader("Content-Encoding", $0)] } ?? []
            let range = status == 206 ? [HTTPHeader("Content-Range", "bytes 0-8/9")] : []
            let head = ResponseHead(
                status: status, fields: fields + range + [HTTPHeader("Content-Length", length)])
            return ResponseVerdict(head, asked: .none, now: 0, names: ["a.gz"], ifEncoded: .decode)
        }
        for encoding in ["gzip", "x-gzip", "br", "zstd", "deflate", "identity, GZIP", "gzip, br"] {
            #expect(verdict(encoding) == .whole(length: nil), "\(encoding)")
        }
        for encoding in [nil, "identity", ""] { #expect(verdict(encoding) == .whole(length: 9)) }
        // libcurl does not decode these, and a part of encoded bytes cannot be decoded.
        #expect(verdict("xz") == .encoded("xz"))
        #expect(verdict("gzip, compress") == .encoded("gzip, compress"))
        #expect(verdict("gzip", status: 206) == .encoded("gzip"))
        #expect(verdict("gzip", length: "9, 10") == .malformed("several Content-Lengths"))
    }

    @Test(
        "an encoding that no client decodes changes nothing", arguments: ["xz", "bzip2", "compress", "lzma"])
    func undecodedEncoding(encoding: String) {
        let fields = [HTTPHeader("Content-Encoding", encoding), HTTPHeader("Content-Length", "9")]
        let head = ResponseHead(status: 200, fields: fields)
        #expect(ResponseVerdict(head, asked: .none, now: 0, names: ["a.tar"]) == .whole(length: 9))
        #expect(
            ResponseVerdict(head, asked: .none, now: 0, names: ["a.tar"], ifEncoded: .decode)
                == .encoded(encoding))
    }

    @Test("an encoding in a second field counts, too")
    func secondEncoding() {
        let fields = [HTTPHeader("Content-Encoding", "identity"), HTTPHeader("Content-Encoding", "gzip")]
        let head = ResponseHead(status: 200, fields: fields)
        #expect(ResponseVerdict(head, asked: .none, now: 0) == .encoded("gzip"))
    }

    // MARK: The others

    @Test("a redirect leads to its Location", arguments: [300, 301, 302, 303, 307, 308])
    func redirect(status: Int) {
        #expect(answer(status, ["Location": "/x?y"]) == .redirect("/x?y"))
        #expect(answer(status) == .refused(status: status))
    }

    @Test("416 states the current length")
    func unsatisfiable() {
        #expect(answer(416, ["Content-Range": "bytes */1000"]) == .unsatisfiable(total: 1000))
        #expect(answer(416, ["Content-Range": "bytes 0-1/1000"]) == .unsatisfiable(total: nil))
        #expect(answer(416, ["Content-Range": "garbage"]) == .unsatisfiable(total: nil))
        #expect(answer(416) == .unsatisfiable(total: nil))
    }

    @Test("429 and 503 are the host's limit", arguments: [429, 503])
    func busy(status: Int) {
        #expect(answer(status) == .busy(status: status, retryAfter: nil))
        #expect(answer(status, ["Retry-After": "7"]) == .busy(status: status, retryAfter: 7))
        #expect(answer(status, ["Retry-After": "soon"]) == .busy(status: status, retryAfter: nil))
        let date = ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"]
        #expect(answer(status, date) == .busy(status: status, retryAfter: 60))
    }

    @Test("403 is the host's limit if it requests a delay or its quota is exhausted, and otherwise not")
    func quota() {
        #expect(answer(403, ["Retry-After": "2"]) == .busy(status: 403, retryAfter: 2))
        #expect(answer(403, ["X-RateLimit-Remaining": "0"]) == .busy(status: 403, retryAfter: nil))
        #expect(answer(403, ["Retry-After": "soon"]) == .gone(status: 403))
        #expect(answer(404, ["Retry-After": "2"]) == .gone(status: 404))
        let fields = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "3"]
        #expect(answer(403, fields) == .busy(status: 403, retryAfter: 3))
        #expect(answer(404, fields) == .gone(status: 404))
        for (left, reset) in [("1", "3"), ("0", "0")] {
            let fields = ["X-RateLimit-Remaining": left, "X-RateLimit-Reset": reset]
            #expect(answer(403, fields) == .gone(status: 403))
        }
    }

    @Test("a date in Retry-After is relative to the server's own clock")
    func serverClock() {
        let fields = [
            "Retry-After": "Sun, 06 Nov 1994 09:20:00 GMT", "Date": "Sun, 06 Nov 1994 09:19:57 GMT",
        ]
        #expect(answer(503, fields) == .busy(status: 503, retryAfter: 3))
        #expect(answer(429, fields) == .busy(status: 429, retryAfter: 3))
        #expect(answer(202, fields) == .busyForFile(status: 202, retryAfter: 3))
        // A date that is in the past for the server, whatever the local clock says.
        let past = [
            "Retry-After": "Sun, 06 Nov 1994 09:20:00 GMT", "Date": "Sun, 06 Nov 1994 10:20:00 GMT",
        ]
        #expect(answer(503, past) == .busy(status: 503, retryAfter: 0))
        #expect(answer(503, ["Retry-After": "5", "Date": "x"]) == .busy(status: 503, retryAfter: 5))
    }

    @Test("202 means that the file is not ready yet")
    func notReady() {
        #expect(answer(202, ["Retry-After": "7"]) == .busyForFile(status: 202, retryAfter: 7))
    }

    @Test("401, 403, 404 and 410 can be an expired signature", arguments: [401, 403, 404, 410])
    func gone(status: Int) {
        #expect(answer(status) == .gone(status: status))
    }

    @Test(
        "408, 421, 425 and the other 5xx are transient",
        arguments: [408, 421, 425, 500, 501, 502, 504, 505, 520, 599])
    func failing(status: Int) {
        #expect(answer(status) == .failing(status: status))
    }

    @Test(
        "every other status is final",
        arguments: [
            201, 204, 205, 207, 208, 305, 306, 400, 402, 405, 406, 407, 409, 411, 412,
            413, 414, 415, 418,
            422, 424, 426, 428, 431, 451, 100, 101, 600, 999, 0,
        ])
    func refused(status: Int) {
        let fields = ["Location": "/x", "Content-Range": "bytes 100-199/1000"]
        #expect(answer(status, fields) == .refused(status: status))
    }

    @Test("the body of an unusual success is the file", arguments: [203, 209, 226, 299])
    func unusual(status: Int) {
        #expect(answer(status, ["Content-Length": "9"], asked: .none) == .whole(length: 9))
        let range = ["Content-Range": "bytes 100-199/1000", "Content-Length": "100"]
        #expect(answer(status, range, asked: .from(100)) == .range(100..<200, total: 1000))
    }

    @Test("a refusal whose body states a rate limit is one of the host, with a minute's pause for GitHub's")
    func statedLimit() {
        let (secondary, plain) = ("You have exceeded a secondary rate limit.", "API Rate Limit Exceeded")
        let (gone, busy) = (
            ResponseVerdict.gone(status: 403), ResponseVerdict.busy(status: 429, retryAfter: nil)
        )
        #expect(gone.corrected(by: secondary) == .busy(status: 403, retryAfter: 60))
        #expect(gone.corrected(by: plain) == .busy(status: 403, retryAfter: nil))
        #expect(busy.corrected(by: secondary) == .busy(status: 429, retryAfter: 60))
        #expect(gone.corrected(by: "You are being rate-limited") == .busy(status: 403, retryAfter: nil))
        #expect(busy.corrected(by: plain) == busy)
        for same in [gone, busy] {
            for reason in [nil, "no", "Beyond your corporate limit.", "A separate limit applies", "rate"] {
                #expect(same.corrected(by: reason) == same)
            }
        }
        for other in [ResponseVerdict.busy(status: 429, retryAfter: 5), .gone(status: 404)] {
            #expect(other.corrected(by: secondary) == other)
        }
    }

    @Test("304 means that nothing has changed")
    func unchanged() {
        #expect(answer(304) == .unchanged)
    }

    @Test("the Range header is inclusive")
    func headerValue() {
        #expect(TransferRequest.Range.none.headerValue == nil)
        #expect(TransferRequest.Range.from(0).headerValue == "0-")
        #expect(TransferRequest.Range.from(17).headerValue == "17-")
        #expect(TransferRequest.Range.exactly(0..<1).headerValue == "0-0")
        #expect(TransferRequest.Range.exactly(100..<200).headerValue == "100-199")
    }
}

import Testing

@testable import SegmentedDL

@Suite("The reason in the body of a refusal")
struct RefusalReasonTests {
    private func reason(
        _ body: String, _ type: String? = nil, status: Int = 403, secrets: [String] = []
    ) -> String? {
        let fields = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
        return RefusalReason.text(
            Array(body.utf8), of: ResponseHead(status: status, fields: fields), secrets: secrets)
    }

    @Test(
        "is the first line of a text, a message in JSON or XML, or the title of a page",
        arguments: [
            ("\n  The link has expired. \nAsk for another.", "text/plain", "The link has expired."),
            ("Not your file", nil, "Not your file"),
            (#"{"message": "Bad credentials", "status": 401}"#, "application/json", "Bad credentials"),
            (
                #"{"error": {"code": 7, "message": "Quota \"exceeded\"\nfor today"}}"#,
                "application/json; charset=utf-8", #"Quota "exceeded""#
            ),
            (
                #"{"errors":[{"code":"DENIED","message":"requested access denied: pull"}]}"#,
                "application/json", "requested access denied: pull"
            ),
            (
                #"{"error":"invalid_token","error_description":"The token expired"}"#, "application/json",
                "The token expired"
            ),
            (
                #"{"type":"about:blank","title":"Out of credit","detail":"Balance is 30"}"#,
                "application/problem+json", "Balance is 30"
            ),
            (#"{"message": "cut off at the e"#, "application/json", nil),
            (#"{"error": "\u00e4rger"}"#, nil, "ärger"),
            (
                "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message><X-Amz-Expires>60</X-Amz-Expires></Error>",
                "application/xml", "AccessDenied: Request has expired"
            ),
            ("\u{feff}<Error><Code>InvalidBucketName</Code></Error>", "text/xml", "InvalidBucketName"),
            (
                "<d:error xmlns:d=\"DAV:\"><s:message>Share is &quot;gone&quot;</s:message></d:error>",
                "application/xml", "Share is \"gone\""
            ),
            (
                "<html><head><title>400 No required SSL certificate was sent</title></head><h1>400 Bad Request</h1>",
                "text/html", "400 No required SSL certificate was sent"
            ),
            (
                "<HTML><TITLE>Error</TITLE><BODY><H1 class=a>Your IP\n is   blocked</H1>", "text/html",
                "Your IP is blocked"
            ),
            (
                "<title>Zugriff &amp; Recht: verweigert</title>", "text/html; charset=utf-8",
                "Zugriff & Recht: verweigert"
            ),
        ] as [(String, String?, String?)])
    func forms(body: String, type: String?, expected: String?) {
        #expect(reason(body, type) == expected)
    }

    @Test(
        "is empty if it only repeats the status",
        arguments: [
            ("<title>404 Not Found</title><h1>Not Found</h1>", "text/html", 404),
            ("404 page not found\n", "text/plain", 404),
            (#"{"error":"Forbidden"}"#, "application/json", 403), ("", "text/plain", 403), (" \n ", nil, 500),
            ("<title>503 Service Temporarily Unavailable</title>", "text/html", 503),
        ] as [(String, String?, Int)])
    func meaningless(body: String, type: String?, status: Int) {
        #expect(reason(body, type, status: status) == nil)
    }

    @Test("is empty for a body of another type, or an encoded one")
    func otherTypes() {
        #expect(reason("PK data", "application/zip") == nil)
        #expect(reason("text\0binary", "text/plain") == nil)
        let head = ResponseHead(status: 403, fields: [HTTPHeader("Content-Encoding", "gzip")])
        #expect(RefusalReason.text(Array("words".utf8), of: head) == nil)
    }

    @Test("is one printable line of at most 200 characters, even if a character is cut")
    func printable() throws {
        #expect(reason("a\u{1b}[2Jb\u{202e}c", "text/plain") == "a·[2Jb·c")
        let long = try #require(reason(String(repeating: "word ", count: 100), "text/plain"))
        #expect(long.unicodeScalars.count == 201 && long.hasSuffix("…"))
        let cut = Array("über".utf8) + [0xc3]
        #expect(RefusalReason.text(cut, of: ResponseHead(status: 403)) == "über")
        #expect(RefusalReason.text([0xfc, 0x62, 0x65, 0x72], of: ResponseHead(status: 403)) == "über")
    }

    @Test("does not repeat a secret of the request")
    func secrets() {
        let text = "Signature 9f86d081 of https://h/f?X-Sig=9f86d081&a=1 is wrong"
        #expect(reason(text, "text/plain") == "Signature 9f86d081 of https://h/f?… is wrong")
        #expect(reason(text, "text/plain", secrets: ["9f86d081"]) == "Signature … of https://h/f?… is wrong")
        var request = TransferRequest(url: "https://h/f?X-Sig=9f86%2Bd08&u=me", range: .none)
        request.headers = [HTTPHeader("Authorization", "Bearer geheim-1"), HTTPHeader("Cookie", "s=kekse77")]
        request.credentials = Credentials(user: "me", password: "passwort")
        for secret in ["9f86+d08", "9f86%2Bd08", "geheim-1", "kekse77", "passwort"] {
            #expect(reason("no: \(secret).", "text/plain", secrets: request.secrets) == "no: ….", "\(secret)")
        }
        #expect(reason("no: me", "text/plain", secrets: request.secrets) == "no: me")
    }
}

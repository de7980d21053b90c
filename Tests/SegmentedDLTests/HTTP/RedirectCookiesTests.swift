import Testing

@testable import SegmentedDL

@Suite("Cookies set by redirects")
struct RedirectCookiesTests {
    private static let now: Int64 = 1_700_000_000

    private func cookies(_ fields: String..., from url: String = "http://www.a.example/x/file") throws
        -> RedirectCookies
    {
        var cookies = RedirectCookies()
        let head = ResponseHead(status: 302, fields: fields.map { HTTPHeader("Set-Cookie", $0) })
        cookies.note(head, from: try Source(url), now: Self.now)
        return cookies
    }

    private func sent(_ cookies: RedirectCookies, to url: String) throws -> String? {
        cookies.field(for: try Source(url))?.value
    }

    @Test("are sent back to the host that set them, and to the path")
    func places() throws {
        let plain = try cookies("a=1; HttpOnly", "b = x=y ;Path=/")
        #expect(try sent(plain, to: "http://www.a.example/x/other?q=1") == "a=1; b=x=y")
        #expect(try sent(plain, to: "https://WWW.a.example:8443/x") == "a=1; b=x=y")
        #expect(try sent(plain, to: "http://www.a.example/xy") == "b=x=y")
        #expect(try sent(plain, to: "http://www.a.example") == "b=x=y")
        for other in ["http://a.example/x/", "http://b.www.a.example/x/", "http://b.example/x/"] {
            #expect(try sent(plain, to: other) == nil, "\(other)")
        }
    }

    @Test("of a domain are sent to the hosts below it, if it is the host's own")
    func domains() throws {
        let wide = try cookies("a=1; Domain=.A.example; Path=/")
        #expect(try sent(wide, to: "http://files.a.example/") == "a=1")
        #expect(try sent(wide, to: "http://a.example/") == "a=1")
        #expect(try sent(wide, to: "http://ba.example/") == nil)
        for foreign in ["a=1; Domain=b.example", "a=1; Domain=example", "a=1; Domain=files.a.example"] {
            #expect(try cookies(foreign).isEmpty, "\(foreign)")
        }
        #expect(try cookies("a=1; Domain=0.0.1", from: "http://127.0.0.1/").isEmpty)
    }

    @Test("that contain control characters are not sent back")
    func invalid() throws {
        #expect(try cookies("a=1\rX-Evil: y", "b=\u{1}").isEmpty)
    }

    @Test("that are secure are sent over TLS only")
    func secure() throws {
        let secure = try cookies("a=1; Path=/; Secure")
        #expect(try sent(secure, to: "http://www.a.example/") == nil)
        #expect(try sent(secure, to: "https://www.a.example/") == "a=1")
    }

    @Test("are replaced and removed by later ones")
    func replaced() throws {
        #expect(try sent(cookies("a=1", "a=2"), to: "http://www.a.example/x/") == "a=2")
        #expect(try cookies("a=1", "a=; Max-Age=0").isEmpty)
        #expect(try cookies("a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT").isEmpty)
        #expect(try !cookies("a=1; Expires=Fri, 31 Dec 2100 23:59:59 GMT; Max-Age=60").isEmpty)
    }

    @Test("that cannot be sent back are dropped: without a name, without a value, too long, too many")
    func unusable() throws {
        #expect(try cookies("=1", "a", "", "a=" + String(repeating: "x", count: 5_000)).isEmpty)
        var many = RedirectCookies()
        for number in 0..<200 {
            let head = ResponseHead(status: 302, fields: [HTTPHeader("Set-Cookie", "c\(number)=1")])
            many.note(head, from: try Source("http://a/"), now: Self.now)
        }
        #expect(try sent(many, to: "http://a/")?.split(separator: ";").count == 50)
    }
}

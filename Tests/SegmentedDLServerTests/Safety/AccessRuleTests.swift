import SegmentedDLServer
import Testing

@Suite struct AccessRuleTests {
    private func status(
        _ rule: AccessRule = AccessRule(), host: String? = "127.0.0.1:6800", origin: String? = nil
    ) -> Int? {
        var request = HTTPRequest("GET", "/jsonrpc")
        if let host { request.fields.append(("Host", host)) }
        if let origin { request.fields.append(("Origin", origin)) }
        return rule.refusal(of: request)?.status
    }

    @Test(
        "addresses and localhost are allowed",
        arguments: [
            "127.0.0.1", "127.0.0.1:6800", "LOCALHOST:80", "[::1]:6800", "[fe80::1]", "192.168.1.5:80",
        ])
    func ownHosts(host: String) {
        #expect(status(host: host) == nil)
    }

    @Test(
        "other names are refused, because DNS rebinding can make them point here",
        arguments: [
            "evil.com", "[.]", "[]", "[::", "127.0.0.1.evil.com", "localhost.evil.com", "127.1", "1.2.3.4.5",
            "", ":6800", "[::1",
            "127.0.0.1:x", "a@127.0.0.1", "300.1.1.1",
        ])
    func foreignHosts(host: String) {
        #expect(status(host: host) == 403)
    }

    @Test("a missing or a second host is refused")
    func hostCount() {
        #expect(status(host: nil) == 403)
        let request = HTTPRequest("GET", "/", fields: [("Host", "127.0.0.1"), ("host", "127.0.0.1")])
        #expect(AccessRule().refusal(of: request)?.status == 403)
    }

    @Test("an allowed name is accepted")
    func allowedHost() {
        var rule = AccessRule()
        rule.hosts = ["nas.local"]
        #expect(status(rule, host: "NAS.local:6800") == nil)
    }

    @Test(
        "the daemon's own pages and extensions may call",
        arguments: [
            "http://127.0.0.1:6800", "chrome-extension://abc", "moz-extension://x",
            "safari-web-extension://y",
        ])
    func ownOrigins(origin: String) {
        #expect(status(origin: origin) == nil)
    }

    @Test(
        "pages of other sites may not call",
        arguments: [
            "null", "http://evil.com", "https://127.0.0.1:6801", "http://127.0.0.1", "file://", "", "http://",
            "http://127.0.0.1:6800.evil.com", "chrome-extension:evil", ":http://127.0.0.1:6800",
        ])
    func foreignOrigins(origin: String) {
        #expect(status(origin: origin) == 403)
    }

    @Test("an allowed origin may call, and with the switch any")
    func allowedOrigins() {
        var rule = AccessRule()
        rule.origins = ["https://ui.example"]
        #expect(status(rule, origin: "https://UI.example") == nil)
        #expect(status(rule, origin: "https://ui.example.evil.com") == 403)
        rule.allowsAllOrigins = true
        #expect(status(rule, origin: "null") == nil)
    }

    @Test("a preflight allows calls to the private network")
    func preflight() {
        let request = HTTPRequest("OPTIONS", "/jsonrpc", fields: [("Origin", "http://127.0.0.1:6800")])
        let fields = AccessRule().sharing(with: request).map(\.name)
        #expect(fields.contains("Access-Control-Allow-Private-Network"))
        #expect(AccessRule().sharing(with: HTTPRequest("POST", "/jsonrpc")).isEmpty)
    }
}

import ArgumentParser
import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite("The options of connections")
struct TransportOptionsTests {
    @Test("take certificate authorities from the option, then CURL_CA_BUNDLE, then SSL_CERT_FILE")
    func authorities() throws {
        #expect(TransportOptions.authorities(nil) { _ in nil } == nil)
        let both = ["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b"]
        #expect(TransportOptions.authorities(nil) { both[$0] } == "a")
        #expect(
            TransportOptions.authorities(nil) { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "b"][$0] } == "b")
        #expect(
            TransportOptions.authorities(nil) { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": ""][$0] } == nil)
        #expect(TransportOptions.authorities("/dev/null") { _ in "a" } == "/dev/null")
    }

    @Test(
        "have a proxy for each scheme, and one for both",
        arguments: [
            ("", [:], nil), ("--proxy a", [:], "a"), ("--http-proxy a", ["http_proxy": "a"], nil),
            ("--https-proxy=a", ["https_proxy": "a"], nil),
            ("--http-proxy=a --https-proxy b", ["http_proxy": "a", "https_proxy": "b"], nil),
            ("--http-proxy a --proxy b", ["http_proxy": "a", "https_proxy": "b"], nil),
        ] as [(String, [String: String], String?)])
    func proxies(line: String, variables: [String: String], all: String?) throws {
        let transport = try options(line)
        #expect(transport.proxyVariables == variables)
        var configuration = Configuration()
        transport.apply(to: &configuration)
        #expect(configuration.transport.proxy == all)
    }

    @Test(
        "accept a time of 0 with the meaning of the other tools, in seconds",
        arguments: [
            ("--retry-delay 0", 0.25, 30), ("--retry-wait=0", 0.25, 30), ("--retry-delay 2", 2, 30),
            ("--waitretry=0", 0.001, 30), ("--connect-timeout 0", 0.25, 86_400),
            ("--connect-timeout=5", 0.25, 5),
        ] as [(String, Double, Double)])
    func zero(line: String, delay: Double, connect: Double) throws {
        var configuration = Configuration()
        try options(line).apply(to: &configuration)
        #expect(configuration.retry.delay == .seconds(delay))
        #expect(configuration.transport.connectTimeout == .seconds(connect))
        try configuration.validate()
        #expect(throws: (any Error).self) { try options("--retry-delay=-1") }
    }

    @Test("become one Cookie and one Authorization header")
    func repetitions() throws {
        let words = ["-H", "Cookie: a=1", "-H", "authorization: x", "-H", "cookie: b=2"]
        let transport = try Fetch.parse(words + ["-H", "Authorization: y", "http://h/f"]).transport
        #expect(
            transport.headers == [HTTPHeader("Cookie", "a=1; b=2"), HTTPHeader("Authorization", "y")])
    }

    @Test("refuse the automatic referer of curl, and accept the one of aria2")
    func referers() throws {
        #expect(throws: (any Error).self) { try options("-e http://r/;auto") }
        #expect(throws: (any Error).self) { try options("--referer=;auto") }
        var configuration = Configuration()
        try options("--referer=*").apply(to: &configuration)
        #expect(configuration.transport.referer == "*")
    }

    /// Returns the options of a command line as the parser receives them.
    @Test(
        "have a login whose user may be empty, as with a token",
        arguments: [
            ("-u :TOKEN", "", "TOKEN"), ("-u :", "", ""), ("-u me:a:b", "me", "a:b"),
        ])
    func login(line: String, user: String, password: String) throws {
        #expect(try options(line).credentials == Credentials(user: user, password: password))
    }

    @Test("refuse a directory of certificate authorities")
    func directoryOfAuthorities() {
        #expect(throws: (any Error).self) { try options("--cacert /") }
    }

    @Test("refuse an empty login")
    func noLogin() {
        #expect(throws: (any Error).self) { try options("--user=") }
    }

    private func options(_ line: String) throws -> TransportOptions {
        let words = line.split(separator: " ").map(String.init)
        guard case .arguments(let own) = ArgumentTranslation.translate(["fetch"] + words + ["http://h/f"])
        else { throw UsageFault(reason: "\(line) is refused") }
        return try Fetch.parse(Array(own.dropFirst())).transport
    }
}

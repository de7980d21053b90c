import SegmentedDL
import TestSupport
import Testing

@Suite("A refusal with a reason")
struct RefusalReasonRunTests {
    private static let query = "text=The_plan_has_ended.&code="

    @Test(
        "is reported with it, whatever the status, even if the request is retried first",
        arguments: [400, 401, 403, 404, 410, 451, 500, 502, 503, 429])
    func reasons(status: Int) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            [
                "fetch", "--progress", "json", "--retries", "1", "--retry-delay", "0.01",
                server.url("status", 100, Self.query + "\(status)"),
            ], in: directory)
        #expect(result.status == 3, "\(result)")
        #expect(result.output.contains(#""reason":"The plan has ended.""#), "\(result)")
        #expect(result.output.contains("and says 'The plan has ended.'"), "\(result)")
    }

    @Test("is reported even if libcurl could have responded by itself", arguments: ["--digest", "--anyauth"])
    func negotiated(option: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["fetch", option, "-u", "me:secret", server.url("status", 100, Self.query + "401")], in: directory
        )
        #expect(result.status == 3, "\(result)")
        #expect(result.errors.contains("and says 'The plan has ended.'"), "\(result)")
    }

    @Test("of any length is reported: only its beginning is read")
    func long() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let filler = String(repeating: "x", count: 40_000)
        let result = try await Segdl.run(
            ["fetch", server.url("status", 100, "code=403&text=Denied_by_rule_7%0A\(filler)")],
            in: directory)
        #expect(result.status == 3, "\(result)")
        #expect(result.errors.contains("and says 'Denied by rule 7'"), "\(result)")
    }

    @Test("whose body never arrives ends anyway, and keeps no connection", arguments: [403, 502])
    func silent(status: Int) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            [
                "fetch", "--retries", "1", "--retry-delay", "0.01", "--low-speed-time", "3600",
                server.url("status", 100, "code=\(status)&text=never&silent=1"),
            ], in: directory)
        #expect(result.status == 3, "\(result)")
        #expect(result.errors.contains("\(status)") && !result.errors.contains("never"), "\(result)")
    }

    @Test("is reported with the name of the server that redirects lead to")
    func redirected() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let target = server.url("status", 100, Self.query + "404").replacing("127.0.0.1", with: "localhost")
        let encoded = target.replacing("%", with: "%25").replacing("&", with: "%26").replacing(
            "?", with: "%3F")
        let result = try await Segdl.run(
            ["fetch", "-4", server.url("redirect", 100, "to=\(encoded)")], in: directory)
        #expect(result.status == 3, "\(result)")
        #expect(
            result.errors.contains("answered 404 (not found), and says 'The plan has ended.': check the URL"),
            "\(result)")
        #expect(result.errors.contains(": localhost:"), "\(result)")
    }

    @Test(
        "a redirect target that cannot be reached is named instead of the first host",
        arguments: [
            ("http://no-such-host.invalid/f", "the host 'no-such-host.invalid' cannot be resolved"),
            ("http://127.0.0.2:1/f", "no connection to 127.0.0.2:1 (connection refused)"),
            ("https://127.0.0.2:1/f", "no connection to 127.0.0.2:1 (connection refused)"),
        ])
    func unreachable(place: String, message: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["fetch", "--retries", "0", server.url("redirect", 100, "to=\(place)")], in: directory)
        #expect(result.status == 2, "\(result)")
        #expect(result.errors.contains(message), "\(result)")
    }

    @Test("a redirect loop that sets a cookie is reported with the cookie's name")
    func cookie() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["fetch", server.url("redirect-loop", 100, "header=Set-Cookie:pass=s3cret")], in: directory)
        #expect(result.status == 2, "\(result)")
        #expect(result.errors.contains("(Set-Cookie: pass)"), "\(result)")
        #expect(result.errors.contains("-b NAME=VALUE") && !result.errors.contains("s3cret"), "\(result)")
    }
}

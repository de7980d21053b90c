import SegmentedDL
import SegmentedDLQueue
import TestContent
import TestSupport
import Testing

@Suite("Redirects")
struct RedirectTests {
    @Test("are followed, and later segments go directly to the target")
    func direct() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 2_000_000
        _ = try await fixture.download(
            fixture.request(fixture.server.url("redirect-chain", size, "n=2&rate=4000000")))
        try fixture.expectExact(size)
        let requests = try await fixture.server.requests()
        #expect(requests.filter { $0.status == 302 }.count == 2)
    }

    @Test("in a loop, or to another scheme, are errors")
    func bad() async throws {
        let fixture = try await DownloadFixture()
        let loop = try await fixture.failure(fixture.request(fixture.server.url("redirect-loop", 10)))
        #expect(loop.code == .badRedirect)
        let scheme = try await fixture.failure(
            fixture.request(fixture.server.url("redirect", 10, "to=file%3A%2F%2F%2Fetc%2Fpasswd")))
        #expect(scheme.code == .badRedirect)
        #expect(fixture.directory.names == [])
    }

    @Test("to an empty location, or a fragment, are to the same URL", arguments: ["", "%23x"])
    func same(location: String) async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 100_000
        _ = try await fixture.download(
            fixture.request(fixture.server.url("redirect-cookie", size, "to=\(location)")))
        try fixture.expectExact(size)
        let targets = try await fixture.server.requests().map(\.target)
        #expect(Set(targets).count == 1, "\(targets)")
    }

    @Test(
        "to an unreachable host are retried like that host itself",
        arguments: ["http%3A//nosuch.invalid/x", "http%3A//127.0.0.1%3A1/x", "%2Floop%2F"])
    func dead(target: String) async throws {
        let fixture = try await DownloadFixture()
        let error = try await fixture.failure(
            fixture.request(fixture.server.url("redirect", 10, "to=\(target)")))
        let requests = try await fixture.server.requests().filter { $0.status == 302 }
        // Two retries, fewer than for a host that has failed in the middle.
        #expect(requests.count == (target.hasPrefix("http") ? 3 : 1), "\(error)")
    }

    @Test("to a signed URL that expires return to the original, and keep the bytes")
    func expiringTarget() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 4_000_000
        _ = try await fixture.download(
            fixture.request(fixture.server.url("signed", size, "uses=2&rate=4000000")), segments: 4)
        try fixture.expectExact(size)
        let requests = try await fixture.server.requests()
        #expect(requests.contains { $0.status == 403 })
    }

    @Test("with a user and a password in the URL send these", arguments: ["127.0.0.1", "127.0.0.2"])
    func ownCredentials(address: String) async throws {
        let fixture = try await DownloadFixture()
        let other = try await TestServerProcess.start(address: address).scenario()
        let target = other.url("auth", 500_000, "u=user&p=p%40ss").replacing("://", with: "://user:p%40ss@")
        let encoded = target.utf8.map { "%" + String($0, radix: 16) }.joined()
        var request = try fixture.request(fixture.server.url("redirect", 500_000, "to=\(encoded)"))
        request.credentials = Credentials(user: "another", password: "secret")
        _ = try await fixture.download(request)
        try fixture.expectExact(500_000)
        #expect(try await other.requests().allSatisfy { $0.status != 401 })
    }

    @Test("to another host send neither headers nor credentials")
    func secretsStay() async throws {
        let fixture = try await DownloadFixture()
        let other = try await TestServerProcess.start(address: "127.0.0.2").scenario()
        let target = other.url("plain", 500_000)
        let encoded = target.utf8.map { "%" + String($0, radix: 16) }.joined()
        var request = try fixture.request(fixture.server.url("redirect", 500_000, "to=\(encoded)"))
        request.headers = [HTTPHeader("X-Key", "secret"), HTTPHeader("Authorization", "Bearer secret")]
        _ = try await fixture.download(request)
        try fixture.expectExact(500_000)
        let first = try await fixture.server.requests()
        #expect(first.allSatisfy { $0.headers["x-key"] == "secret" })
        let second = try await other.requests()
        #expect(!second.isEmpty)
        #expect(second.allSatisfy { $0.headers["x-key"] == nil && $0.headers["authorization"] == nil })
    }
}

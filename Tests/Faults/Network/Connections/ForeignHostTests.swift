import SegmentedDL
import TestSupport
import Testing

@Suite("Another host that a redirect leads to")
struct ForeignHostTests {
    @Test(
        "receives neither credentials nor the caller's headers, in no segment",
        arguments: ["127.0.0.1", "127.0.0.2"], ["", "later=1"])
    func secrets(address: String, when: String) async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.referer = "http://secret.example/"
        // With the same address, the port makes it another host.
        let other = try await TestServerProcess.start(address: address).scenario()
        let size: Int64 = 1_000_000
        // Slow enough that a second connection asks for a part of it.
        let target = other.url("plain", size, "rate=300000").utf8
            .map { "%" + String($0, radix: 16) }.joined()
        var request = try fixture.request(
            fixture.server.url("redirect", size, "\(when)&rate=100000&to=\(target)"))
        request.headers = [HTTPHeader("X-Key", "secret"), HTTPHeader("Cookie", "session=secret")]
        request.credentials = Credentials(user: "user", password: "secret")
        _ = try await fixture.download(request)
        try fixture.expectExact(size)

        let first = try await fixture.server.requests()
        #expect(!first.isEmpty)
        #expect(first.allSatisfy { $0.headers["x-key"] == "secret" && $0.headers["authorization"] != nil })
        let second = try await other.requests()
        #expect(second.contains { $0.range?.hasPrefix("bytes=0-") == false })
        #expect(second.allSatisfy { !$0.headers.values.contains { $0.contains("secret") } })
        #expect(second.allSatisfy { $0.headers["authorization"] == nil && $0.headers["x-key"] == nil })
        #expect(first.allSatisfy { $0.headers["referer"] != nil })
    }
}

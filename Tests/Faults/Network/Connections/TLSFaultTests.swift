import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("A server's certificate")
struct TLSFaultTests {
    private static let size: Int64 = 3_000_000

    private func nginx(_ authority: TestAuthority) async throws -> Nginx {
        let nginx = try await Nginx(server: authority.nginx, listen: "ssl")
        try TestContent(seed: 1).write(to: nginx.root.file("file.bin"), length: Self.size)
        return nginx
    }

    @Test("of an untrusted authority is refused, and accepted once trusted")
    func untrusted() async throws {
        let authority = try await TestAuthority()
        let nginx = try await nginx(authority)
        var fixture = try await DownloadFixture()
        let request = try fixture.request(nginx.url("file.bin", scheme: "https"))
        #expect(try await fixture.failure(request).code == .tlsFailed)
        #expect(fixture.directory.names == [])

        fixture.configuration.transport.certificateAuthorities = FilePath(authority.certificate)
        _ = try await fixture.download(request, segments: 8)
        try fixture.expectExact(Self.size)
    }

    @Test("that has expired is refused, unless verification is off")
    func expired() async throws {
        try await expectRefused(TestAuthority(days: -1))
    }

    @Test("for another host is refused, unless verification is off")
    func wrongHost() async throws {
        try await expectRefused(TestAuthority(address: "127.0.0.9"))
    }

    private func expectRefused(_ authority: TestAuthority) async throws {
        let nginx = try await nginx(authority)
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.certificateAuthorities = FilePath(authority.certificate)
        let request = try fixture.request(nginx.url("file.bin", scheme: "https"))
        #expect(try await fixture.failure(request).code == .tlsFailed)
        #expect(fixture.directory.names == [])

        fixture.configuration.transport.verifiesTLS = false
        _ = try await fixture.download(request)
        try fixture.expectExact(Self.size)
    }
}

import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A body without a length, over TLS")
struct TLSCutTests {
    /// Sends 100,000 bytes and closes the connection, with or without close_notify.
    private static let script = """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            tls = context.wrap_socket(listener.accept()[0], server_side=True)
            tls.recv(65536)
            tls.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\n" + b"x" * 100000)
            if sys.argv[3] == "proper":
                tls.unwrap()
            tls.close()
        """

    private func server(
        _ authority: TestAuthority, closing: String
    ) async throws -> (ChildProcess, url: String) {
        let process = try ChildProcess(
            "/usr/bin/python3",
            ["-c", Self.script, authority.serverCertificate, authority.serverKey, closing])
        let port = try #require(await process.firstLine())
        return (process, "https://127.0.0.1:\(port)/file.bin")
    }

    @Test("is complete if the server sends close_notify before it closes the connection")
    func proper() async throws {
        let authority = try await TestAuthority()
        let (server, url) = try await server(authority, closing: "proper")
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.certificateAuthorities = FilePath(authority.certificate)
        let result = try await fixture.download(fixture.request(url))
        #expect(result.length == 100_000)
        withExtendedLifetime(server) {}
    }

    @Test(
        "is complete without that only if it has the expected digest",
        arguments: [true, false])
    func verified(isRight: Bool) async throws {
        let authority = try await TestAuthority()
        let (server, url) = try await server(authority, closing: "cut")
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.certificateAuthorities = FilePath(authority.certificate)
        fixture.configuration.retry.retries = 1
        var request = try fixture.request(url)
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: isRight ? 100_000 : 100_001)
        request.checksums = [try Checksum(.sha256, Digest.sha256(bytes))]
        if isRight {
            #expect(try await fixture.download(request).length == 100_000)
            #expect(fixture.directory.names == ["file.bin"])
        } else {
            #expect(try await fixture.failure(request).code == .checksumMismatch)
            #expect(!fixture.directory.names.contains("file.bin"))
        }
        withExtendedLifetime(server) {}
    }

    @Test("is truncated if the server does not")
    func cut() async throws {
        let authority = try await TestAuthority()
        let (server, url) = try await server(authority, closing: "cut")
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.certificateAuthorities = FilePath(authority.certificate)
        fixture.configuration.retry.retries = 1
        let failure = try await fixture.failure(fixture.request(url))
        #expect(failure.code == .connectionFailed)
        #expect(failure.isRetryable)
        #expect(failure.message.contains("digest"), "\(failure)")
        #expect(fixture.directory.names == [])
        withExtendedLifetime(server) {}
    }
}

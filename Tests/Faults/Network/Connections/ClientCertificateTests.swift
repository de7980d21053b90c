import Foundation
import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("A client certificate")
struct ClientCertificateTests {
    private static let size: Int64 = 100_000

    private let authority: TestAuthority
    private let directory: TemporaryDirectory
    private let nginx: Nginx

    init() async throws {
        authority = try await TestAuthority()
        directory = try TemporaryDirectory()
        try await authority.makeClient(in: directory)
        try directory.write("geheim\n", to: "passphrase")
        let certificate = try directory.read("client-both.pem")
        try directory.write(String(decoding: certificate, as: UTF8.self), to: "a:b.pem")
        nginx = try await Nginx(
            server: authority.nginx
                + "ssl_client_certificate \(authority.certificate); ssl_verify_client on;", listen: "ssl")
        try TestContent(seed: 1).write(to: nginx.root.file("file.bin"), length: Self.size)
    }

    private func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(
            ["fetch", "--cacert", authority.certificate, "-o", "f"] + arguments
                + [nginx.url("file.bin", scheme: "https")], in: directory)
    }

    @Test(
        "is used in each format that curl supports",
        arguments: [
            ["--cert", "client.pem", "--key", "client.key"],
            ["--cert", "client.pem", "--key", "client-enc.key", "--pass", "geheim"],
            ["--cert", "client.pem:geheim", "--key", "client-enc.key"],
            ["-E", "client-both.pem:geheim"],
            ["-E", "a\\:b.pem:geheim"],
            ["--cert", "client-both.pem", "--pass-file", "passphrase"],
            ["--cert", "client-both.pem:wrong", "--pass", "geheim"],
            ["--cert", "client.p12:geheim", "--cert-type", "P12"],
            ["--cert", "client.p12", "--cert-type", "p12", "--pass", "geheim"],
            ["--cert", "client.der", "--cert-type", "DER", "--key", "client-key.der", "--key-type", "DER"],
        ])
    func forms(arguments: [String]) async throws {
        let result = try await run(arguments)
        #expect(result.status == 0, "\(result)")
        #expect(try directory.read("f").count == Int(Self.size))
    }

    @Test(
        "that cannot be used is reported with its file, the reason and the option",
        arguments: [
            (
                ["--cert", "client-both.pem"],
                "the key in 'client-both.pem' is encrypted, but no passphrase is given; give it (--pass PASSPHRASE"
            ),
            (
                ["--cert", "client-both.pem:falsch"],
                "the passphrase of the key in 'client-both.pem' is wrong; check it (--pass"
            ),
            (["--cert", "client.p12", "--cert-type", "P12"], "'client.p12' is encrypted"),
            (
                ["--cert", "client.p12:falsch", "--cert-type", "P12"],
                "the passphrase of 'client.p12' is wrong"
            ),
            (
                ["--cert", "client.p12:geheim"],
                "'client.p12' contains no certificate in PEM format; check the file, or specify its format (--cert-type"
            ),
            (
                ["--cert", "client.pem"],
                "'client.pem' contains no private key in PEM format; specify the key file (--key FILE)"
            ),
            (
                ["--cert", "client.pem", "--key", "other.key"],
                "the key in 'other.key' does not belong to the certificate in 'client.pem'"
            ),
            (
                ["--cert", "client.pem", "--key", "missing.key"],
                "cannot read the client's key, 'missing.key': No such file"
            ),
            (["--cert", "missing.pem"], "cannot read the client's certificate, 'missing.pem': No such file"),
            (
                ["--cert", "client.pem", "--key", "client-key.der"],
                "'client-key.der' contains no private key in PEM format"
            ),
            (["--key", "client.key"], "--key requires --cert FILE"),
            (["--cert", "client.pem", "--pass-file", "none"], "cannot read 'none'"),
        ] as [([String], String)])
    func faults(arguments: [String], message: String) async throws {
        let result = try await run(arguments)
        #expect(result.status == 64, "\(result)")
        #expect(result.errors.contains(message), "\(result)")
        #expect(!result.errors.contains("falsch") && !directory.names.contains("f"), "\(result)")
    }

    @Test("that cannot be used is reported by the library, too, without a prompt by OpenSSL")
    func library() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.certificateAuthorities = FilePath(authority.certificate)
        fixture.configuration.transport.clientCertificate = FilePath(directory.file("client-both.pem"))
        let request = try fixture.request(nginx.url("file.bin", scheme: "https"))
        let error = try await fixture.failure(request)
        #expect(error.code == .invalidSetting && !error.isRetryable)
        #expect(error.message.contains("is encrypted, but no passphrase is given"), "\(error)")

        fixture.configuration.transport.clientKeyPassphrase = Passphrase("geheim")
        #expect(!"\(fixture.configuration)".contains("geheim"))
        _ = try await fixture.download(request)
        try fixture.expectExact(Self.size)
    }

    @Test("that is missing is reported with the text of the server's page")
    func page() async throws {
        let result = try await run(["--progress", "json"])
        #expect(result.status == 3, "\(result)")
        #expect(result.output.contains(#""reason":"400 No required SSL certificate was sent""#), "\(result)")
    }

    @Test("that is missing is reported at once if the server sends an alert after the handshake")
    func alert() async throws {
        let server = try await TLSServer(
            authority, ["-Verify", "1", "-verify_return_error", "-CAfile", authority.certificate])
        let url = "https://127.0.0.1:\(server.port)/file.bin"
        let result = try await Segdl.run(
            ["fetch", "-v", "--cacert", authority.certificate, "-o", "f", url], in: directory)
        #expect(result.status == 2, "\(result)")
        #expect(result.errors.contains("requires a client certificate"), "\(result)")
        #expect(result.errors.contains("(--cert FILE)"), "\(result)")
        #expect(!result.errors.contains("trying again"), "\(result)")
    }

    #if os(Linux)
        @Test(
            "with an encrypted key prompts once on a terminal",
            arguments: [("geheim\n", 0), ("falsch\n", 64), ("gehe\u{3}", 130)] as [(String, Int32)])
        func terminal(typed: String, status: Int32) async throws {
            let terminal = try PseudoTerminal()
            // A new session gets the terminal.
            let process = try ChildProcess(
                "/bin/sh",
                [
                    "-c", "exec setsid -c -w \"$@\" < \"$0\"", "/proc/\(getpid())/fd/\(terminal.inside)",
                    Segdl.path, "fetch", "-q", "--cacert", authority.certificate, "--cert", "client-both.pem",
                    "-o", "f", nginx.url("file.bin", scheme: "https"),
                ], directory: directory.path)
            var shown = ""
            while process.isRunning, !shown.contains("Passphrase for 'client-both.pem'") {
                shown += terminal.written()
            }
            terminal.type(typed)
            let result = await process.result()
            shown += terminal.written()
            #expect(result.status == status, "\(result)")
            #expect(
                !shown.contains("geheim") && shown.components(separatedBy: "Passphrase for").count == 2,
                "\(shown)")
            #expect((try? directory.read("f").count) == (status == 0 ? Int(Self.size) : nil))
        }
    #endif
}

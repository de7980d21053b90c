import Foundation
import TestContent
import TestSupport
import Testing

@Suite("A file behind a proxy's tunnel")
struct TunnelTests {
    private static let size: Int64 = 3_000_000

    private let authority: TestAuthority
    private let nginx: Nginx
    private let directory: TemporaryDirectory

    init() async throws {
        authority = try await TestAuthority()
        nginx = try await Nginx(server: authority.nginx, listen: "ssl")
        directory = try TemporaryDirectory()
        try TestContent(seed: 1).write(to: nginx.root.file("f"), length: Self.size)
    }

    private var url: String { nginx.url("f").replacing("http://", with: "https://") }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws
        -> ChildProcess.Result
    {
        try await Segdl.run(
            ["fetch", "--cacert", authority.certificate, "--retry-delay", "0.05", "-o", "f"] + arguments + [
                url
            ],
            in: directory, environment: environment)
    }

    private func isExact() throws -> Bool {
        try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: Self.size) == nil
    }

    @Test(
        "arrives exactly, however the proxy words its response to CONNECT",
        arguments: ["plain", "chunked", "length", "http10", "closing", "busy-once", "closes-once"])
    func answers(mode: String) async throws {
        let proxy = try await ProxyServer(mode)
        let result = try await run(["-s", "4", "--proxy", proxy.url])
        #expect(result.status == 0, "\(result)")
        #expect(try isExact())
        #expect(try await proxy.log().opened > 0)
    }

    @Test("is the proxy's error if it does not open one")
    func refused() async throws {
        let proxy = try await ProxyServer("refused")
        let result = try await run(["--proxy", proxy.url])
        #expect(result.status == 3 && result.errors.contains("403"), "\(result)")
        #expect(directory.names == [])
        #expect(try await proxy.log().asked < 3)
    }

    @Test(
        "fails at once if the proxy keeps refusing, and after two retries if it cannot connect",
        arguments: [
            ("no-tunnels", "http", "with 501", 3, 1), ("socks-none", "socks5h", "SOCKS proxy", 2, 1),
            ("socks-2", "socks5h", "SOCKS proxy", 2, 1), ("socks-5", "socks5h", "SOCKS proxy", 2, 3),
        ] as [(String, String, String, Int32, Int)])
    func lasting(mode: String, scheme: String, says: String, status: Int32, tries: Int) async throws {
        let proxy = try await ProxyServer(mode)
        let result = try await run(["--proxy", proxy.url.replacing("http:", with: scheme + ":")])
        #expect(result.status == status && result.errors.contains(says), "\(result)")
        #expect(try await proxy.log().asked == tries)
    }

    @Test("names the proxy that accepts connections and never responds")
    func silent() async throws {
        let proxy = try await ProxyServer("socks-silent")
        let result = try await run([
            "--proxy", proxy.url.replacing("http:", with: "socks5h:"), "--connect-timeout", "1", "--retries",
            "0",
        ])
        let address = proxy.url.replacing("http://", with: "")
        #expect(result.status == 2, "\(result)")
        #expect(
            result.errors.contains("the proxy \(address) did not respond in time")
                && result.errors.contains("the scheme of the proxy"), "\(result)")
    }

    @Test(
        "is a mistake of the options if the proxy's URL is unusable",
        arguments: ["nonsense://x", "http://", "http://:1", "bad://joe:SECRET@h"])
    func unusable(proxy: String) async throws {
        for (options, environment) in [(["--proxy", proxy], [:]), ([], ["https_proxy": proxy])]
            as [([String], [String: String])]
        {
            let result = try await run(options, environment)
            #expect(
                result.status == 64 && result.errors.contains("the proxy's URL cannot be used"), "\(result)")
            #expect(!result.errors.contains("trying again") && !result.errors.contains("SECRET"))
        }
        #expect(directory.names == [])
    }

    @Test("bypasses the environment's proxy if no_proxy names the host")
    func environment() async throws {
        for (value, isPast) in [
            ("127.0.0.1", true), ("*", true), ("localhost, 127.0.0.1", true), ("example.org", false),
            ("", false),
        ] {
            for name in ["no_proxy", "NO_PROXY"] {
                let proxy = try await ProxyServer("plain")
                let result = try await run(
                    ["--if-exists", "replace", "--restart"], ["https_proxy": proxy.url, name: value])
                #expect(result.status == 0, "\(name)=\(value): \(result)")
                #expect(try await (proxy.log().asked == 0) == isPast, "\(name)=\(value)")
            }
        }
        #expect(try isExact())
    }
}

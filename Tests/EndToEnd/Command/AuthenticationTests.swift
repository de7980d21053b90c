import TestSupport
import Testing

@Suite("segdl fetch from a server that requires a password")
struct AuthenticationTests {
    private let content = (0..<400_000).map { "\($0)\n" }.joined()

    /// Apache with a directory that requires digest authentication as user "me" with password "secret".
    private func apache() async throws -> WebServer {
        let server = try await WebServer(.apache)
        // The MD5 of "me:test:secret" (RFC 7616, section 3.4.2).
        try server.root.write("me:test:f371668ccf73a9db754121ab2fe9df7c\n", to: "passwords")
        try server.root.makeDirectory("digest")
        try server.root.write(content, to: "digest/file")
        return server
    }

    @Test(
        "uses digest authentication, in segments, with the given or the offered scheme, or if basic is refused",
        arguments: [["--digest"], ["--anyauth"], []])
    func digest(options: [String]) async throws {
        let server = try await apache()
        let directory = try TemporaryDirectory()
        let end = try await Segdl.run(
            [
                "fetch", "-q", "-s", "3", "--min-segment-size", "64k", "--limit-rate", "1M", "--user",
                "me:secret", server.url + "digest/file",
            ] + options, in: directory)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("file") == Array(content.utf8))
        let requests = try await server.stop()
        #expect(requests.count { $0.status == 206 } >= 3)
    }

    @Test("uses the scheme that each directory of one server offers")
    func mixedSchemes() async throws {
        let server = try await apache()
        // The SHA-1 of "secret", in base 64.
        try server.root.write("me:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n", to: "basic-passwords")
        try server.root.makeDirectory("basic")
        for number in 1...2 { try server.root.write(content, to: "basic/\(number)") }
        let directory = try TemporaryDirectory()
        let urls = ["basic/1", "digest/file", "basic/2"].map { server.url + $0 }
        let end = try await Segdl.run(
            ["fetch", "-q", "-j", "1", "--user", "me:secret"] + urls, in: directory)
        #expect(end.status == 0, "\(end.errors)")
        #expect(directory.names.sorted() == ["1", "2", "file"])
        _ = try await server.stop()
    }

    @Test(
        "fails at once with a wrong password, and reports it", arguments: [["--digest"], ["--anyauth"], []])
    func wrong(options: [String]) async throws {
        let server = try await apache()
        let directory = try TemporaryDirectory()
        let end = try await Segdl.run(
            ["fetch", "-q", "--user", "me:wrong", server.url + "digest/file"] + options, in: directory)
        #expect(end.status == 3)
        #expect(end.errors.contains("401"))
        #expect(directory.names.isEmpty)
        // Without an option, the first request uses basic authentication.
        #expect(try await server.stop().count <= (options.isEmpty ? 4 : 3))
    }

    @Test("gives up on a server that never accepts its own nonce", arguments: ["--digest", "--anyauth"])
    func staleForEver(option: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let end = try await Segdl.run(
            ["fetch", "-q", option, "--user", "me:secret", server.url("stale-digest", 1000)], in: directory)
        #expect(end.status == 3, "\(end.errors)")
        #expect(try await server.peak().requests < 15)
    }

    @Test("fails at once if a proxy refuses the tunnel, with the proxy's status")
    func refusedTunnel() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let end = try await Segdl.run(
            ["fetch", "-q", "--proxy", server.base, "https://host.invalid/file"], in: directory)
        // The test server does not support CONNECT.
        #expect(end.status == 3 && end.errors.contains("405"), "\(end.errors)")
        #expect(directory.names.isEmpty)
    }

    @Test("uses basic authentication if only that is offered, and fails if only digest is allowed")
    func basic() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("auth", 100_000, name: "file", "u=me&p=secret")
        let any = try await Segdl.run(
            ["fetch", "-q", "--anyauth", "--user", "me:secret", url], in: directory)
        #expect(any.status == 0, "\(any.errors)")
        #expect(try directory.read("file").count == 100_000)
        let digest = try await Segdl.run(
            ["fetch", "-q", "--digest", "--restart", "--user", "me:secret", "-o", "other", url], in: directory
        )
        #expect(digest.status == 3)
        // The password was never sent.
        let requests = try await server.requests()
        #expect(requests.last?.headers["authorization"] == nil)
    }
}

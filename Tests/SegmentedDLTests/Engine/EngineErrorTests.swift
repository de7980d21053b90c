import Testing

@testable import SegmentedDL

@Suite("The meaning of libcurl's errors")
struct EngineErrorTests {
    @Test(
        "a connection lost in the TLS handshake is retried, an error found by TLS is not",
        arguments: [
            (
                "OpenSSL SSL_connect: Connection reset by peer in connection to host:443 ",
                EngineError.Kind.connect
            ),
            ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to host:443 ", .connect),
            ("error:0A000126:SSL routines::unexpected eof while reading", .connect),
            ("error:0A00010B:SSL routines::wrong version number", .tls),
            ("error:0A000410:SSL routines::sslv3 alert handshake failure", .tls),
            ("", .connect),
        ])
    func handshake(detail: String, kind: EngineError.Kind) {
        #expect(EngineError.kind(ofHandshake: detail) == kind)
    }

    @Test(
        "the proxy is named if libcurl names a host other than the server",
        arguments: [
            ("Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server", "127.0.0.1:1"),
            ("Failed to connect to proxy.example port 443 after 0 ms: no", "proxy.example:443"),
            ("Failed to connect to host.example port 443 via proxy.example after 0 ms: no", "proxy.example"),
            ("Could not resolve proxy: proxy.example", "proxy.example"),
            ("Failed to connect to host.example port 443 after 0 ms: Couldn't connect to server", nil),
            ("Failed to connect to HOST.example. port 443 after 0 ms: Couldn't connect to server", nil),
            ("Could not resolve host: proxy.example", "proxy.example"),
            ("Could not resolve host: proxy.example (no)", "proxy.example"),
            ("Could not resolve host: host.example", nil), ("Empty reply from server", nil), ("", nil),
        ] as [(String, String?)])
    func proxy(message: String, proxy: String?) {
        let origin = Origin(scheme: "https", host: "host.example", port: 443)
        #expect(EngineError.proxy(in: message, before: origin) == proxy)
    }

    @Test(
        "a SOCKS proxy that refuses the client or the server keeps doing so, and one that cannot connect may not",
        arguments: [
            ("No authentication method was acceptable.", true),
            ("User was rejected by the SOCKS5 server (1 1).", true),
            ("Received invalid version in initial SOCKS5 response.", true),
            ("Can't complete SOCKS5 connection to version.example. (2)", true),
            ("Can't complete SOCKS5 connection to version.example. (5)", false),
            ("Can't complete SOCKS4 connection to 1.2.3.4:80. (91), request rejected or failed.", false),
            ("connection to proxy closed", false), ("Could not resolve host: host.example", false),
            ("Failed to resolve \"host.example\" for SOCKS4 connect.", false),
        ])
    func socks(message: String, isLasting: Bool) {
        #expect(EngineError.isLastingRefusal(ofSOCKS: message) == isLasting)
        var error = EngineError(kind: .connect, message: message)
        error.isOfSOCKS = true
        let origin = Origin(scheme: "http", host: "127.0.0.1", port: 80)
        let isUnresolved = message.contains("resolve")
        #expect(error.isProbablyMistyped == (message.hasPrefix("Can't complete") || isUnresolved))
        #expect((EngineError.advice(ofSOCKS: message)?.contains("socks5h://") ?? false) == isUnresolved)
        #expect(error.detail?.hasSuffix(".") == false)
        #expect(error.fault(of: .ipv6, at: origin) == nil)
    }

    @Test("a server is not mistaken for a proxy because of another spelling")
    func sameServer() {
        for (host, text) in [("[::1]", "::1"), ("[fe80::1%eth0]", "fe80::1"), ("bücher.example", "xn--x")] {
            let origin = Origin(scheme: "http", host: host, port: 81)
            let message = "Failed to connect to \(text) port 81 after 0 ms: no"
            #expect(EngineError.proxy(in: message, before: origin) == nil, "\(host)")
        }
    }

    @Test(
        "an address of a disallowed IP version is a setting, and not retried",
        arguments: [
            (.ipv6, "127.0.0.1", .connect, true), (.ipv4, "[::1]", .connect, true),
            (.ipv6, "10.1.2.3", .resolve, true), (.ipv6, "[::1]", .connect, false),
            (.ipv4, "127.0.0.1", .connect, false), (.any, "127.0.0.1", .connect, false),
            (.ipv6, "host.example", .resolve, false), (.ipv6, "1.2.3.example", .connect, false),
            (.ipv6, "127.0.0.1", .lost, false), (.ipv6, "127.0.0.1", .timeout, false),
        ] as [(Transport.AddressFamily, String, EngineError.Kind, Bool)])
    func addressFamily(
        family: Transport.AddressFamily, host: String, kind: EngineError.Kind, isFault: Bool
    ) {
        let origin = Origin(scheme: "http", host: host, port: 80)
        let fault = EngineError(kind: kind, message: "no").fault(of: family, at: origin)
        #expect((fault?.kind == .setting) == isFault)
        #expect(fault?.message.contains(host) ?? true)
        let viaProxy = EngineError(kind: kind, message: "Could not resolve proxy: proxy.example")
        #expect(viaProxy.fault(of: family, at: origin) == nil)
    }

    @Test("a server that seems to support only HTTP/2 is reported as such")
    func http2() {
        #expect(EngineError.hint("tlsv1 alert no application protocol").contains("HTTP/2"))
        // The first bytes may be those of any protocol.
        for text in ["Received HTTP/0.9 when not allowed", "Empty reply from server"] {
            #expect(EngineError.hint(text) == "")
        }
    }

    @Test(
        "unreadable chunks are recognized by libcurl's messages of several versions, and are not a lost connection",
        arguments: [
            ("Too long hexadecimal number in chunked-encoding", true),
            ("Illegal or missing hexadecimal sequence in chunked-encoding", true),
            ("Failed reading the chunked-encoded stream", true),
            ("chunk hex-length char not a hex digit: 0x78", true), ("invalid chunk size: '0x10'", true),
            ("Recv failure: Connection reset by peer", false), ("", false),
        ])
    func unreadable(text: String, isUnreadable: Bool) {
        #expect(EngineError.isUnreadable(text) == isUnreadable)
    }

    @Test("a server without TLS at the port is reported, without blaming the certificate")
    func plainHTTP() throws {
        let source = try Source("https://host:8080/x")
        func error(_ words: String) -> DownloadError {
            TransferFailure.network(EngineError(kind: .tls, message: words)).error(for: source, file: "x")
        }
        for words in [
            "error:0A00010B:SSL routines::wrong version number", "SSL routines::packet length too long",
        ] {
            #expect(error(words).message.hasSuffix("try http:// instead of https://."))
            #expect(error(words).remedy == nil)
        }
        #expect(error("certificate has expired").remedy == nil)
        // A proxy may answer CONNECT with a page.
        #expect(EngineError.advice(about: .plainHTTP, behindTunnel: 200)?.contains("the proxy") ?? false)
        #expect(EngineError.advice(about: .plainHTTP, behindTunnel: 0) == nil)
        #expect(EngineError.advice(about: .untrusted, behindTunnel: 200) == nil)
    }
}

import Testing

@testable import SegmentedDL

@Suite("What libcurl's errors mean")
struct EngineErrorTests {
    @Test(
        "a connection that is lost in the TLS handshake is tried again, what TLS finds wrong is not",
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

    @Test("a server that seems to speak HTTP/2 only is named so")
    func http2() {
        for text in ["Received HTTP/0.9 when not allowed", "tlsv1 alert no application protocol"] {
            #expect(EngineError.hint(text).contains("HTTP/2"))
        }
        #expect(EngineError.hint("Empty reply from server") == "")
    }
}

import Testing

@testable import SegmentedDL

@Suite("TLS messages of libcurl and OpenSSL")
struct TLSCauseTests {
    @Test(
        "determine the cause, and with it the remedy",
        arguments: [
            (
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                .certificateRequired
            ),
            ("error:0A000412:SSL routines::sslv3 alert bad certificate", .certificateRefused),
            ("error:0A000418:SSL routines::tlsv1 alert unknown ca", .certificateRefused),
            ("error:0A000415:SSL routines::sslv3 alert certificate expired", .certificateRefused),
            ("error:0A000414:SSL routines::ssl/tls alert certificate revoked", .certificateRefused),
            ("error:0A000410:SSL routines::sslv3 alert handshake failure", .handshakeRefused),
            ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .nothingInCommon),
            ("error:0A000102:SSL routines::unsupported protocol", .nothingInCommon),
            ("error:0A000458:SSL routines::tlsv1 unrecognized name", .unknownName),
            ("SSL certificate problem: certificate has expired", .outOfDate),
            ("SSL certificate problem: certificate is not yet valid", .outOfDate),
            ("SSL certificate problem: certificate revoked", .revoked),
            ("SSL certificate problem: self-signed certificate in certificate chain", .untrusted),
            ("SSL certificate problem: unable to get local issuer certificate", .untrusted),
            ("SSL: no alternative certificate subject name matches target host name 'h'", .otherHost),
            ("error:0A00010B:SSL routines::wrong version number", .plainHTTP),
            ("error:0A000438:SSL routines::tlsv1 alert internal error", .other), ("", .other),
        ] as [(String, TLSFault)])
    func causes(text: String, cause: TLSFault) throws {
        #expect(TLSFault(text) == cause)
        let error = TransferFailure.network(EngineError(kind: .tls, message: text))
            .error(for: try Source("https://host.example/x"), file: "x")
        #expect(!error.isRetryable && error.message.contains("host.example:443"))
        // A CA file is suggested only for an unknown authority; trusting one cures nothing else.
        #expect((error.remedy == .certificateAuthorities) == (cause == .untrusted))
        #expect(error.message.contains("clock") == (cause == .outOfDate))
    }

    @Test(
        "an alert after the handshake is not a lost connection, unless it indicates corruption",
        arguments: [
            (
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                true
            ),
            (
                "SSL_write() returned SYSCALL, errno = 0: error:0A000418:SSL routines::tlsv1 alert unknown ca",
                true
            ),
            ("OpenSSL SSL_read: error:0A00042E:SSL routines::tlsv1 alert protocol version", true),
            ("OpenSSL SSL_read: error:0A000419:SSL routines::tlsv1 alert access denied", true),
            ("OpenSSL SSL_read: error:0A0003FC:SSL routines::sslv3 alert bad record mac", false),
            ("OpenSSL SSL_read: error:0A000438:SSL routines::tlsv1 alert internal error", false),
            ("OpenSSL SSL_read: Connection reset by peer, errno 104", false),
            ("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", false),
            ("", false),
        ])
    func alerts(text: String, isLasting: Bool) {
        #expect(TLSFault.isLastingAlert(text) == isLasting)
    }
}

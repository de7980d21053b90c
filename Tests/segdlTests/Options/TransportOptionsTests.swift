import ArgumentParser
import SystemPackage
import Testing

@testable import segdl

@Suite("The options of connections")
struct TransportOptionsTests {
    @Test("take certificate authorities from the option, then CURL_CA_BUNDLE, then SSL_CERT_FILE")
    func authorities() throws {
        let plain = try TransportOptions.parse([])
        #expect(plain.authorities { _ in nil } == nil)
        #expect(plain.authorities { ["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b"][$0] } == "a")
        #expect(plain.authorities { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "b"][$0] } == "b")
        #expect(plain.authorities { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": ""][$0] } == nil)
        let given = try TransportOptions.parse(["--cacert", "/dev/null"])
        #expect(given.authorities { _ in "a" } == "/dev/null")
    }
}

import SystemPackage
import Testing

@testable import segdl

@Suite("The options of connections")
struct TransportOptionsTests {
    @Test("take certificate authorities from the option, then CURL_CA_BUNDLE, then SSL_CERT_FILE")
    func authorities() throws {
        #expect(TransportOptions.authorities(nil) { _ in nil } == nil)
        let both = ["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b"]
        #expect(TransportOptions.authorities(nil) { both[$0] } == "a")
        #expect(
            TransportOptions.authorities(nil) { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "b"][$0] } == "b")
        #expect(
            TransportOptions.authorities(nil) { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": ""][$0] } == nil)
        #expect(TransportOptions.authorities("/dev/null") { _ in "a" } == "/dev/null")
    }
}

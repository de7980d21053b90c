import Foundation

/// A certificate authority of a test's own, and a server's certificate from it, made by OpenSSL.
public struct TestAuthority: Sendable {
    public struct Failed: Error, CustomStringConvertible {
        public let description: String
    }

    private let directory: TemporaryDirectory

    /// The authority's certificate.
    public var certificate: String { directory.file("ca.pem") }
    public var serverCertificate: String { directory.file("server.pem") }
    public var serverKey: String { directory.file("server.key") }

    /// - Parameters:
    ///   - address: The IP address that the server's certificate is for.
    ///   - days: How long that is valid from now on; less than 0 if it has expired.
    public init(address: String = "127.0.0.1", days: Int = 2) async throws {
        directory = try TemporaryDirectory()
        try directory.write("subjectAltName=IP:\(address)", to: "server.ext")
        for command in [
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem",
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server -keyout server.key -out server.csr",
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile server.ext -out server.pem",
        ] {
            let result = try await ChildProcess(
                "/usr/bin/openssl", command.split(separator: " ").map(String.init), directory: directory.path
            ).result()
            guard result.status == 0 else { throw Failed(description: result.errors) }
        }
    }

    /// Directives for an nginx that uses the certificate.
    public var nginx: String { "ssl_certificate \(serverCertificate); ssl_certificate_key \(serverKey);" }
}

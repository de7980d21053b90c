import Foundation

/// A certificate authority for one test, and a server certificate that it signed, created by OpenSSL.
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
    ///   - address: The IP address in the server's certificate.
    ///   - days: The validity of the certificate from now on; negative if it has expired.
    public init(address: String = "127.0.0.1", days: Int = 2) async throws {
        directory = try TemporaryDirectory()
        try directory.write("subjectAltName=IP:\(address)", to: "server.ext")
        try await run([
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem",
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server -keyout server.key -out server.csr",
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile server.ext -out server.pem",
        ])
    }

    /// Creates a client certificate in several formats, with the passphrase `geheim` if they have one:
    /// `client.pem`, `client.key`, `client-enc.key`, `client-both.pem` (the certificate and the encrypted
    /// key), `client.p12`, `client.der`, `client-key.der`, and the unrelated `other.key`.
    ///
    /// - Parameter target: The directory to write to.
    public func makeClient(in target: TemporaryDirectory) async throws {
        let path = target.path
        try await run([
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=client -keyout \(path)/client.key -out client.csr",
            "x509 -req -in client.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out \(path)/client.pem",
            "pkcs8 -topk8 -in \(path)/client.key -passout pass:geheim -out \(path)/client-enc.key",
            "pkcs12 -export -in \(path)/client.pem -inkey \(path)/client.key -passout pass:geheim -out \(path)/client.p12",
            "x509 -in \(path)/client.pem -outform DER -out \(path)/client.der",
            "pkey -in \(path)/client.key -outform DER -out \(path)/client-key.der",
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out \(path)/other.key",
        ])
        let both = try target.read("client.pem") + target.read("client-enc.key")
        try target.write(String(decoding: both, as: UTF8.self), to: "client-both.pem")
    }

    private func run(_ commands: [String]) async throws {
        for command in commands {
            let result = try await ChildProcess(
                "/usr/bin/openssl", command.split(separator: " ").map(String.init), directory: directory.path
            ).result()
            guard result.status == 0 else { throw Failed(description: result.errors) }
        }
    }

    /// Directives for an nginx that uses the certificate.
    public var nginx: String { "ssl_certificate \(serverCertificate); ssl_certificate_key \(serverKey);" }
}

internal import NIOSSL
package import SegmentedDL
internal import SegmentedDLSupport
internal import SystemPackage

/// The daemon's certificate and key, for TLS 1.2 and later. They can be reloaded while the daemon is running;
/// open connections keep the old ones.
package final class ServerIdentity: Sendable {
    private let certificate: FilePath
    private let key: FilePath
    private let context: Lock<NIOSSLContext>

    /// Reads a certificate with its chain, and its private key, both in PEM.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    package init(certificate: FilePath, key: FilePath) throws(DownloadError) {
        self.certificate = certificate
        self.key = key
        context = Lock(try Self.context(certificate, key))
    }

    /// Reads both files again.
    ///
    /// - Throws: `DownloadError` with code `badPath`; the old ones are then kept.
    package func reload() throws(DownloadError) {
        let new = try Self.context(certificate, key)
        context.withLock { $0 = new }
    }

    /// Returns the TLS handler for one connection.
    var handler: NIOSSLServerHandler { NIOSSLServerHandler(context: context.withLock { $0 }) }

    private static func context(
        _ certificate: FilePath, _ key: FilePath
    ) throws(DownloadError) -> NIOSSLContext {
        let chain: [NIOSSLCertificate] = try read(certificate, "certificate") {
            try NIOSSLCertificate.fromPEMFile($0)
        }
        guard !chain.isEmpty else { throw unusable(certificate, "certificate", "it contains none in PEM") }
        let secret: NIOSSLPrivateKey = try read(key, "private key") { try .init(file: $0, format: .pem) }
        return try read(certificate, "certificate") { _ in
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            return try NIOSSLContext(configuration: configuration)
        }
    }

    private static func read<T>(
        _ path: FilePath, _ name: String, _ body: (String) throws -> T
    ) throws(DownloadError) -> T {
        do {
            return try body(path.string)
        } catch {
            throw unusable(path, name, "\(error)")
        }
    }

    private static func unusable(_ path: FilePath, _ name: String, _ reason: String) -> DownloadError {
        DownloadError(
            .badPath, "Cannot use the \(name) in '\(path)': \(reason); use matching PEM files.")
    }
}

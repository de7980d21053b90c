import Foundation

/// OpenSSL's own server, for TLS behaviour that nginx does not have.
public final class TLSServer: Sendable {
    public struct DidNotStart: Error {}

    public let port: Int
    private let process: ChildProcess

    /// - Parameter options: Further options of `openssl s_server`.
    public init(_ authority: TestAuthority, _ options: [String]) async throws {
        for port in (20_000..<30_000).shuffled().prefix(20) {
            let process = try ChildProcess(
                "/usr/bin/openssl",
                [
                    "s_server", "-accept", "127.0.0.1:\(port)", "-cert", authority.serverCertificate, "-key",
                    authority.serverKey, "-www", "-quiet",
                ] + options)
            for _ in 0..<500 where process.isRunning {
                if Self.isOpen(port) {
                    self.port = port
                    self.process = process
                    return
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            process.send(SIGTERM)
        }
        throw DidNotStart()
    }

    deinit {
        process.send(SIGTERM)
    }

    private static func isOpen(_ port: Int) -> Bool {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        } == 0
    }
}

import Foundation

/// TLS in front of the server with faults, as a separate process: `Tests/TLSFront`. It ends with its standard
/// input, so it never outlives the tests.
public final class TLSFront: Sendable {
    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    /// The beginning of its URLs.
    public let base: String
    private let process: ChildProcess

    public init(before server: TestServerProcess, _ authority: TestAuthority) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("TLSFront/server.py").path
        process = try ChildProcess(
            "/usr/bin/env",
            ["python3", script, authority.serverCertificate, authority.serverKey, "\(server.port)"],
            input: "", keepsInputOpen: true)
        guard let line = await process.firstLine() else {
            process.closeInput()
            throw DidNotStart(description: await process.result().errors)
        }
        base = "https://127.0.0.1:\(line.filter(\.isNumber))"
    }

    /// Returns the URL that leads to a server's over TLS.
    public func url(_ url: String) -> String {
        guard let path = url.dropFirst("http://".count).firstIndex(of: "/") else { return base }
        return base + url[path...]
    }
}

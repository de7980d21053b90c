import Foundation
import SegmentedDLSupport

/// A real nginx on loopback, with a configuration from the test. Releasing it stops it.
public final class Nginx: Sendable {
    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    /// The content of its document root.
    public let root: TemporaryDirectory
    public let port: Int
    private let home: TemporaryDirectory
    private let process: Lock<ChildProcess>

    /// - Parameters:
    ///   - http: Directives for the http block.
    ///   - server: Directives for the server block.
    ///   - listen: The words after the address in `listen`, such as `ssl`.
    public init(http: String = "", server: String = "", listen: String = "") async throws {
        root = try TemporaryDirectory()
        home = try TemporaryDirectory()
        // The temporary directories belong to root when the tests run as root; the worker must then be root
        // too.
        let user = getuid() == 0 ? "user root;" : ""
        for port in (20_000..<30_000).shuffled().prefix(20) {
            try home.write(
                """
                \(user) daemon off; master_process off; pid \(home.path)/pid; error_log \(home.path)/error.log notice;
                events { worker_connections 1024; }
                http {
                    access_log \(home.path)/access.log;
                    client_body_temp_path \(home.path); proxy_temp_path \(home.path); fastcgi_temp_path \(home.path);
                    uwsgi_temp_path \(home.path); scgi_temp_path \(home.path);
                    sendfile on;
                    \(http)
                    server { listen 127.0.0.1:\(port) \(listen); root \(root.path); \(server) }
                }
                """, to: "nginx.conf")
            let process = try Self.process(home)
            if await Self.isReady(process, home) {
                self.port = port
                self.process = Lock(process)
                return
            }
        }
        let log = (try? home.read("error.log")).map { String(decoding: $0, as: UTF8.self) } ?? "no log"
        throw DidNotStart(description: log)
    }

    deinit {
        process.withLock { $0.send(SIGTERM) }
    }

    private static func process(_ home: TemporaryDirectory) throws -> ChildProcess {
        try ChildProcess("/usr/sbin/nginx", ["-p", home.path, "-c", home.path + "/nginx.conf"])
    }

    /// Kills it: all connections are lost and its port refuses new ones.
    public func stop() async throws {
        let process = process.withLock { $0 }
        process.send(SIGKILL)
        _ = await process.result()
        try home.remove("pid")
    }

    /// Restarts it after `stop()`.
    public func start() async throws {
        let process = try Self.process(home)
        self.process.withLock { $0 = process }
        guard await Self.isReady(process, home) else { throw DidNotStart(description: "port \(port)") }
    }

    /// Waits until nginx writes its pid, which it does once it listens.
    private static func isReady(_ process: ChildProcess, _ home: TemporaryDirectory) async -> Bool {
        for _ in 0..<500 {
            if home.names.contains("pid") { return true }
            if !process.isRunning { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    public func url(_ name: String, scheme: String = "http") -> String {
        "\(scheme)://127.0.0.1:\(port)/\(name)"
    }

    /// The lines of its access log so far.
    public var accessLog: [String] {
        let text = (try? home.read("access.log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}

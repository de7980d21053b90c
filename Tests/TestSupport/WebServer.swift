import Foundation

/// Web servers that list directories, on loopback, each with a configuration from the test. Releasing one
/// stops it.
public final class WebServer: Sendable {
    public enum Program: String, CaseIterable, Sendable {
        case apache, caddy, lighttpd

        var path: String {
            switch self {
            case .apache: "/usr/sbin/apache2"
            case .caddy: "/usr/bin/caddy"
            case .lighttpd: "/usr/sbin/lighttpd"
            }
        }
    }

    public struct Request: Sendable {
        public var status: Int
        public var agent: String
        public var method: String
        public var path: String

        public var isListing: Bool { path.hasSuffix("/") }
    }

    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    /// The content of its document root.
    public let root: TemporaryDirectory
    public let port: Int
    private let program: Program
    private let home: TemporaryDirectory
    private let process: ChildProcess

    public init(_ program: Program) async throws {
        self.program = program
        root = try TemporaryDirectory()
        home = try TemporaryDirectory()
        var log = ""
        try root.write(home.path, to: Self.mark)
        for port in (20_000..<30_000).shuffled().prefix(20) {
            try home.write(program.configuration(port: port, root: root.path, home: home.path), to: "config")
            let environment = [
                "HOME": home.path, "XDG_DATA_HOME": home.path, "XDG_CONFIG_HOME": home.path,
            ]
            let arguments = program.arguments(config: home.file("config"))
            let process = try ChildProcess(program.path, arguments, environment: environment)
            if await Self.isReady(process, "http://127.0.0.1:\(port)/\(Self.mark)", home) {
                try root.remove(Self.mark)
                self.port = port
                self.process = process
                return
            }
            process.send(SIGKILL)
            log = await process.result().errors
        }
        throw DidNotStart(description: log)
    }

    deinit {
        process.send(SIGTERM)
    }

    public var url: String { "http://127.0.0.1:\(port)/" }

    /// Stops it and reads its access log, which some servers do not write at once.
    public func stop() async throws -> [Request] {
        process.send(SIGTERM)
        _ = await process.result()
        return try home.read("access.log").split(separator: 0x0a).compactMap { line in
            program == .caddy
                ? Self.parse(json: Data(line)) : Self.parse(String(decoding: line, as: UTF8.self))
        }
    }

    /// A file that identifies it: another program's server may use the port.
    private static let mark = "mark"

    /// Polls until it answers.
    private static func isReady(
        _ process: ChildProcess, _ mark: String, _ home: TemporaryDirectory
    ) async -> Bool {
        for _ in 0..<500 {
            if !process.isRunning { return false }
            if let body = try? await HTTPGet.body(mark) { return body == Array(home.path.utf8) }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// `304 agent GET /tree/a HTTP/1.1`
    private static func parse(_ line: String) -> Request? {
        let parts = line.split(separator: " ")
        guard parts.count == 5, let status = Int(parts[0]) else { return nil }
        return Request(
            status: status, agent: String(parts[1]), method: String(parts[2]), path: String(parts[3]))
    }

    private static func parse(json line: Data) -> Request? {
        struct Line: Decodable {
            struct Request: Decodable {
                var method: String
                var uri: String
                var headers: [String: [String]]
            }
            var status: Int
            var request: Request
        }
        guard let line = try? JSONDecoder().decode(Line.self, from: line) else { return nil }
        return Request(
            status: line.status, agent: line.request.headers["User-Agent"]?.first ?? "",
            method: line.request.method, path: line.request.uri)
    }
}

extension WebServer.Program {
    /// All run in the foreground, in one process.
    fileprivate func arguments(config: String) -> [String] {
        switch self {
        case .apache: ["-X", "-f", config]
        case .caddy: ["run", "--adapter", "caddyfile", "--config", config]
        case .lighttpd: ["-D", "-f", config]
        }
    }

    fileprivate func configuration(port: Int, root: String, home: String) -> String {
        switch self {
        case .apache:
            """
            ServerRoot \(home)
            PidFile \(home)/pid
            ErrorLog \(home)/error.log
            LogFormat "%>s %{User-Agent}i %r" short
            CustomLog \(home)/access.log short
            ServerName localhost
            Listen 127.0.0.1:\(port)
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
            LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
            LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
            LoadModule autoindex_module /usr/lib/apache2/modules/mod_autoindex.so
            LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
            LoadModule authn_file_module /usr/lib/apache2/modules/mod_authn_file.so
            LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
            LoadModule auth_basic_module /usr/lib/apache2/modules/mod_auth_basic.so
            LoadModule auth_digest_module /usr/lib/apache2/modules/mod_auth_digest.so
            DocumentRoot \(root)
            <Directory \(root)>
                Options Indexes
                Require all granted
                IndexOptions FancyIndexing HTMLTable Charset=UTF-8
            </Directory>
            <Directory \(root)/digest>
                AuthType Digest
                AuthName test
                AuthDigestProvider file
                AuthUserFile \(root)/passwords
                Require valid-user
            </Directory>
            <Directory \(root)/basic>
                AuthType Basic
                AuthName test
                AuthBasicProvider file
                AuthUserFile \(root)/basic-passwords
                Require valid-user
            </Directory>

            """
        case .caddy:
            """
            {
                admin off
                auto_https off
            }
            http://127.0.0.1:\(port) {
                root * \(root)
                file_server browse
                log {
                    output file \(home)/access.log
                    format json
                }
            }

            """
        case .lighttpd:
            """
            server.document-root = "\(root)"
            server.port = \(port)
            server.bind = "127.0.0.1"
            server.errorlog = "\(home)/error.log"
            server.modules = ("mod_dirlisting", "mod_accesslog")
            accesslog.filename = "\(home)/access.log"
            server.stat-cache-engine = "disable"
            mimetype.assign = ("" => "application/octet-stream")
            accesslog.format = "%s %{User-Agent}i %r"
            dir-listing.activate = "enable"

            """
        }
    }
}

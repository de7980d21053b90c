import Foundation

/// An HTTP/2 server over TLS with faults on demand, as a separate process: `Tests/H2Server`, which documents
/// them. It ends with its standard input, so it never outlives the tests.
public final class H2Server: Sendable {
    /// The behaviour of each connection; `Tests/H2Server/server.py` documents these settings.
    public struct Settings: Encodable, Sendable {
        public enum Preface: String, Encodable, Sendable {
            case garbage, close, http1
        }

        public var alpn = ["h2", "http/1.1"]
        public var http1Every: Int?
        public var maxStreams = 100
        public var initialWindow = 65_535
        public var windowShut = false
        public var preface: Preface?
        public var goawayAfter: Int?
        public var requestsPerConnection: Int?
        /// Only this HTTP/2 connection has the faults above.
        public var on: Int?
        /// Only HTTP/2 connections up to this one have the faults above.
        public var until: Int?
        public var delayMs = 0
        /// Bytes per second of each stream.
        public var rate: Int?
        /// Parameters of each request that does not set them itself, such as `fault=refused&until=1`.
        public var query = ""
        fileprivate var certificate = ""
        fileprivate var key = ""

        public init() {}
    }

    /// The server's record of one connection.
    public struct Connection: Decodable, Sendable {
        public var number: Int
        /// The protocol selected by ALPN.
        public var alpn: String?
        public var isOpen: Bool
        public var peakStreams: Int
        /// The error code of the client's GOAWAY.
        public var clientGoaway: Int?
    }

    /// The server's record of one request.
    public struct Request: Decodable, Sendable {
        public enum End: String, Decodable, Sendable {
            /// The whole answer was sent as intended.
            case complete
            /// The server ended it, as the test demanded.
            case fault
            /// The client's RST_STREAM ended it.
            case reset
            /// The connection was already closed.
            case closed
        }

        public var connection: Int
        /// `nil` in HTTP/1.1.
        public var stream: Int?
        public var method: String
        /// Including its query.
        public var path: String
        public var range: String?
        /// `nil` if no head was sent.
        public var status: Int?
        public var bytesSent: Int64
        /// True if it arrived while the allowed number of streams was open.
        public var excess: Bool
        /// True if it arrived after a GOAWAY that excludes it.
        public var afterGoaway: Bool
        /// The error code of the client's RST_STREAM.
        public var clientReset: Int?
        /// `nil` while it is active.
        public var end: End?
    }

    /// The connections and requests since the start or the last reset.
    public struct Log: Decodable, Sendable {
        public var connections: [Connection]
        public var requests: [Request]
        public var peakConnections: Int
        public var peakStreams: Int
    }

    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    private struct Ports: Decodable {
        var port: Int
        var control: Int
    }

    /// The root of the package, where `Scripts/install-h2` installs h2.
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let python = package.appendingPathComponent(".build/h2-venv/bin/python").path

    /// True if h2 is installed; `Scripts/install-h2` installs it.
    public static let isInstalled = FileManager.default.isExecutableFile(atPath: python)
    public static let notInstalled = "h2 is not in .build/h2-venv; Scripts/install-h2 puts it there"

    /// The authority that signed the server's certificate.
    public let authority: TestAuthority
    public let port: Int
    private let control: String
    private let process: ChildProcess

    public init(_ settings: Settings = Settings()) async throws {
        authority = try await TestAuthority()
        var settings = settings
        settings.certificate = authority.serverCertificate
        settings.key = authority.serverKey
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let line = String(decoding: try encoder.encode(settings), as: UTF8.self) + "\n"
        let script = Self.package.appendingPathComponent("Tests/H2Server/server.py").path
        process = try ChildProcess(Self.python, [script], input: line, keepsInputOpen: true)
        guard let ready = await process.firstLine(),
            let ports = try? JSONDecoder().decode(Ports.self, from: Data(ready.utf8))
        else {
            process.closeInput()
            throw DidNotStart(description: await process.result().errors)
        }
        port = ports.port
        control = "http://127.0.0.1:\(ports.control)"
    }

    /// - Parameter query: Parameters, such as `fault=refused&on=1`.
    public func url(_ length: Int64, name: String = "file.bin", _ query: String = "") -> String {
        "https://127.0.0.1:\(port)/file/\(length)/\(name)" + (query.isEmpty ? "" : "?\(query)")
    }

    public func log() async throws -> Log {
        try JSONDecoder().decode(Log.self, from: Data(await HTTPGet.body("\(control)/log")))
    }

    /// Clears the log, and numbers connections and requests from 1 again.
    public func reset() async throws {
        _ = try await HTTPGet.body("\(control)/reset")
    }
}

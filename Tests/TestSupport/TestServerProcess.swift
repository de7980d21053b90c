import Foundation
import TestContent

/// The server with faults (`Tests/TestServer`), as a separate process. It ends with its standard input, so it
/// never outlives the tests.
public final class TestServerProcess: Sendable {
    /// The server's record of one request.
    public struct Request: Decodable, Sendable {
        public var connection: Int
        public var target: String
        public var range: String?
        /// `nil` without an answer.
        public var status: Int?
        public var bytesSent: Int64
        /// True if the answer was sent as far as intended.
        public var complete: Bool
        /// Seconds on the server's clock.
        public var started: Double
        public var headers: [String: String]
    }

    /// The totals over a case's requests.
    public struct Peak: Decodable, Sendable {
        public var requests: Int
        public var peakConcurrent: Int
        public var connections: Int
        public var bytesSent: Int64
        public var running: Int
    }

    public struct DidNotStart: Error {}

    public let port: Int
    private let process: ChildProcess

    public static func start(address: String = "127.0.0.1") async throws -> TestServerProcess {
        let process = try ChildProcess(
            BuiltProducts.path(of: "TestServer"), ["--address", address], keepsInputOpen: true)
        guard let line = await process.firstLine(),
            let port = line.split(separator: " ").last.flatMap({ Int($0) })
        else { throw DidNotStart() }
        return TestServerProcess(process: process, port: port, address: address)
    }

    private let address: String

    private init(process: ChildProcess, port: Int, address: String) {
        self.process = process
        self.port = port
        self.address = address
    }

    /// A group of requests used by only one test.
    public func scenario() -> Scenario { Scenario(server: self, base: "http://\(address):\(port)") }

    public struct Scenario: Sendable {
        public let server: TestServerProcess
        public let base: String
        public let token = UUID().uuidString

        /// - Parameter query: Further parameters, such as `rate=1000&etag=none`.
        public func url(_ behaviour: String, _ size: Int64, name: String = "file.bin", _ query: String = "")
            -> String
        {
            let more = query.isEmpty ? "" : "&\(query)"
            return "\(base)/\(behaviour)/\(size)/\(name)?case=\(token)\(more)"
        }

        public func requests() async throws -> [Request] {
            try await decode("log")
        }

        public func peak() async throws -> Peak {
            try await decode("peak")
        }

        /// Releases the bytes that `hold` and `hold-tail` keep back.
        public func release() async throws {
            _ = try await HTTPGet.body("\(base)/_/release?case=\(token)")
        }

        private func decode<Value: Decodable>(_ what: String) async throws -> Value {
            let body = try await HTTPGet.body("\(base)/_/\(what)?case=\(token)")
            return try JSONDecoder().decode(Value.self, from: Data(body))
        }
    }
}

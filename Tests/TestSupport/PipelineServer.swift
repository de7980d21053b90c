import Foundation

/// A server for pipelined requests, as a separate process: `Tests/PipelineServer` documents its faults. It
/// ends with its standard input, so it never outlives the tests.
public final class PipelineServer: Sendable {
    public enum Mode: String, CaseIterable, Sendable {
        case right, partial, swapped, bodies, twice, dropped, ignored, closed, cut, garbage, proxied, chunked
        case busy, refused, stuck
        case hungUp = "hung_up"
    }

    /// The events since the start.
    public struct Log: Decodable, Sendable {
        public var requests: Int
        public var connections: Int
        /// The maximum number of unanswered requests of one connection.
        public var depth: Int
    }

    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    private let port: String
    private let process: ChildProcess

    public init(_ mode: Mode) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("PipelineServer/server.py").path
        process = try ChildProcess(
            "/usr/bin/env", ["python3", script, mode.rawValue], input: "", keepsInputOpen: true)
        guard let line = await process.firstLine() else {
            process.closeInput()
            throw DidNotStart(description: await process.result().errors)
        }
        port = line.filter(\.isNumber)
    }

    public func url(_ number: Int) -> String { "http://127.0.0.1:\(port)/f/\(number)" }

    /// The content of a file.
    public static func content(_ number: Int) -> [UInt8] {
        let digits = String(number)
        let part = String(repeating: "0", count: 6 - digits.count) + digits + ":"
        return Array(String(repeating: part, count: 5_000 / 7 + 1).utf8.prefix(5_000))
    }

    public func log() async throws -> Log {
        try JSONDecoder().decode(Log.self, from: Data(await HTTPGet.body("http://127.0.0.1:\(port)/log")))
    }
}

import Foundation

/// A tunnelling proxy, as a separate process: `Tests/ProxyServer` documents its answers. It ends with its
/// standard input, so it never outlives the tests.
public final class ProxyServer: Sendable {
    /// The events since the start.
    public struct Log: Decodable, Sendable {
        /// The number of requests for a tunnel.
        public var asked: Int
        public var opened: Int
    }

    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    public let url: String
    private let process: ChildProcess

    public init(_ mode: String) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("ProxyServer/server.py").path
        process = try ChildProcess(
            "/usr/bin/env", ["python3", script, mode], input: "", keepsInputOpen: true)
        guard let line = await process.firstLine() else {
            process.closeInput()
            throw DidNotStart(description: await process.result().errors)
        }
        url = "http://127.0.0.1:\(line.filter(\.isNumber))"
    }

    public func log() async throws -> Log {
        try JSONDecoder().decode(Log.self, from: Data(await HTTPGet.body(url + "/log")))
    }
}

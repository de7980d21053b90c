import Foundation

/// A registry with an image, as a separate process: `Tests/RegistryServer`. It ends with its standard input,
/// so it never outlives the tests.
public final class RegistryServer: Sendable {
    /// The replica's record of one request.
    public struct Request: Decodable, Sendable {
        /// `registry`, `tokens` or `store`.
        public var host: String
        public var method: String
        public var target: String
        public var status: Int
        public var authorization: String?
        public var range: String?
    }

    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("RegistryServer/server.py").path

    /// The registry's host and port.
    public let host: String
    /// The digest of the image's index, such as `sha256:…`.
    public let digest: String
    private let home: TemporaryDirectory
    private let process: ChildProcess

    /// - Parameter config: The configuration as JSON (`Tests/RegistryServer/server.py`).
    public init(_ config: String = "{}") async throws {
        home = try TemporaryDirectory()
        try home.write(config, to: "config.json")
        process = try ChildProcess(
            "/usr/bin/env", ["python3", Self.script, home.file("config.json")], keepsInputOpen: true)
        guard let words = await process.firstLine()?.split(separator: " "), words.count == 3 else {
            process.closeInput()
            throw DidNotStart(description: await process.result().errors)
        }
        (host, digest) = ("127.0.0.1:\(words[1])", String(words[2]))
    }

    /// The requests so far, in the order of their answers.
    public func requests() throws -> [Request] {
        try home.read("config.json.log").split(separator: 0x0a).map {
            try JSONDecoder().decode(Request.self, from: Data($0))
        }
    }
}

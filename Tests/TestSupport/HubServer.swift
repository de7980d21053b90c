import Foundation

/// A replica of a model hub, and the store that it redirects to, as a separate process: `Tests/HubServer`. It
/// ends with its standard input, so it never outlives the tests.
public final class HubServer: Sendable {
    /// The server's record of one request.
    public struct Request: Decodable, Sendable {
        /// `hub` or `store`.
        public var host: String
        public var method: String
        public var target: String
        public var status: Int
        public var authorization: String?
        public var range: String?
        public var silent: Bool
    }

    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The Python of the real client; `Scripts/test` installs it.
    public static let client = package.appendingPathComponent(".build/hub-venv/bin/python").path
    public static let isClientInstalled = FileManager.default.isExecutableFile(atPath: client)
    public static let noClient = "huggingface_hub is not in .build/hub-venv; Scripts/test puts it there"

    /// The Python of ModelScope's own client; `Scripts/install-hub` installs it.
    public static let modelScopeClient = package.appendingPathComponent(
        ".build/modelscope-venv/bin/python"
    ).path
    public static let isModelScopeInstalled = FileManager.default.isExecutableFile(atPath: modelScopeClient)
    public static let noModelScope =
        "modelscope_hub is not in .build/modelscope-venv; Scripts/test puts it there"

    public let endpoint: String
    private let home: TemporaryDirectory
    private let process: ChildProcess

    /// - Parameter config: The configuration as JSON (`Tests/HubServer/server.py`).
    public init(_ config: String) async throws {
        home = try TemporaryDirectory()
        try home.write(config, to: "config.json")
        let script = Self.package.appendingPathComponent("Tests/HubServer/server.py").path
        process = try ChildProcess(
            "/usr/bin/env", ["python3", script, home.file("config.json")], keepsInputOpen: true)
        guard let line = await process.firstLine(),
            let port = line.split(separator: " ").last.flatMap({ Int($0) })
        else {
            process.closeInput()
            throw DidNotStart(description: await process.result().errors)
        }
        endpoint = "http://127.0.0.1:\(port)"
    }

    /// The requests so far, in the order of their answers.
    public func requests() throws -> [Request] {
        try home.read("config.json.log").split(separator: 0x0a).map {
            try JSONDecoder().decode(Request.self, from: Data($0))
        }
    }
}

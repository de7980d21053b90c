import Foundation

/// The AWS services that issue access keys, as a separate process: `Tests/KeyServer`. It ends with its
/// standard input, so it never outlives the tests.
public final class KeyServer: Sendable {
    public struct Settings: Encodable, Sendable {
        public var key: String
        public var secret: String
        public var token: String
        public var region: String
        public var seconds = 3600
        public var user = "USER"
        public var userSecret = "user/secret+1"
        public var role = "arn:aws:iam::1:role/reader"
        public var externalID: String?
        public var identity: String?
        public var containerToken: String?
        public var machineRole: String?

        /// Issues the keys that a store accepts.
        public init(for store: S3Server) {
            (key, secret) = (store.settings.key, store.settings.secret)
            (token, region) = (store.settings.token ?? "", store.settings.region)
        }
    }

    /// The server's record of one request.
    public struct Request: Decodable, Sendable {
        public var method: String
        public var target: String
        public var status: Int
    }

    public let endpoint: String
    private let home: TemporaryDirectory
    private let process: ChildProcess

    public init(_ settings: Settings) async throws {
        home = try TemporaryDirectory()
        try home.write(
            String(decoding: JSONEncoder().encode(settings), as: UTF8.self), to: "config.json")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("KeyServer/server.py").path
        process = try ChildProcess(
            S3Server.python, [script, home.file("config.json")], keepsInputOpen: true)
        guard let line = await process.firstLine(),
            let port = line.split(separator: " ").last.flatMap({ Int($0) })
        else {
            process.closeInput()
            throw S3Server.DidNotStart(description: await process.result().errors)
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

import Foundation

/// An S3 store (moto behind a check of signatures), as a separate process: `Tests/S3Server`. It ends with its
/// standard input, so it never outlives the tests.
public final class S3Server: Sendable {
    /// The content of the store, and its valid keys.
    public struct Settings: Encodable, Sendable {
        public struct Object: Encodable, Sendable {
            public var key: String
            public var text: String?
            public var file: String?

            public init(_ key: String, text: String? = nil, file: String? = nil) {
                (self.key, self.text, self.file) = (key, text, file)
            }
        }

        public var bucket = "bucket"
        public var objects: [Object] = []
        public var key = "AKIDEXAMPLE"
        public var secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
        public var token: String?
        public var region = "eu-central-1"
        /// True if it answers requests without a signature.
        public var `public` = false
        /// The error of its clock in seconds.
        public var clock = 0
        /// The region of the bucket; `nil` for that of the server.
        public var bucketRegion: String?
        /// Paths, and their redirect targets.
        public var redirects: [String: String] = [:]

        public init(_ objects: [Object] = []) {
            self.objects = objects
        }
    }

    /// The server's record of one request.
    public struct Request: Decodable, Sendable {
        public var target: String
        public var range: String?
        public var signed: Bool
        public var token: String?
        /// The stated digest of the request's body.
        public var digest: String?
        public var status: Int

        public var isListing: Bool { target.contains("list-type=2") }
    }

    public struct DidNotStart: Error, CustomStringConvertible {
        public let description: String
    }

    /// The root of the package, where `Scripts/test` installs moto.
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let python = package.appendingPathComponent(".build/s3-venv/bin/python").path

    /// True if moto is installed; `Scripts/test` installs it.
    public static let isInstalled = FileManager.default.isExecutableFile(atPath: python)
    public static let notInstalled = "moto is not in .build/s3-venv; Scripts/test puts it there"

    public let endpoint: String
    public let settings: Settings
    private let home: TemporaryDirectory
    private let process: ChildProcess

    public init(_ settings: Settings) async throws {
        self.settings = settings
        home = try TemporaryDirectory()
        let config = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        try home.write(config, to: "config.json")
        let script = Self.package.appendingPathComponent("Tests/S3Server/server.py").path
        process = try ChildProcess(
            Self.python, [script, home.file("config.json")], keepsInputOpen: true)
        guard let line = await process.firstLine(),
            let port = line.split(separator: " ").last.flatMap({ Int($0) })
        else {
            process.closeInput()
            throw DidNotStart(description: await process.result().errors)
        }
        endpoint = "http://127.0.0.1:\(port)"
    }

    /// The environment variables for its key.
    public var environment: [String: String] {
        var variables = [
            "AWS_ENDPOINT_URL": endpoint, "AWS_REGION": settings.region, "AWS_ACCESS_KEY_ID": settings.key,
            "AWS_SECRET_ACCESS_KEY": settings.secret, "AWS_SESSION_TOKEN": settings.token ?? "",
        ]
        for other in ["AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3"] { variables[other] = "" }
        return variables
    }

    /// The requests so far, in the order of their answers.
    public func requests() throws -> [Request] {
        try home.read("config.json.log").split(separator: 0x0a).map {
            try JSONDecoder().decode(Request.self, from: Data($0))
        }
    }
}

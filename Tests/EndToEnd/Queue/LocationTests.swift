import Foundation
import TestSupport
import Testing

@Suite("Files of hubs and stores in a queue")
struct LocationTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        let none = [
            "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION",
            "AWS_ENDPOINT_URL", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "HF_TOKEN", "HF_TOKEN_PATH",
            "HF_HOME", "XDG_CACHE_HOME",
        ]
        var variables = Dictionary(uniqueKeysWithValues: none.map { ($0, "") })
        variables["HOME"] = directory.path
        return try await Segdl.run(
            ["queue", arguments[0], "--queue", "queue.sqlite"] + arguments.dropFirst(), in: directory,
            environment: variables.merging(environment) { $1 })
    }

    private func hasStored(_ secret: String) throws -> Bool {
        try TemporaryDirectory.names(of: directory.path).filter { $0.hasPrefix("queue.sqlite") }.contains {
            try directory.read($0).firstRange(of: Array(secret.utf8)) != nil
        }
    }

    @Test("of a hub are fetched with the token of the start, which is not stored")
    func hub() async throws {
        let hub = try await HubServer(
            """
            {"repositories": {"models/org/model": {"commit": "\(String(repeating: "a", count: 40))",
            "files": {"config.json": {"text": "{}"}, "dir/b.bin": {"seed": 2, "size": 500000}},
            "gated": "auto"}}, "large": 100000, "token": "hf_secret"}
            """)
        try directory.write("hf://org/model/dir/b.bin\n", to: "list")
        let added = try await run(["add", "-d", "files", "hf://org/model/config.json", "-i", "list"])
        #expect(added.status == 0, "\(added.errors)")
        let again = try await run(["add", "-d", "files", "hf://org/model/config.json"])
        #expect(again.errors.contains("is already in the queue"))
        let listed = try await run(["list"])
        #expect(listed.output.contains("hf://org/model/config.json"))

        let refused = try await run(["start", "--retries", "0"], ["HF_ENDPOINT": hub.endpoint])
        #expect(refused.status == 1)
        let failed = try await run(["list", "--json"])
        #expect(failed.output.contains("access to this repository is restricted"), "\(failed.output)")

        let end = try await run(
            ["start", "1", "2", "--retries", "0"], ["HF_ENDPOINT": hub.endpoint, "HF_TOKEN": "hf_secret"])
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("files/config.json") == Array("{}".utf8))
        #expect(try directory.read("files/b.bin").count == 500_000)
        let requests = try hub.requests()
        #expect(requests.filter { $0.host == "store" }.allSatisfy { $0.authorization == nil })
        #expect(try !hasStored("hf_secret"))
    }

    @Test(
        "of a store are fetched with the keys of a profile, of which only the name is stored",
        .enabled(if: S3Server.isInstalled, "\(S3Server.notInstalled)"))
    func store() async throws {
        var settings = S3Server.Settings([.init("dir/one", text: "content")])
        settings.token = nil
        let server = try await S3Server(settings)
        try directory.makeDirectory(".aws")
        try directory.write(
            "[profile work]\nregion = \(settings.region)\nendpoint_url = \(server.endpoint)\n",
            to: ".aws/config")
        try directory.write(
            "[work]\naws_access_key_id = \(settings.key)\naws_secret_access_key = \(settings.secret)\n",
            to: ".aws/credentials")
        let added = try await run(["add", "--profile", "work", "-d", "files", "s3://bucket/dir/one"])
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.contains("s3://work@bucket/dir/one"))
        let refused = try await run(["add", "s3://\(settings.key):\(settings.secret)@bucket/dir/one"])
        #expect(refused.status != 0 && !refused.errors.contains(settings.secret))
        let end = try await run(["start", "--retries", "0"])
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("files/one") == Array("content".utf8))
        #expect(try server.requests().allSatisfy(\.signed))
        for secret in [settings.secret, settings.key] { #expect(try !hasStored(secret)) }
    }
}

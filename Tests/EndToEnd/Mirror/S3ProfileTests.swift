import Foundation
import TestSupport
import Testing

@Suite(
    "A store with keys from a profile", .serialized,
    .enabled(if: S3Server.isInstalled, "\(S3Server.notInstalled)"))
struct S3ProfileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs the command as a user with this home directory, and no keys in the environment.
    private func run(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        var variables = ["HOME": directory.path]
        for name in [
            "ENDPOINT_URL", "ENDPOINT_URL_S3", "REGION", "DEFAULT_REGION", "ACCESS_KEY_ID",
            "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "DEFAULT_PROFILE", "CONFIG_FILE",
            "SHARED_CREDENTIALS_FILE", "WEB_IDENTITY_TOKEN_FILE", "ROLE_ARN", "ROLE_SESSION_NAME",
            "CONTAINER_CREDENTIALS_RELATIVE_URI", "CONTAINER_CREDENTIALS_FULL_URI",
            "CONTAINER_AUTHORIZATION_TOKEN", "CONTAINER_AUTHORIZATION_TOKEN_FILE",
            "EC2_METADATA_SERVICE_ENDPOINT", "ENDPOINT_URL_STS",
        ] { variables["AWS_" + name] = "" }
        return try await Segdl.run(
            arguments + ["--retries", "1", "--retry-delay", "0.01"], in: directory,
            environment: variables.merging(environment) { $1 })
    }

    private func store(_ count: Int = 3, token: String? = "session/token==") async throws -> S3Server {
        var settings = S3Server.Settings((0..<count).map { .init("dir/\($0)", text: "content of \($0)") })
        settings.token = token
        return try await S3Server(settings)
    }

    private func writeConfig(_ server: S3Server, _ lines: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory.file(".aws"), withIntermediateDirectories: true)
        try directory.write(
            "[profile work]\nregion = \(server.settings.region)\nendpoint_url = \(server.endpoint)\n\(lines)\n",
            to: ".aws/config")
    }

    /// Writes a command that prints the store's keys, and records each of its runs.
    private func writeCommand(_ server: S3Server, validFor seconds: Int) throws -> String {
        let (settings, now) = (server.settings, Date())
        let keys = [
            "AccessKeyId": settings.key, "SecretAccessKey": settings.secret,
            "SessionToken": settings.token ?? "",
            "Expiration": now.addingTimeInterval(Double(seconds)).formatted(.iso8601),
        ]
        var object: [String: Any] = keys
        object["Version"] = 1
        let json = try JSONSerialization.data(withJSONObject: object)
        try directory.write(String(decoding: json, as: UTF8.self), to: "keys.json")
        try directory.write(
            "echo run >> '\(directory.file("runs"))'\ncat '\(directory.file("keys.json"))'\n", to: "print.sh")
        return "credential_process = sh '\(directory.file("print.sh"))'"
    }

    private func runs() throws -> Int {
        try directory.read("runs").count(where: { $0 == 0x0a })
    }

    @Test("is read with the keys, the region and the endpoint of --profile")
    func named() async throws {
        let server = try await store()
        let settings = server.settings
        try writeConfig(server, "")
        try directory.write(
            "[work]\naws_access_key_id = \(settings.key)\naws_secret_access_key = \(settings.secret)\naws_session_token = \(settings.token ?? "")\n",
            to: ".aws/credentials")
        let wrong = ["AWS_ACCESS_KEY_ID": "OTHER", "AWS_SECRET_ACCESS_KEY": "other"]
        let file = try await run(["fetch", "--profile", "work", "s3://bucket/dir/1"], wrong)
        #expect(file.status == 0, "\(file.errors)")
        #expect(try directory.read("1") == Array("content of 1".utf8))
        let tree = try await run(["mirror", "s3://bucket/dir", "copy"], ["AWS_PROFILE": "work"])
        #expect(tree.status == 0, "\(tree.errors)")
        let public_ = try await run(["fetch", "--profile", "nobody", "s3://bucket/dir/1"])
        #expect(public_.status == 64 && public_.errors.contains("'nobody'"), "\(public_.errors)")
        #expect(public_.errors.contains("work"), "\(public_.errors)")
        #expect(try server.requests().allSatisfy { $0.signed && $0.token == settings.token })
    }

    @Test("is mirrored with the keys from one run of a command, and its secret is stored nowhere")
    func command() async throws {
        let server = try await store(20)
        try writeConfig(server, writeCommand(server, validFor: 3600))
        let end = try await run(["mirror", "--profile", "work", "s3://bucket/dir", "copy"])
        #expect(end.status == 0, "\(end.errors)")
        #expect(try runs() == 1)
        #expect(try server.requests().allSatisfy { $0.signed && $0.status < 300 })
        let secret = Data(server.settings.secret.utf8)
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.file("copy")) {
            let data = FileManager.default.contents(atPath: directory.file("copy/" + path))
            #expect(data?.range(of: secret) == nil, "\(path)")
        }
    }

    @Test("is mirrored with keys that are renewed during the run, because they expire soon")
    func renewed() async throws {
        let server = try await store(5)
        try writeConfig(server, writeCommand(server, validFor: 200))
        let end = try await run(["mirror", "-j", "1", "--profile", "work", "s3://bucket/dir", "copy"])
        #expect(end.status == 0, "\(end.errors)")
        #expect(try runs() > 1)
        #expect(try server.requests().allSatisfy { $0.signed && $0.status < 300 })
    }

    @Test(
        "is not accessed if the command fails, and the message names the profile and hides the output",
        arguments: [
            ("sh -c 'echo hidden; exit 3'", "exited with 3"), ("echo hidden", "did not print keys"),
            ("sh -c 'head -c 99999 /dev/zero'", "more than"), ("/no/such/program", "exited with 127"),
        ])
    func failing(command: String, reason: String) async throws {
        let server = try await store()
        try writeConfig(server, "credential_process = \(command)")
        let end = try await run(["fetch", "--profile", "work", "s3://bucket/dir/1"])
        #expect(end.status != 0 && end.errors.contains("'work'"), "\(end.errors)")
        #expect(end.errors.contains(reason) && !end.errors.contains("hidden"), "\(end.errors)")
        #expect(try server.requests().isEmpty)
        #expect(!directory.exists("1"))
    }

    // MARK: Roles and machines

    /// Runs a mirror twice with keys from a service, and returns the requests to it.
    private func mirror(
        _ server: S3Server, _ services: KeyServer, _ environment: [String: String], _ arguments: [String] = []
    ) async throws -> [KeyServer.Request] {
        let store = ["AWS_ENDPOINT_URL_S3": server.endpoint, "AWS_REGION": server.settings.region]
        let end = try await run(
            ["mirror"] + arguments + ["s3://bucket/dir", "copy"], store.merging(environment) { $1 })
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("copy/1") == Array("content of 1".utf8))
        #expect(try server.requests().allSatisfy { $0.signed && $0.status < 300 })
        return try services.requests()
    }

    @Test("and a role that they may assume", arguments: [nil, "word"])
    func role(externalID: String?) async throws {
        let server = try await store()
        var settings = KeyServer.Settings(for: server)
        settings.externalID = externalID
        let services = try await KeyServer(settings)
        try writeConfig(
            server,
            """
            role_arn = \(settings.role)
            source_profile = base
            \(externalID.map { "external_id = \($0)" } ?? "")
            [profile base]
            aws_access_key_id = \(settings.user)
            aws_secret_access_key = \(settings.userSecret)
            """)
        let requests = try await mirror(
            server, services, ["AWS_ENDPOINT_URL_STS": services.endpoint], ["--profile", "work"])
        #expect(requests.map(\.method) == ["GET"])
        #expect(requests[0].target.contains("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Freader"))
    }

    @Test("and a role that is refused, which the message names with the reason")
    func refusedRole() async throws {
        let server = try await store()
        var settings = KeyServer.Settings(for: server)
        settings.externalID = "other"
        let services = try await KeyServer(settings)
        try writeConfig(
            server,
            "role_arn = \(settings.role)\nsource_profile = work\naws_access_key_id = \(settings.user)\naws_secret_access_key = \(settings.userSecret)"
        )
        let end = try await run(
            ["fetch", "--profile", "work", "s3://bucket/dir/1"], ["AWS_ENDPOINT_URL_STS": services.endpoint])
        #expect(end.status != 0 && end.errors.contains("'\(settings.role)'"), "\(end.errors)")
        #expect(end.errors.contains("not authorized to perform") && end.errors.contains("'work'"))
        #expect(try server.requests().isEmpty)
    }

    @Test("or a role for the token in a file, as in Kubernetes")
    func webIdentity() async throws {
        let server = try await store()
        var settings = KeyServer.Settings(for: server)
        settings.identity = "eyJ.token-+/=.x"
        let services = try await KeyServer(settings)
        try directory.write("eyJ.token-+/=.x\n", to: "token")
        let requests = try await mirror(
            server, services,
            [
                "AWS_ENDPOINT_URL_STS": services.endpoint, "AWS_ROLE_ARN": settings.role,
                "AWS_WEB_IDENTITY_TOKEN_FILE": directory.file("token"),
            ])
        #expect(requests.map(\.method) == ["POST"] && requests[0].target == "/")
    }

    @Test("or the service of a container, also when they expire soon")
    func container() async throws {
        let server = try await store()
        var settings = KeyServer.Settings(for: server)
        (settings.containerToken, settings.seconds) = ("Bearer of-container", 200)
        let services = try await KeyServer(settings)
        try directory.write("Bearer of-container\n", to: "token")
        let requests = try await mirror(
            server, services,
            [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": services.endpoint + "/container",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": directory.file("token"),
                "http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1",
            ], ["-j", "1"])
        #expect(requests.count > 1 && requests.allSatisfy { $0.status == 200 })
    }

    @Test("or the metadata of a virtual machine; one without a role sends no signature")
    func machine() async throws {
        let server = try await store()
        var settings = KeyServer.Settings(for: server)
        settings.machineRole = "of machine"
        let services = try await KeyServer(settings)
        let requests = try await mirror(
            server, services, ["AWS_EC2_METADATA_SERVICE_ENDPOINT": services.endpoint + "/"])
        #expect(requests.map(\.method) == ["PUT", "GET", "GET"])
        #expect(requests.last?.target.hasSuffix("/of%20machine") == true)

        settings.machineRole = nil
        let without = try await KeyServer(settings)
        var open = S3Server.Settings([.init("dir/1", text: "open")])
        open.public = true
        let publicStore = try await S3Server(open)
        let end = try await run(
            ["fetch", "s3://bucket/dir/1"],
            [
                "AWS_EC2_METADATA_SERVICE_ENDPOINT": without.endpoint,
                "AWS_ENDPOINT_URL": publicStore.endpoint,
                "AWS_REGION": open.region,
            ])
        #expect(end.status == 0, "\(end.errors)")
        #expect(try publicStore.requests().allSatisfy { !$0.signed })
    }
}

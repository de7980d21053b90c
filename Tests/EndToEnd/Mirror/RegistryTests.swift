import Foundation
import TestSupport
import Testing

/// Each test has its own registry.
@Suite("A container registry")
struct RegistryTests {
    private static let tagKey = "org.opencontainers.image.ref.name"
    private static let skopeo = "/usr/bin/skopeo"
    private static let isSkopeoInstalled = [skopeo, "/usr/bin/docker-registry"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func mirror(
        _ registry: RegistryServer, _ arguments: [String] = [], tag: String = ":v1", to copy: String = "copy",
        environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        let none = ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DOCKER_CONFIG"].map {
            ($0, "")
        }
        let end = try await Segdl.run(
            ["mirror", "--retries", "2", "--retry-delay", "0.01"] + arguments
                + ["oci://\(registry.host)/org/app\(tag)", copy], in: directory,
            environment: ["HOME": directory.path].merging(none) { $1 }.merging(environment) { $1 })
        #expect(!(end.errors + end.output).contains("pass-word"))
        return end
    }

    private func write(_ text: String, to path: String) throws {
        let parent = URL(fileURLWithPath: directory.file(path)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try directory.write(text, to: path)
    }

    private func index(of copy: String = "copy") throws -> [[String: Any]] {
        let read = try JSONSerialization.jsonObject(with: Data(directory.read("\(copy)/index.json")))
        return try #require((read as? [String: Any])?["manifests"] as? [[String: Any]])
    }

    /// The digests of a layout's files, which are their names.
    private func blobs(of copy: String = "copy") async throws -> Set<String> {
        let place = directory.file("\(copy)/blobs/sha256")
        let names = try FileManager.default.contentsOfDirectory(atPath: place)
        let sums = try await ChildProcess("/usr/bin/sha256sum", names.map { "\(place)/\($0)" }).result()
        #expect(
            sums.output == names.map { "\($0)  \(place)/\($0)\n" }.joined(), "\(sums.errors)")
        return Set(names.map { "sha256:\($0)" })
    }

    @Test(
        "an image is mirrored as a layout, with a token for the registry alone; a second run fetches nothing")
    func image() async throws {
        let registry = try await RegistryServer("{\"referrers\": true}")
        let first = try await mirror(registry)
        #expect(first.status == 0, "\(first.errors)")
        #expect(
            first.errors.contains("artifacts that refer to the image are omitted (application/signature)"))
        // The manifests that the listing has stored are fetched, too.
        #expect(first.errors.contains("8 fetched") && first.errors.contains(" 0 kept"), "\(first.errors)")
        let blobs = try await blobs()
        #expect(blobs.count == 8 && blobs.contains(registry.digest))
        let line = try #require(index().first)
        #expect(try index().count == 1 && line["digest"] as? String == registry.digest)
        #expect(line["mediaType"] as? String == "application/vnd.oci.image.index.v1+json")
        #expect(
            line["annotations"] as? [String: String] == [
                "org.opencontainers.image.ref.name": "v1",
                "io.containerd.image.name": "\(registry.host)/org/app:v1",
            ])
        #expect(try directory.read("copy/oci-layout") == Array("{\"imageLayoutVersion\":\"1.0.0\"}".utf8))

        let requests = try registry.requests()
        #expect(requests.count { $0.host == "tokens" } == 1)
        #expect(requests.filter { $0.host == "store" }.allSatisfy { $0.authorization == nil })
        // The manifests are requested once: those read while listing are already stored.
        #expect(requests.count { $0.target.contains("/manifests/") && $0.status == 200 } == 3)

        let second = try await mirror(registry)
        #expect(second.status == 0, "\(second.errors)")
        let further = try registry.requests().dropFirst(requests.count)
        #expect(second.errors.contains("0 fetched") && second.errors.contains(" 8 kept"), "\(second.errors)")
        #expect(further.filter { $0.status == 200 }.map(\.host) == ["tokens", "registry"])
        #expect(try index().count == 1)
    }

    @Test("an expired token is renewed, even with one connection and one file at a time", arguments: [1, 2])
    func expiry(uses: Int) async throws {
        let registry = try await RegistryServer("{\"size\": 3000000, \"tokenUses\": \(uses)}")
        let end = try await mirror(
            registry, ["-s", "4", "--min-segment-size", "300K", "-j", "2", "--limit-rate", "8M"])
        #expect(end.status == 0, "\(end.errors)")
        #expect(try await blobs().count == 8)
        let requests = try registry.requests()
        #expect(requests.contains { $0.host == "store" && $0.range != nil })
        #expect(requests.count { $0.host == "tokens" } > 2)

        let narrow = try await mirror(registry, ["-j", "1", "--max-connections", "1"], to: "narrow")
        #expect(narrow.status == 0, "\(narrow.errors)")
        #expect(try await blobs(of: "narrow") == blobs())
    }

    @Test("logins come from the command line, from stored ones and from helpers")
    func logins() async throws {
        let registry = try await RegistryServer("{\"login\": \"user:pass-word\"}")
        let given = try await mirror(registry, ["--user", "user:pass-word"], to: "given")
        #expect(given.status == 0, "\(given.errors)")

        let login = Data("user:pass-word".utf8).base64EncodedString()
        let stored = "{\"auths\": {\"http://\(registry.host)/v1/\": {\"auth\": \"\(login)\"}}}"
        try write(stored, to: "docker/config.json")
        let docker = ["DOCKER_CONFIG": directory.file("docker")]
        #expect(try await mirror(registry, to: "stored", environment: docker).status == 0)
        #expect(
            try await mirror(
                registry, to: "podman",
                environment: ["REGISTRY_AUTH_FILE": directory.file("docker/config.json")]
            ).status == 0)

        try write(
            """
            #!/bin/sh
            read server
            [ "$1 $server" = "get \(registry.host)" ] || exit 3
            echo '{"ServerURL": "x", "Username": "user", "Secret": "pass-word"}'
            """, to: "bin/docker-credential-test")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: directory.file("bin/docker-credential-test"))
        let path = "\(directory.file("bin")):/usr/bin:/bin"
        try directory.write("{\"credsStore\": \"test\"}", to: "docker/config.json")
        let helped = try await mirror(
            registry, to: "helped", environment: docker.merging(["PATH": path]) { $1 })
        #expect(helped.status == 0, "\(helped.errors)")
        try write("#!/bin/sh\necho rubbish\n", to: "bin/docker-credential-rubbish")
        try write("#!/bin/sh\necho no login\nexit 1\n", to: "bin/docker-credential-none")
        for (name, isNoted) in [("rubbish", true), ("none", false)] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: directory.file("bin/docker-credential-\(name)"))
            try directory.write("{\"credsStore\": \"\(name)\"}", to: "docker/config.json")
            let end = try await mirror(
                registry, to: name, environment: docker.merging(["PATH": path]) { $1 })
            #expect(end.status != 0)
            #expect(
                end.errors.contains("'docker-credential-\(name)' printed no login") == isNoted,
                "\(end.errors)")
        }
        try directory.write("{\"credsStore\": \"test\"}", to: "docker/config.json")
        let missing = try await mirror(registry, to: "missing", environment: docker)
        #expect(missing.status != 0 && missing.errors.contains("'docker-credential-test' failed"))
    }

    @Test("an identity token is exchanged at the token service")
    func identityToken() async throws {
        let registry = try await RegistryServer("{\"identityToken\": \"pass-word+/=\"}")
        try write(
            "{\"auths\": {\"\(registry.host)\": {\"auth\": \"\", \"identitytoken\": \"pass-word+/=\"}}}",
            to: "docker/config.json")
        let end = try await mirror(registry, environment: ["DOCKER_CONFIG": directory.file("docker")])
        #expect(end.status == 0, "\(end.errors)")
        #expect(try registry.requests().filter { $0.host == "tokens" }.map(\.method) == ["POST"])
    }

    @Test("one platform of several is mirrored; other images are added to the same layout")
    func platform() async throws {
        let registry = try await RegistryServer()
        let one = try await mirror(registry, ["--platform", "linux/arm64"])
        #expect(one.status == 0, "\(one.errors)")
        let ofOne = try await blobs()
        #expect(ofOne.count == 4 && !ofOne.contains(registry.digest))
        #expect(try index().first?["mediaType"] as? String == "application/vnd.oci.image.manifest.v1+json")
        let all = try await mirror(registry, tag: "@\(registry.digest)")
        #expect(all.status == 0, "\(all.errors)")
        let latest = try await mirror(registry, tag: "")
        #expect(latest.status == 0, "\(latest.errors)")
        #expect(try await blobs().count == 8 && index().count == 3)
        #expect(
            try index().map { ($0["annotations"] as? [String: String])?[Self.tagKey] } == [
                "v1", nil, "latest",
            ])
        // The files of the other images have not been removed from the registry.
        let part = try await mirror(registry, ["--platform", "linux/arm64"], tag: "")
        #expect(part.status == 0 && !(part.errors + part.output).contains("gone at the source"))
        // The proof covers the files of all images.
        try await expectProof(of: blobs())
        // One that no longer exists is left out by the next run.
        let lost = try #require(try await blobs().subtracting(ofOne).first)
        try FileManager.default.removeItem(atPath: directory.file("copy/blobs/sha256/\(lost.dropFirst(7))"))
        #expect(try await mirror(registry, ["--platform", "linux/arm64"], tag: "").status == 0)
        try await expectProof(of: blobs())
    }

    private func expectProof(of blobs: Set<String>) async throws {
        let sums = try String(decoding: directory.read("copy/SHA256SUMS"), as: UTF8.self)
        let names = sums.split(separator: "\n").map { "sha256:\($0.suffix(64))" }
        #expect(names.count == blobs.count && Set(names) == blobs)
        let end = try await Segdl.run(["verify", "copy/SHA256SUMS"], in: directory)
        #expect(end.status == 0, "\(end.errors)")
    }

    @Test("failures name a remedy")
    func failures() async throws {
        let registry = try await RegistryServer("{\"login\": \"user:pass-word\"}")
        func message(_ arguments: [String], tag: String = ":v1") async throws -> String {
            let end = try await mirror(registry, arguments, tag: tag, to: "none")
            #expect(end.status != 0)
            return end.errors
        }
        func refusal(_ arguments: [String], tag: String = ":v1") async throws -> String {
            let end = try await mirror(registry, arguments, tag: tag, to: "none")
            #expect(end.status == 3, "\(end.errors)")
            return end.errors
        }
        let right = ["--user", "user:pass-word"]
        #expect(try await message([]).contains("access to it is restricted"))
        #expect(try await message(["--user", "user:wrong"]).contains("the registry refuses the login"))
        #expect(try await refusal(right, tag: ":v9").contains("no such repository, tag or digest"))
        let noPlatform = try await refusal(right + ["--platform", "plan9/mips"])
        #expect(noPlatform.contains("available: linux/amd64, linux/arm64/v8"))
        #expect(noPlatform.contains("/v2/org/app/manifests/v1"), "\(noPlatform)")
        #expect(try await message(right + ["--delete"]).contains("leave out --delete"))
        #expect(try await message(right + ["--include", "*"]).contains("leave out --include"))
        #expect(!directory.exists("none/index.json"))
        let fetch = try await Segdl.run(["oci://\(registry.host)/org/app"], in: directory)
        #expect(fetch.status != 0 && fetch.errors.contains("is an image"))
        try directory.write("{\"manifests\": 1}", to: "none/index.json")
        #expect(try await message(right).contains("is not an image index"))
        #expect(try directory.read("none/index.json") == Array("{\"manifests\": 1}".utf8))
    }

    @Test("a manifest has the registry's bytes, even if not UTF-8, and is not rewritten")
    func bytes() async throws {
        let registry = try await RegistryServer("{\"comment\": true}")
        #expect(try await mirror(registry).status == 0)
        #expect(try await blobs().contains(registry.digest))
        let place = directory.file("copy/blobs/sha256/\(registry.digest.dropFirst(7))")
        let first = try FileManager.default.attributesOfItem(atPath: place)[.systemFileNumber] as? Int
        #expect(try await mirror(registry).status == 0)
        let second = try FileManager.default.attributesOfItem(atPath: place)[.systemFileNumber] as? Int
        #expect(try await blobs().contains(registry.digest))
        #expect(first == second)
    }

    @Test("an identity token is not sent to redirect targets of the token service")
    func redirectedToken() async throws {
        let registry = try await RegistryServer(
            "{\"identityToken\": \"pass-word\", \"redirectTokens\": true}")
        try write(
            "{\"auths\": {\"\(registry.host)\": {\"identitytoken\": \"pass-word\"}}}",
            to: "docker/config.json")
        let end = try await mirror(registry, environment: ["DOCKER_CONFIG": directory.file("docker")])
        #expect(end.status != 0 && end.errors.contains("redirects a request with a body"), "\(end.errors)")
        #expect(try registry.requests().allSatisfy { $0.host != "store" })
    }

    @Test("a layout loses no image: neither another one of the tag, nor an untagged one, nor by --delete")
    func others() async throws {
        let registry = try await RegistryServer()
        #expect(try await mirror(registry).status == 0)
        let list = try String(decoding: directory.read("copy/index.json"), as: UTF8.self)
        let digest = "sha256:\(String(repeating: "a", count: 64))"
        let untagged =
            "{\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"digest\":\"\(digest)\",\"size\":1}"
        try directory.write(
            list.replacing("\"manifests\":[", with: "\"manifests\":[\(untagged),"), to: "copy/index.json")
        #expect(try await mirror(registry).status == 0)
        #expect(try await mirror(registry, tag: "@\(registry.digest)").status == 0)
        #expect(try index().map { $0["digest"] as? String } == [digest, registry.digest, registry.digest])

        let deletes = try await Segdl.run(
            ["mirror", "--delete", "http://\(registry.host)/", "copy"], in: directory)
        #expect(deletes.status != 0 && deletes.errors.contains("is an image layout"), "\(deletes.errors)")
        try directory.write(list.replacing("org/app:v1", with: "org/other:v1"), to: "copy/index.json")
        let other = try await mirror(registry)
        #expect(other.status != 0 && other.errors.contains("org/other:v1"), "\(other.errors)")
        #expect(try await blobs().count == 8)
    }

    @Test("the platform of an image outside an index comes from its configuration")
    func ownPlatform() async throws {
        let registry = try await RegistryServer("{\"single\": true}")
        #expect(try await mirror(registry, ["--platform", "linux/arm64"]).status == 0)
        let end = try await mirror(registry, ["--platform", "linux/s390x"], to: "other")
        #expect(end.status == 3 && end.errors.contains("available: linux/arm64"), "\(end.errors)")
    }

    // MARK: The real programs

    @Test(
        "the layout of an image in the real registry is read by skopeo",
        .enabled(if: isSkopeoInstalled, "docker-registry and skopeo are not installed"))
    func realPrograms() async throws {
        let registry = try await RegistryServer("{\"real\": true, \"size\": 2000000}")
        let end = try await mirror(registry, ["-s", "4", "--min-segment-size", "300K"])
        #expect(end.status == 0, "\(end.errors)")
        let copied = try await ChildProcess(
            Self.skopeo,
            [
                "copy", "-q", "--all", "--insecure-policy", "oci:\(directory.file("copy")):v1",
                "oci:\(directory.file("theirs")):v1",
            ]
        ).result()
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(try await blobs(of: "theirs") == blobs())
        #expect(try index(of: "theirs").first?["digest"] as? String == registry.digest)
    }

    @Test(
        "an image with Docker's types is read by skopeo, too",
        .enabled(if: isSkopeoInstalled, "docker-registry and skopeo are not installed"))
    func dockerTypes() async throws {
        let registry = try await RegistryServer("{\"docker\": true}")
        let end = try await mirror(registry)
        #expect(end.status == 0, "\(end.errors)")
        let read = try await ChildProcess(
            Self.skopeo, ["inspect", "--raw", "oci:\(directory.file("copy"))"]
        ).result()
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.output.contains("application/vnd.docker.distribution.manifest.list.v2+json"))
    }
}

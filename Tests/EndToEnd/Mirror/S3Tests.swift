import Foundation
import TestContent
import TestSupport
import Testing

/// One at a time: each has its own store, which takes seconds of CPU time to start.
@Suite(
    "A store that verifies signatures", .serialized,
    .enabled(if: S3Server.isInstalled, "\(S3Server.notInstalled)"))
struct S3Tests {
    /// Keys whose encoding in the URL easily differs from the signed one.
    private static let odd = [
        "dir/a b.txt", "dir/ümlaut é.txt", "dir/1+1=2.txt", "dir/50%25.txt", "dir/100%.txt",
        "dir/a&b;c,d.txt",
        "dir/q?x#y.txt", "dir/~(tilde)!*'@:$.txt", "dir/sub dir/日本.txt",
    ]

    private static let digestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(
        _ arguments: [String], _ server: S3Server, environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        let end = try await Segdl.run(
            arguments + ["--retries", "1", "--retry-delay", "0.01"], in: directory,
            environment: server.environment.merging(environment) { $1 })
        #expect(!end.errors.contains(server.settings.secret) && !end.output.contains(server.settings.secret))
        if let token = server.settings.token { #expect(!(end.errors + end.output).contains(token)) }
        return end
    }

    private static func texts(_ keys: [String]) -> [S3Server.Settings.Object] {
        keys.map { .init($0, text: "content of \($0)") }
    }

    // MARK: Mirrors

    @Test(
        "a bucket of more than a page, with odd keys and a large file, is mirrored; the second run fetches nothing"
    )
    func mirror() async throws {
        let large = Int64(12 * 1024 * 1024 + 123)
        try TestContent(seed: 7).write(to: directory.file("large"), length: large)
        let many = (0..<1100).map { "many/\($0).txt" }
        var settings = S3Server.Settings(Self.texts(Self.odd + many))
        settings.objects.append(.init("dir/large.bin", file: directory.file("large")))
        settings.token = "token/with+signs=="
        let server = try await S3Server(settings)
        let mirror = ["mirror", "-s", "4", "-x", "8", "--durability", "process", "s3://bucket", "copy"]
        let first = try await run(mirror, server)
        #expect(first.status == 0, "\(first.errors)")
        for key in Self.odd + many {
            #expect(try directory.read("copy/" + key) == Array("content of \(key)".utf8))
        }
        #expect(try directory.read("copy/dir/large.bin") == directory.read("large"))
        let requests = try server.requests()
        #expect(requests.allSatisfy { $0.signed && $0.token == settings.token && $0.status < 300 })
        #expect(requests.allSatisfy { $0.digest == Self.digestOfNothing })
        #expect(requests.count(where: \.isListing) == 2)
        // As long as small files use all connections, the first response continues to the end.
        #expect(requests.contains { $0.target.hasSuffix("/large.bin") && $0.status == 206 })

        let second = try await run(mirror, server)
        #expect(second.status == 0, "\(second.errors)")
        let later = try server.requests().dropFirst(requests.count)
        // The listing's ETags show that nothing has changed.
        #expect(later.count == 2 && later.allSatisfy(\.isListing))
        try expectNoSecrets(of: settings)
    }

    @Test("a large object alone is fetched in segments, each with a signature")
    func segments() async throws {
        try TestContent(seed: 7).write(to: directory.file("large"), length: 12 * 1024 * 1024 + 123)
        let server = try await S3Server(.init([.init("large.bin", file: directory.file("large"))]))
        let end = try await run(
            ["mirror", "-s", "4", "--durability", "process", "s3://bucket", "copy"], server)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("copy/large.bin") == directory.read("large"))
        let parts = try server.requests().filter { $0.target.hasSuffix("/large.bin") }
        #expect(parts.count { $0.status == 206 } >= 4)
        #expect(parts.allSatisfy { $0.signed })
    }

    /// Expects that no file left by a run contains the secret or the token.
    private func expectNoSecrets(of settings: S3Server.Settings) throws {
        let secrets = [settings.secret, settings.token ?? settings.secret].map { Data($0.utf8) }
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            guard let data = FileManager.default.contents(atPath: directory.file(path)) else { continue }
            for secret in secrets { #expect(data.range(of: secret) == nil, "\(path)") }
        }
    }

    @Test("a directory of a bucket excludes keys that merely share its prefix")
    func directoryOnly() async throws {
        let server = try await S3Server(.init(Self.texts(["a/x.txt", "a/b c/y.txt", "ab/z.txt"])))
        let end = try await run(["mirror", "s3://bucket/a", "copy"], server)
        #expect(end.status == 0, "\(end.errors)")
        #expect(directory.exists("copy/x.txt") && directory.exists("copy/b c/y.txt"))
        #expect(!directory.exists("copy/ab") && !directory.exists("copy/z.txt"))
    }

    @Test("a bucket's URL is signed as well, and keys that cannot be paths are named")
    func byURL() async throws {
        let server = try await S3Server(.init(Self.texts(["a//b.txt", "c.txt"])))
        let end = try await run(
            ["mirror", "--format", "s3", server.endpoint + "/bucket/", "copy"], server,
            environment: ["AWS_ENDPOINT_URL": ""])
        #expect(end.status == 1 && end.errors.contains("a//b.txt"), "\(end.errors)")
        #expect(directory.exists("copy/c.txt"))
        #expect(try server.requests().allSatisfy(\.signed))
    }

    @Test("a public bucket is read without a signature if no key exists, or on request")
    func anonymous() async throws {
        var settings = S3Server.Settings(Self.texts(["a.txt"]))
        settings.public = true
        let server = try await S3Server(settings)
        let none = ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""]
        let bare = try await run(["mirror", "s3://bucket/", "one"], server, environment: none)
        #expect(bare.status == 0, "\(bare.errors)")
        let asked = try await run(["mirror", "--no-sign-request", "s3://bucket/", "two"], server)
        #expect(asked.status == 0, "\(asked.errors)")
        let file = try await run(["fetch", "--no-sign-request", "s3://bucket/a.txt"], server)
        #expect(file.status == 0, "\(file.errors)")
        #expect(try server.requests().allSatisfy { !$0.signed && $0.token == nil })
    }

    // MARK: Files

    @Test("one object is fetched, whatever its key", arguments: odd + ["a//b.txt"])
    func fetch(key: String) async throws {
        let server = try await S3Server(.init(Self.texts([key])))
        let end = try await run(["fetch", "-o", "out", "s3://bucket/" + key], server)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("out") == Array("content of \(key)".utf8))
    }

    // MARK: Refusals

    @Test(
        "a problem with a key is explained",
        arguments: [
            (["AWS_SECRET_ACCESS_KEY": "wrong"], "403", "check the access key"),
            (["AWS_ACCESS_KEY_ID": "NOSUCHKEY"], "403", "check the access key"),
            (["AWS_SESSION_TOKEN": "stale"], "403", "session token"),
            (["AWS_REGION": "us-west-2"], "400", "the region 'us-west-2'"),
        ])
    func wrong(variables: [String: String], status: String, advice: String) async throws {
        let server = try await S3Server(.init(Self.texts(["a.txt"])))
        for command in [["fetch", "s3://bucket/a.txt"], ["mirror", "s3://bucket", "copy"]] {
            let end = try await run(command, server, environment: variables)
            #expect(
                end.status == 3 && end.errors.contains(status) && end.errors.contains(advice), "\(end.errors)"
            )
        }
        #expect(!directory.exists("a.txt"))
    }

    @Test("a wrong clock is reported", arguments: [3600, -7200])
    func clock(offset: Int) async throws {
        var settings = S3Server.Settings(Self.texts(["a.txt"]))
        settings.clock = offset
        let server = try await S3Server(settings)
        let end = try await run(["fetch", "s3://bucket/a.txt"], server)
        let side = offset > 0 ? "behind" : "ahead of"
        #expect(end.status == 3, "\(end.errors)")
        #expect(end.errors.contains("clock is") && end.errors.contains(side), "\(end.errors)")
    }

    @Test("a bucket in another region is reported")
    func elsewhere() async throws {
        var settings = S3Server.Settings(Self.texts(["a.txt"]))
        settings.bucketRegion = "ap-south-1"
        let server = try await S3Server(settings)
        for command in [["fetch", "s3://bucket/a.txt"], ["mirror", "s3://bucket", "copy"]] {
            let end = try await run(command, server)
            #expect(end.status == 3, "\(end.errors)")
            #expect(end.errors.contains("but the bucket is in 'ap-south-1'"), "\(end.errors)")
        }
    }

    @Test("the body digest of a caller is the one that is sent")
    func digestOfCaller() async throws {
        let server = try await S3Server(.init(Self.texts(["a.txt"])))
        let own = "X-Amz-Content-SHA256: \(Self.digestOfNothing)"
        let end = try await run(["fetch", "-H", own, "s3://bucket/a.txt"], server)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try server.requests().map(\.digest) == [Self.digestOfNothing])
    }

    @Test("half a key is an error before any request")
    func half() async throws {
        let server = try await S3Server(.init(Self.texts(["a.txt"])))
        let end = try await run(
            ["fetch", "s3://bucket/a.txt"], server, environment: ["AWS_SECRET_ACCESS_KEY": ""])
        #expect(end.status == 64 && end.errors.contains("AWS_SECRET_ACCESS_KEY"), "\(end.errors)")
        #expect(try server.requests().isEmpty)
    }

    @Test("a redirect on the same host is signed again")
    func moved() async throws {
        var settings = S3Server.Settings(Self.texts(["new place/b+c.txt"]))
        settings.redirects = ["/bucket/old.txt": "/bucket/new%20place/b+c.txt"]
        let server = try await S3Server(settings)
        let end = try await run(["fetch", "-o", "out", "s3://bucket/old.txt"], server)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("out") == Array("content of new place/b+c.txt".utf8))
        #expect(try server.requests().map(\.target) == ["/bucket/old.txt", "/bucket/new%20place/b%2Bc.txt"])
    }

    @Test("a killed download of an object resumes with signed requests")
    func resumed() async throws {
        let size = Int64(24 * 1024 * 1024)
        try TestContent(seed: 3).write(to: directory.file("large"), length: size)
        let server = try await S3Server(.init([.init("large.bin", file: directory.file("large"))]))
        let fetch = ["fetch", "-s", "4", "-o", "out", "s3://bucket/large.bin"]
        let first = try Segdl.start(
            fetch + ["--limit-rate", "3MiB"], in: directory, environment: server.environment)
        try await Segdl.waitUntilKept("out", atLeast: 2 * 1024 * 1024, in: directory)
        first.send(SIGKILL)
        _ = await first.result()
        let kept = try Segdl.kept("out", in: directory)
        let before = try server.requests().count
        let end = try await run(fetch, server)
        #expect(end.status == 0 && kept > 0, "\(end.errors)")
        #expect(try directory.read("out") == directory.read("large"))
        let later = try server.requests().dropFirst(before)
        #expect(later.allSatisfy { $0.signed && $0.status == 206 && $0.range != "bytes=0-" })
    }

    @Test("another host receives neither signature nor token after a redirect")
    func redirected() async throws {
        let foreign = try await SharedServer.scenario()
        var settings = S3Server.Settings(Self.texts(["a.txt"]))
        settings.token = "session"
        settings.redirects = ["/bucket/a.txt": foreign.url("plain", 3_000_000)]
        let server = try await S3Server(settings)
        let end = try await run(["fetch", "-s", "4", "-o", "out", "s3://bucket/a.txt"], server)
        #expect(end.status == 0, "\(end.errors)")
        let requests = try await foreign.requests()
        #expect(!requests.isEmpty)
        for request in requests {
            let names = request.headers.keys.map { $0.lowercased() }
            #expect(!names.contains("authorization") && !names.contains { $0.hasPrefix("x-amz-") })
        }
    }
}

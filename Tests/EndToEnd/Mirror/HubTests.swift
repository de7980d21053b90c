import Foundation
import TestSupport
import Testing

/// Each test has its own replica of a hub.
@Suite("A model hub")
struct HubTests {
    private static let commit = "0123456789abcdef0123456789abcdef01234567"
    private static let files = """
        "config.json": {"text": "{}"}, ".gitattributes": {"text": "x"}, "copy.json": {"text": "{}"},
        "model/a b.safetensors": {"seed": 1, "size": 3000000}, "model/b.bin": {"seed": 2, "size": 500000}
        """

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func hub(
        _ more: String = "", repository: String = "", files: String = files
    ) async throws -> HubServer {
        try await HubServer(
            """
            {"repositories": {"models/org/model": {"commit": "\(Self.commit)", "revisions": ["main", "v1"],
            "files": {\(files)}\(repository)}}, "large": 100000, "token": "hf_secret"\(more)}
            """)
    }

    private func run(
        _ arguments: [String], _ hub: HubServer, token: String = ""
    ) async throws -> ChildProcess.Result {
        let end = try await Segdl.run(
            arguments + ["--retries", "2", "--retry-delay", "0.01"], in: directory,
            environment: [
                "HF_ENDPOINT": hub.endpoint, "HF_TOKEN": token, "HF_HOME": directory.file("home"),
                "HF_TOKEN_PATH": "",
            ])
        #expect(!(end.errors + end.output).contains("hf_secret"))
        return end
    }

    @Test("a repository is mirrored over several pages at one commit; the second run fetches nothing")
    func mirror() async throws {
        let hub = try await hub(", \"page\": 2")
        let first = try await run(["mirror", "hf://org/model", "copy"], hub, token: "hf_secret")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try directory.read("copy/config.json") == Array("{}".utf8))
        #expect(try directory.read("copy/model/a b.safetensors").count == 3_000_000)
        let requests = try hub.requests()
        #expect(requests.count { $0.target.contains("/tree/\(Self.commit)") } == 3)
        #expect(
            requests.filter { $0.target.contains("/resolve/") }.allSatisfy { $0.target.contains(Self.commit) }
        )
        // The token is sent only to the hub.
        let isSent = Dictionary(grouping: requests, by: \.host).mapValues { Set($0.map(\.authorization)) }
        #expect(isSent == ["hub": ["Bearer hf_secret"], "store": [nil]])

        let second = try await run(["mirror", "hf://org/model", "copy"], hub, token: "hf_secret")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try hub.requests().dropFirst(requests.count).allSatisfy { $0.target.contains("/api/") })

        // Without the records of the first run, the digests say that nothing is missing.
        for name in try TemporaryDirectory.names(of: directory.file("copy"))
        where name.hasPrefix(".segdl-mirror.") {
            try directory.remove("copy/\(name)")
        }
        let third = try await run(["mirror", "hf://org/model", "copy"], hub, token: "hf_secret")
        #expect(third.status == 0, "\(third.errors)")
        #expect(try hub.requests().dropFirst(requests.count).allSatisfy { $0.target.contains("/api/") })
        let proof = String(decoding: try directory.read("copy/segdl-mirror.jsonl"), as: UTF8.self)
        // `printf {} | git hash-object --stdin`
        #expect(proof.contains(#""gitsha1":"9e26dfeeb6e641a33dae4961196235bdb965b21b""#))
        let verified = try await Segdl.run(["verify", "copy/segdl-mirror.jsonl"], in: directory)
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test("a small file gets its name only with the ID that the hub has for it in Git")
    func wrongSmallFile() async throws {
        let hub = try await hub(
            files: #""config.json": {"text": "{\"a\": 1}", "sent": "{\"a\": 2}"}, "right": {"text": "x"}"#)
        for arguments in [["mirror", "hf://org/model", "copy"], ["fetch", "hf://org/model/config.json"]] {
            let end = try await run(arguments, hub)
            #expect(end.status != 0)
            #expect(end.errors.contains("the received bytes have gitsha1"), "\(end.errors)")
        }
        #expect(directory.exists("copy/right"))
        #expect(!directory.exists("copy/config.json") && !directory.exists("config.json"))
        let right = try await run(["fetch", "--progress", "json", "hf://org/model/right"], hub)
        #expect(right.status == 0, "\(right.errors)")
        #expect(right.output.contains("gitsha1=") && right.output.contains("ETag"))
        let shown = try await run(["fetch", "-o", "other", "hf://org/model/right"], hub)
        #expect(shown.errors.contains("gitsha1 verified"), "\(shown.errors)")
    }

    @Test("a directory of a revision is mirrored with paths below it, as far as the filter says")
    func directoryOfRevision() async throws {
        let hub = try await hub()
        let end = try await run(["mirror", "--include", "*.bin", "hf://org/model@v1/model", "copy"], hub)
        #expect(end.status == 0, "\(end.errors)")
        #expect(directory.exists("copy/b.bin") && !directory.exists("copy/a b.safetensors"))
    }

    @Test("a file has the hub's digest; an expired link is renewed by the hub")
    func file() async throws {
        // The second link requested from the store has expired.
        let hub = try await hub(", \"expireAfter\": 2")
        let end = try await run(
            [
                "fetch", "-s", "4", "--min-segment-size", "500K", "--limit-rate", "4M",
                "hf://org/model/model/a b.safetensors",
            ], hub, token: "hf_secret")
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("sha256 verified"))
        #expect(try directory.read("a b.safetensors").count == 3_000_000)
        let requests = try hub.requests()
        let refused = try #require(requests.firstIndex { $0.host == "store" && $0.status == 403 })
        #expect(requests[refused...].contains { $0.host == "hub" && $0.status == 302 })
        #expect(requests.filter { $0.host == "store" }.allSatisfy { $0.authorization == nil })
    }

    @Test("a file that an edge of the store lacks is requested from the hub again, once")
    func missingAtEdge() async throws {
        let once = try await hub(", \"missingAnswers\": [1]")
        let end = try await run(["fetch", "hf://org/model/model/b.bin"], once)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("b.bin").count == 500_000)

        let always = try await hub(", \"missingAnswers\": [1, 2, 3, 4, 5, 6, 7, 8]")
        let missing = try await run(["fetch", "-o", "c.bin", "hf://org/model/model/b.bin"], always)
        #expect(missing.status != 0)
        #expect(missing.errors.contains("no such repository, revision or file"), "\(missing.errors)")
        #expect(try always.requests().count { $0.host == "store" } == 2)
    }

    @Test("a link that expires while its file waits for a connection is renewed, and ranges are not given up")
    func expiredBeforeUse() async throws {
        let hub = try await hub(
            ", \"expiry\": 0.6",
            files: #""a": {"seed": 1, "size": 3000000}, "b": {"seed": 2, "size": 3000000}"#)
        let end = try await run(
            [
                "mirror", "-j", "2", "--max-connections-per-host", "1", "--limit-rate", "2M",
                "hf://org/model",
                "copy",
            ], hub)
        #expect(end.status == 0, "\(end.errors)")
        let requests = try hub.requests().filter { $0.host == "store" }
        #expect(requests.contains { $0.status == 403 })
        #expect(requests.allSatisfy { $0.range != nil })
    }

    @Test(
        "a small file is requested again if it falls silent, also twice in a row, at a host that sent others")
    func silent() async throws {
        // Silence does not end a connection here.
        let hub = try await hub(
            ", \"silentAnswers\": [5, 6]",
            files: (1...5).map { "\"f\($0)\": {\"seed\": \($0), \"size\": 150000}" }.joined(separator: ", "))
        let end = try await run(
            ["mirror", "-j", "1", "--low-speed-time", "0", "hf://org/model", "copy"], hub)
        #expect(end.status == 0, "\(end.errors)")
        let requests = try hub.requests().filter { $0.host == "store" }
        #expect(requests.count(where: \.silent) == 2)
        #expect(requests.count <= 30, "\(requests)")
    }

    @Test("failures name a remedy")
    func failures() async throws {
        let hub = try await hub(repository: ", \"gated\": \"pending\"")
        func message(_ arguments: [String], token: String = "") async throws -> String {
            let end = try await run(arguments, hub, token: token)
            #expect(end.status != 0)
            return end.errors
        }
        #expect(
            try await message(["fetch", "hf://org/model/config.json"]).contains(
                "access to this repository is restricted"))
        #expect(
            try await message(["fetch", "hf://org/model/config.json"], token: "hf_secret")
                .contains("the token's user has no access"))
        #expect(
            try await message(["mirror", "hf://org/model", "a"], token: "hf_wrong").contains(
                "the hub refuses the token"))
        #expect(
            try await message(["mirror", "hf://org/model@v9", "b"]).contains("there is no revision 'v9'"))
        #expect(try await message(["mirror", "hf://org/none", "c"]).contains("there is no such repository"))
    }

    @Test("a quota stated by the hub is not exceeded")
    func quota() async throws {
        let hub = try await hub(", \"quota\": 5, \"window\": 2")
        let end = try await run(["mirror", "hf://org/model", "copy"], hub)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try !hub.requests().contains { $0.status == 429 })
    }

    // A quota of an hour is obeyed in advance, and the replica refuses requests beyond one of a minute.
    @Test(
        "a quota that is renewed too late fails all further files with the same message",
        arguments: [60, 3600], [1, 4])
    func longQuota(window: Int, concurrentFiles: Int) async throws {
        let hub = try await hub(", \"quota\": 3, \"window\": \(window)")
        let end = try await run(
            [
                "mirror", "--progress", "plain", "-j", "\(concurrentFiles)", "--retry-max-time", "5",
                "hf://org/model", "copy",
            ], hub)
        #expect(end.status == 1, "\(end.errors)")
        let lines = (end.errors + end.output).split(separator: "\n")
        let failed = lines.filter { $0.contains("failed: ") }
        #expect(failed.count >= 2, "\(lines)")
        for line in failed {
            #expect(line.contains("hf://org/model: the request quota is exhausted"), "\(line)")
            #expect(line.contains("setting a token in HF_TOKEN raises it"), "\(line)")
        }
        #expect(lines.count { $0.contains("requests a delay of") } <= 1, "\(lines)")
    }

    @Test("a quota that is renewed too late also ends a listing, and a mirror that is continued")
    func longQuotaOfListing() async throws {
        let hub = try await hub(", \"quota\": 2, \"window\": 3600, \"page\": 1")
        for _ in 1...2 {
            let end = try await run(["mirror", "--retry-max-time", "5", "hf://org/model", "copy"], hub)
            #expect(end.status != 0, "\(end.errors)")
            #expect(end.errors.contains("the request quota is exhausted"), "\(end.errors)")
        }
    }

    @Test("a pull request is a revision, and a server that is no hub is not blamed on the name")
    func revisions() async throws {
        let hub = try await hub()
        let end = try await run(["mirror", "hf://org/model@refs/pr/2", "copy"], hub)
        #expect(end.status == 3 && end.errors.contains("no revision 'refs/pr/2'"), "\(end.errors)")
        let unreachable = try await Segdl.run(
            ["mirror", "--retries", "0", "hf://org/model", "copy"], in: directory,
            environment: [
                "HF_ENDPOINT": "http://127.0.0.1:1", "HF_TOKEN": "", "HF_HOME": directory.file("home"),
                "HF_TOKEN_PATH": "",
            ])
        #expect(unreachable.status == 2, "\(unreachable.errors)")
        #expect(unreachable.errors.contains("is that of HF_ENDPOINT; check it"), "\(unreachable.errors)")
    }

    @Test("the files of a cache have their paths in the repository in all output, not those of their content")
    func namesInCache() async throws {
        let cache = ["mirror", "--hf-cache", "hf://org/model", "cache"]
        // `printf {} | git hash-object --stdin`
        let blob = "9e26dfeeb6e641a33dae4961196235bdb965b21b"
        let gated = try await run(cache, try await hub(repository: ", \"gated\": \"pending\""))
        #expect(gated.status != 0)
        for name in ["config.json", "model/b.bin"] {
            #expect(gated.errors.contains("\(name): hf://org/model: access to this"), "\(gated.errors)")
        }
        #expect(!gated.errors.contains(blob), "\(gated.errors)")

        let hub = try await hub()
        let planned = try await run(cache + ["--dry-run"], hub)
        #expect(planned.output.contains("fetch config.json\n"), "\(planned.output)")
        let fetched = try await run(cache + ["-v"], hub)
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(fetched.errors.contains("model/b.bin: 488 KiB"), "\(fetched.errors)")
        #expect(!fetched.errors.contains("\(blob): "), "\(fetched.errors)")
        #expect(directory.exists("cache/models--org--model/blobs/\(blob)"))
        let kept = try await run(cache + ["-v"], hub)
        #expect(kept.errors.contains("config.json: exists, skipped"), "\(kept.errors)")
    }

    @Test("the proof of a cache is checked as documented; without one, verify names the commands")
    func proofOfCache() async throws {
        let hub = try await hub()
        let cache = ["mirror", "--hf-cache", "hf://org/model", "cache"]
        #expect(try await run(cache, hub).status == 0)
        for place in ["cache", "cache/models--org--model"] {
            let end = try await Segdl.run(["verify", place], in: directory)
            #expect(end.status != 0)
            #expect(
                end.errors.contains(
                    "--proof PROOF hf://OWNER/NAME cache, then run segdl verify -d cache PROOF"),
                "\(end.errors)")
        }
        #expect(try await run(cache + ["--proof", "proof"], hub).status == 0)
        for list in ["proof/SHA256SUMS", "proof/segdl-mirror.jsonl"] {
            let end = try await Segdl.run(["verify", "-d", "cache", list], in: directory)
            #expect(end.status == 0 && end.errors.contains("4 of 4 files right"), "\(end.errors)")
        }
        let sums = try String(decoding: directory.read("proof/SHA256SUMS"), as: UTF8.self)
        #expect(
            sums.split(separator: "\n").allSatisfy { $0.contains("  models--org--model/blobs/") }, "\(sums)")
    }

    @Test("a list of missing files, whatever its name, leads back to the hub, with its token")
    func missingFiles() async throws {
        let hub = try await hub(repository: ", \"gated\": true")
        for arguments in [["first", "hf://org/model", "none"], ["second", "first", "copy"]] {
            let end = try await run(["mirror", "--failed"] + arguments, hub)
            #expect(end.status != 0)
            #expect(end.errors.contains("access to this repository is restricted"), "\(end.errors)")
        }
        let list = try String(decoding: directory.read("second"), as: UTF8.self)
        #expect(list.contains("\"hf://org/model@\(Self.commit)/model/a b.safetensors\""), "\(list)")
        let end = try await run(["mirror", "second", "copy"], hub, token: "hf_secret")
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("copy/config.json") == Array("{}".utf8))
        #expect(try directory.read("copy/model/a b.safetensors").count == 3_000_000)
        #expect(try hub.requests().filter { $0.host == "store" }.allSatisfy { $0.authorization == nil })
        for name in try TemporaryDirectory.names(of: directory.file("copy"))
        where name.hasPrefix(".segdl-mirror.") {
            let state = try String(decoding: directory.read("copy/\(name)"), as: UTF8.self)
            #expect(!state.contains("hf_secret"))
        }
    }

    // MARK: The real client

    private func python(_ text: String, _ hub: HubServer, home: String) async throws -> ChildProcess.Result {
        try await ChildProcess(
            HubServer.client, ["-c", text],
            environment: [
                "HF_ENDPOINT": hub.endpoint, "HF_HOME": directory.file(home), "HF_HUB_DISABLE_TELEMETRY": "1",
            ]
        ).result()
    }

    @Test(
        "the real client downloads from the replica, and finds the files of the cache layout",
        .enabled(if: HubServer.isClientInstalled, "\(HubServer.noClient)"))
    func realClient() async throws {
        let hub = try await hub(", \"page\": 2")
        let fetched = try await python(
            "from huggingface_hub import snapshot_download; print(snapshot_download('org/model'))", hub,
            home: "theirs")
        #expect(fetched.status == 0, "\(fetched.errors)")

        let end = try await run(["mirror", "--hf-cache", "hf://org/model", "ours/hub"], hub)
        #expect(end.status == 0, "\(end.errors)")
        let found = try await python(
            "from huggingface_hub import snapshot_download; print(snapshot_download('org/model', local_files_only=True))",
            hub, home: "ours")
        #expect(found.status == 0, "\(found.errors)")
        func place(_ home: String) -> String { "\(home)/hub/models--org--model" }
        #expect(found.output.contains(directory.file("\(place("ours"))/snapshots/\(Self.commit)")))
        #expect(try directory.read("\(place("ours"))/refs/main") == Array(Self.commit.utf8))
        for kind in ["blobs", "snapshots"] {
            let names = try ["ours", "theirs"].map {
                try FileManager.default.subpathsOfDirectory(atPath: directory.file("\(place($0))/\(kind)"))
                    .sorted()
            }
            #expect(names[0] == names[1])
            for name in names[0] {
                let file = { directory.file("\(place($0))/\(kind)/\(name)") }
                #expect(
                    FileManager.default.contents(atPath: file("ours"))
                        == FileManager.default.contents(atPath: file("theirs")), "\(name)")
            }
        }
    }
}

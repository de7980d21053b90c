import Foundation
import TestSupport
import Testing

/// Each test has its own replica of a hub with ModelScope's API.
@Suite("A hub of models with ModelScope's API")
struct ModelScopeTests {
    private static let files = """
        "config.json": {"text": "{}"}, "model/a b.safetensors": {"seed": 1, "size": 3000000},
        "model/b.bin": {"seed": 2, "size": 500000}
        """

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func hub(_ repository: String = "", files: String = files) async throws -> HubServer {
        let many = (0..<250).map { "\"part/\($0).txt\": {\"text\": \"\($0)\"}" }.joined(separator: ",")
        return try await HubServer(
            """
            {"repositories": {"models/org/model": {"commit": "x", "revisions": ["master", "v1"],
            "files": {\(files)}\(repository)}, "datasets/org/data": {"commit": "x",
            "revisions": ["master"], "files": {\(many)}}}, "large": 100000, "token": "ms-secret",
            "modelscope": true}
            """)
    }

    private func run(
        _ arguments: [String], _ hub: HubServer, token: String = ""
    ) async throws -> ChildProcess.Result {
        let end = try await Segdl.run(
            arguments + ["--retries", "2", "--retry-delay", "0.01"], in: directory,
            environment: [
                "HF_ENDPOINT": hub.endpoint, "MODELSCOPE_ENDPOINT": hub.endpoint, "HF_TOKEN": "hf_other",
                "MODELSCOPE_API_TOKEN": token, "HF_HOME": directory.file("home"), "HF_TOKEN_PATH": "",
            ])
        #expect(!(end.errors + end.output).contains("ms-secret"))
        return end
    }

    @Test("is mirrored with the digests of all files; the second run fetches nothing")
    func mirror() async throws {
        let hub = try await hub(", \"gated\": true")
        let first = try await run(["mirror", "hf://org/model", "copy"], hub, token: "ms-secret")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try directory.read("copy/config.json") == Array("{}".utf8))
        #expect(try directory.read("copy/model/a b.safetensors").count == 3_000_000)
        let requests = try hub.requests()
        // The token of another hub is not sent, and the store gets none.
        let isSent = Dictionary(grouping: requests, by: \.host).mapValues { Set($0.map(\.authorization)) }
        #expect(isSent == ["hub": ["Bearer ms-secret"], "store": [nil]])
        let second = try await run(["mirror", "hf://org/model", "copy"], hub, token: "ms-secret")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try hub.requests().dropFirst(requests.count).map(\.status) == [200])

        let part = try await run(
            ["mirror", "hf://org/model@v1/model", "--include", "*.bin", "part"], hub, token: "ms-secret")
        #expect(part.status == 0, "\(part.errors)")
        #expect(directory.exists("part/b.bin") && !directory.exists("part/a b.safetensors"))
        let refused = try await run(["mirror", "hf://org/model", "other"], hub)
        #expect(refused.status != 0 && refused.errors.contains("hf://org/model"), "\(refused.errors)")
        let cache = try await run(["mirror", "--hf-cache", "hf://org/model", "hub"], hub)
        #expect(cache.status != 0 && cache.errors.contains("--hf-cache"), "\(cache.errors)")
    }

    @Test("lists a data set in pages, and names a file by its path")
    func pages() async throws {
        let hub = try await hub()
        let end = try await run(["mirror", "hf://datasets/org/data", "copy"], hub)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try TemporaryDirectory.names(of: directory.file("copy/part")).count == 250)
        #expect(try hub.requests().count { $0.target.contains("PageNumber=") } == 2)
        let file = try await run(["fetch", "hf://org/model/model/a b.safetensors"], hub)
        #expect(file.status == 0, "\(file.errors)")
        #expect(try directory.read("a b.safetensors").count == 3_000_000)
        let none = try await run(["fetch", "hf://org/model/none"], hub)
        #expect(none.status != 0 && none.errors.contains("there is no 'none'"), "\(none.errors)")
    }

    @Test("a file whose bytes are not those of the listing fails")
    func wrong() async throws {
        let hub = try await hub(files: #""a": {"text": "abc", "sent": "abd"}, "b": {"text": "x"}"#)
        let end = try await run(["mirror", "hf://org/model", "copy"], hub)
        #expect(end.status != 0 && end.errors.contains("sha256"), "\(end.errors)")
        #expect(!directory.exists("copy/a") && directory.exists("copy/b"))
    }

    @Test(
        "the real client downloads from the replica",
        .enabled(if: HubServer.isModelScopeInstalled, "\(HubServer.noModelScope)"))
    func realClient() async throws {
        let hub = try await hub()
        for (kind, name, count) in [("model", "org/model", 3), ("dataset", "org/data", 250)] {
            let place = directory.file(kind)
            let fetched = try await ChildProcess(
                HubServer.modelScopeClient,
                [
                    "-c",
                    "from modelscope_hub import HubApi; HubApi().download_repo('\(name)', '\(kind)', local_dir='\(place)')",
                ],
                environment: ["MODELSCOPE_ENDPOINT": hub.endpoint, "HOME": directory.path]
            ).result()
            #expect(fetched.status == 0, "\(fetched.errors)")
            let files = try FileManager.default.subpathsOfDirectory(atPath: place).filter {
                var isDirectory: ObjCBool = false
                return FileManager.default.fileExists(atPath: "\(place)/\($0)", isDirectory: &isDirectory)
                    && !isDirectory.boolValue && !$0.contains("._____")
            }
            #expect(files.count == count, "\(files)")
        }
    }
}

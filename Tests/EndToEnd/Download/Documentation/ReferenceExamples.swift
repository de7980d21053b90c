import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import SegmentedDLTesting
import SystemPackage
import TestSupport
import Testing

@Suite("The examples of the reference")
struct ReferenceExamples {
    private static let digest = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"

    @Test("requests and checksums")
    func requests() async throws {
        let request = try Self.request(Self.digest)
        #expect(request.checksums.map(\.hexadecimal) == [Self.digest] && request.ifExists == .rename)
        #expect(Self.proof(request).proofPolicy.required == .otherHost)
        #expect(try Self.signed(request, by: ListSignatures.key).proofPolicy.keys.count == 1)
        let directory = try TemporaryDirectory()
        try directory.write("hello world", to: "file")
        #expect(try await Self.checksum(Self.digest, directory.filePath("file")))
    }

    private static func request(_ digest: String) throws -> DownloadRequest {
        // example begins
        var request = try DownloadRequest("https://example.com/disk.iso", to: .directory("isos"))
        request.checksums = [try Checksum(parsing: "sha256=\(digest)")]
        request.ifExists = .rename
        // example ends
        return request
    }

    private static func proof(_ wanted: DownloadRequest) -> DownloadRequest {
        var request = wanted
        // example begins
        request.proofPolicy = .require(.otherHost)
        // example ends
        return request
    }

    private static func signed(_ wanted: DownloadRequest, by text: String) throws -> DownloadRequest {
        var request = wanted
        // example begins
        request.proofPolicy = .require(.signature, keys: [try ProofKey(text)])
        // example ends
        return request
    }

    private static func checksum(_ digest: String, _ path: FilePath) async throws -> Bool {
        // example begins
        let expected = try Checksum(.sha256, digest)
        let isRight = try await FileDigest.compute([.sha256], of: path) == [expected]
        // example ends
        return isRight
    }

    @Test("entries and selections of a queue")
    func queue() async throws {
        let directory = try TemporaryDirectory()
        let url = "http://host.example/file"
        let server = FaultServer([url: FaultServer.File([1, 2, 3])])
        let request = try DownloadRequest(url, to: .directory(directory.filePath("")))
        var configuration = ManagerConfiguration.inMemory
        configuration.onComplete = { action, _, _ in #expect(action == "unpack") }
        try await server.withManager(configuration) { manager in
            try await Self.entry(manager, request)
            #expect(await manager.receipts.map(\.state) == [.paused])
            let receipt = try #require(await manager.receipts.first)
            try await Self.change(manager, receipt.id)
            #expect(await manager.request(of: receipt.id)?.rate == 1_000_000)
            Self.follow(manager, receipt)
            try await Self.selections(manager)
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.map(\.state) == [.completed])
            let id = try #require(await manager.receipt(for: url)?.id)
            #expect(try await manager.receipts(.ids([id, id])).map(\.id) == [id])
        }
    }

    private static func entry(_ manager: DownloadManager, _ request: DownloadRequest) async throws {
        // example begins
        var entry = QueueEntry(request, key: "episode-7", onComplete: "unpack")
        entry.startsPaused = true
        try await manager.add(entry)
        // example ends
    }

    private static func change(_ manager: DownloadManager, _ id: Receipt.ID) async throws {
        // example begins
        try await manager.change(id) { $0.request.rate = 1_000_000 }
        // example ends
    }

    private static func follow(_ manager: DownloadManager, _ receipt: Receipt) {
        // example begins
        manager.follow(receipt.id) { receipt in
            print(receipt.fraction ?? 0)
        } onCompletion: { result in
            print((try? result.get().path) ?? "")
        }
        // example ends
    }

    private static func selections(_ manager: DownloadManager) async throws {
        // example begins
        try await manager.pause(.all)
        try await manager.resume(.key("episode-7"))
        try await manager.remove(.state(.failed))
        // example ends
    }

    private static func authorization(_ wanted: DownloadRequest, _ accounts: Accounts) {
        var request = wanted
        // example begins
        let source = AuthorizationSource { challenges in
            "Bearer \(try await accounts.freshToken())"
        }
        request.credentials = .authorization(from: source)
        // example ends
        _ = request
    }

    private struct Accounts {
        func freshToken() async throws -> String { "token" }
    }

    @Test("items of a mirror")
    func item() throws {
        let (source, other) = (try Source("http://a/f"), try Source("http://b/f"))
        let expected = try Checksum(.sha256, Self.digest)
        // example begins
        var item = MirrorItem([source], path: try RelativePath("isos/disk.iso"))
        item.sources.append(other)
        item.checksums = [expected]
        // example ends
        #expect(item.sources == [source, other])
        #expect(item.modificationDate == nil)
        item.modificationDate = .init(timeIntervalSince1970: 784_111_777.9)
        #expect(item.modificationDate == .init(timeIntervalSince1970: 784_111_777))
        item.modificationDate = .init(timeIntervalSince1970: .infinity)
        #expect(item.modificationDate == nil)
    }
}

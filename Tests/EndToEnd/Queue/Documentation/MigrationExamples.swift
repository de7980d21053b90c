import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

@Suite("The examples for users of other libraries")
struct MigrationExamples {
    @Test("AFURLSessionManager")
    func sessionManager() async throws {
        let fixture = try await QueueFixture()
        let url = fixture.url("plain", 500_000, "file.bin", "rate=1000000")
        try await fixture.withManager { manager in
            let file = try await Self.sessionManager(manager, url, fixture.files)
            #expect(file == fixture.files.appending("file.bin"))
            let id = try await manager.receipts(.url(url))[0].id
            try await manager.restart(.id(id))
            try await fixture.waitForBytes(id, manager)
            try await Self.stopAndGoOn(manager, id)
            try await manager.result(of: id)
        }
        try fixture.expectExact(500_000)
    }

    private static func sessionManager(
        _ manager: DownloadManager, _ url: String, _ directory: FilePath
    ) async throws -> FilePath? {
        // example begins
        let id = try await manager.add(DownloadRequest(url, to: .directory(directory))).id
        for await receipt in manager.progress(of: id) {
            print(receipt.fraction ?? 0)
        }
        let file = try await manager.result(of: id).path
        // example ends
        return file
    }

    private static func stopAndGoOn(_ manager: DownloadManager, _ id: Receipt.ID) async throws {
        // example begins
        try await manager.pause(.id(id))
        try await manager.resume(.id(id))
        // example ends
    }

    @Test("AFImageDownloader")
    func imageDownloader() async throws {
        let fixture = try await QueueFixture()
        let url = fixture.url("plain", 50_000, "a.png")
        let path = try await Self.imageDownloader(fixture.configuration.store, url, fixture.files)
        #expect(path == fixture.files.appending("a.png"))
    }

    private static func imageDownloader(
        _ store: FilePath, _ url: String, _ directory: FilePath
    ) async throws -> FilePath? {
        // example begins
        var configuration = ManagerConfiguration(store: store)
        configuration.downloads.limits.queueOrder = .lifo
        configuration.downloads.limits.activeFiles = 4
        let manager = try await DownloadManager(configuration)

        let receipt = try await manager.add(DownloadRequest(url, to: .directory(directory)))
        let image = try await manager.result(of: receipt.id).path
        try await manager.cancel(.id(receipt.id))
        // example ends
        try await manager.shutdown()
        return image
    }

    @Test("Alamofire")
    func alamofire() async throws {
        let fixture = try await QueueFixture()
        let url = fixture.url("plain", 500_000)
        try await fixture.withManager { manager in
            let file = try await Self.alamofire(manager, url, fixture.files, token: "secret")
            #expect(file == fixture.files.appending("file.bin"))
        }
        let sent = try await fixture.download.server.requests().map { $0.headers["authorization"] }
        #expect(sent.allSatisfy { $0 == "Bearer secret" })
    }

    private static func alamofire(
        _ manager: DownloadManager, _ url: String, _ directory: FilePath, token: String
    ) async throws -> FilePath? {
        // example begins
        var request = try DownloadRequest(url, to: .directory(directory))
        request.headers = [HTTPHeader("Authorization", "Bearer \(token)")]
        request.ifExists = .replace
        let id = try await manager.add(request).id
        for await receipt in manager.progress(of: id) {
            print(receipt.fraction ?? 0)
        }
        let file = try await manager.result(of: id).path
        // example ends
        return file
    }

    @Test("Tiercel")
    func tiercel() async throws {
        let fixture = try await QueueFixture()
        let urls = (0..<3).map { fixture.url("plain", 300_000, "\($0).bin", "rate=1000000") }
        let manager = try await Self.tiercel(fixture.configuration.store, urls, fixture.files)
        let receipts = await manager.receipts
        #expect(receipts.count == 3)
        try await Self.tiercelVerbs(manager, urls[0], receipts[2].id, before: receipts[1].id)
        try await manager.waitUntilIdle()
        #expect(await manager.receipts.map(\.id) == [receipts[2].id, receipts[1].id])
        try await manager.shutdown()
        #expect(fixture.fileNames == ["1.bin", "2.bin"])
    }

    private static func tiercel(_ store: FilePath, _ urls: [String], _ directory: FilePath) async throws
        -> DownloadManager
    {
        // example begins
        var configuration = ManagerConfiguration(store: store)
        configuration.downloads.limits.activeFiles = 3
        let manager = try await DownloadManager(configuration)
        let requests = try urls.map { try DownloadRequest($0, to: .directory(directory)) }
        _ = try await manager.add(requests.map { QueueEntry($0) })
        // example ends
        return manager
    }

    private static func tiercelVerbs(
        _ manager: DownloadManager, _ url: String, _ id: Receipt.ID, before other: Receipt.ID
    ) async throws {
        // example begins
        try await manager.pause(.url(url))
        try await manager.start(.url(url))
        try await manager.cancel(.url(url))
        try await manager.remove(.url(url), withFiles: true)
        try await manager.pause(.all)
        try await manager.start(.all)
        try await manager.move(.id(id), before: other)
        // example ends
    }

    @Test("MCDownloadManager")
    func mcDownloadManager() async throws {
        let fixture = try await QueueFixture()
        let url = fixture.url("plain", 300_000, "file.bin", "rate=1000000")
        try await fixture.withManager { manager in
            try await Self.followed(manager, url, fixture.files)
            try await Self.mcDownloadManager(manager, url)
            #expect(await manager.receipts.isEmpty)
        }
        #expect(fixture.fileNames == [])
    }

    private static func followed(
        _ manager: DownloadManager, _ url: String, _ directory: FilePath
    ) async throws {
        // example begins
        let id = try await manager.add(DownloadRequest(url, to: .directory(directory))).id
        manager.follow(id) { receipt in
            print(receipt.fraction ?? 0)
        } onCompletion: { result in
            print((try? result.get().path) ?? "")
        }
        // example ends
    }

    private static func mcDownloadManager(_ manager: DownloadManager, _ url: String) async throws {
        // example begins
        if let receipt = await manager.receipt(for: url) {
            print(receipt.state, receipt.bytesCompleted, receipt.bytesTotal ?? 0)
        }
        try await manager.pause(.url(url))
        try await manager.resume(.url(url))
        try await manager.remove(.url(url), withFiles: true)
        // example ends
    }
}

import Foundation
import SegmentedDL
import SegmentedDLProgress
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

@Suite("The guide's examples of a queue")
struct QueueExamples {
    @Test("adding: a URL is one download, a key makes it another")
    func adding() async throws {
        let fixture = try await QueueFixture()
        // The copy, which is given a name, may start before the first download creates the directory.
        try fixture.download.directory.makeDirectory("files")
        let url = fixture.url("plain", 100_000)
        try await fixture.withManager { manager in
            try await Self.adding(
                manager, url, fixture.files, urls: [url, fixture.url("plain", 100_000, "b")])
            try await manager.waitUntilIdle()
            let receipts = await manager.receipts
            #expect(receipts.map(\.state) == [.completed, .completed, .completed], "\(receipts)")
        }
        #expect(fixture.fileNames == ["b", "copy.bin", "file.bin"])
    }

    private static func adding(
        _ manager: DownloadManager, _ url: String, _ directory: FilePath, urls: [String]
    ) async throws {
        // example begins
        let receipt = try await manager.add(DownloadRequest(url, to: .directory(directory)))
        let same = try await manager.add(DownloadRequest(url, to: .directory(directory)))
        assert(same.id == receipt.id)

        let elsewhere = try DownloadRequest(url, to: .file(directory.appending("copy.bin")))
        let copy = try await manager.add(QueueEntry(elsewhere, key: "copy"))
        assert(copy.id != receipt.id)
        // example ends
        // example begins
        let entries = try urls.map { QueueEntry(try DownloadRequest($0, to: .directory(directory))) }
        for (url, result) in zip(urls, try await manager.add(entries)) {
            switch result {
            case .success(let receipt): print("\(receipt.id) \(receipt.state)")
            case .failure(let error): print("\(url) was not added: \(error)")
            }
        }
        // example ends
    }

    @Test("every verb")
    func controlling() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.downloads.limits.activeFiles = 2
        try await fixture.withManager { [fixture] manager in
            var ids: [Receipt.ID] = []
            for number in 0..<3 {
                let url = fixture.url("plain", 2_000_000, "\(number).bin", "rate=1000000")
                ids.append(try await manager.add(fixture.request(url)).id)
            }
            let fresh = fixture.url("plain", 2_000_000, "0.bin", "token=new")
            try await Self.controlling(manager, ids[0], ids[1], fresh)
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.map(\.id) == [ids[2], ids[0]])
        }
        #expect(fixture.fileNames == ["0.bin", "2.bin"])
    }

    private static func controlling(
        _ manager: DownloadManager, _ id: Receipt.ID, _ other: Receipt.ID, _ url: String
    ) async throws {
        // example begins
        try await manager.pause(.all)
        try await manager.resume(.id(id))
        try await manager.start(.state(.paused))
        try await manager.cancel(.id(other))
        try await manager.restart(.id(id))
        try await manager.remove(.id(other), withFiles: true)

        try await manager.setSource(Source(url), of: id)
        try await manager.moveToFront(.id(id))
        try await manager.moveToBack(.id(id))
        try await manager.setPriority(10, of: .state(.queued))
        // example ends
    }

    @Test("progress of one, of all, and events")
    func progress() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let url = fixture.url("plain", 500_000, "file.bin", "rate=1000000")
            let id = try await manager.add(fixture.request(url)).id
            try await Self.progressOfOne(manager, id)
            try await manager.restart(.id(id))
            try await Self.progressOfAll(manager)
            let log = Self.events(manager)
            try await manager.restart(.id(id))
            try await manager.result(of: id)
            try await manager.shutdown()
            await log.value
        }
    }

    private static func progressOfOne(_ manager: DownloadManager, _ id: Receipt.ID) async throws {
        // example begins
        for await receipt in manager.progress(of: id) {
            print(receipt.state, receipt.fraction ?? 0, receipt.bytesPerSecond)
        }
        let receipt = try await manager.result(of: id)
        // example ends
        #expect(receipt.state == .completed)
    }

    private static func progressOfAll(_ manager: DownloadManager) async throws {
        // example begins
        for await progress in manager.progress(every: .seconds(1)) {
            print("\(progress.bytesCompleted) of \(progress.bytesTotal) bytes", progress.counts)
            for receipt in await manager.receipts where receipt.state == .downloading {
                print(receipt.source, receipt.fraction ?? 0)
            }
            if progress.counts[.completed] == progress.downloads { break }
        }
        // example ends
    }

    private static func events(_ manager: DownloadManager) -> Task<Void, Never> {
        // example begins
        let events = manager.events()
        let log = Task {
            for await event in events {
                switch event {
                case .added(let receipt): print("\(receipt.source) was added")
                case .changed(let receipt, let before): print("\(receipt.id): \(before) -> \(receipt.state)")
                case .held(let receipt): print("\(receipt.id) waits: \(receipt.hold?.message ?? "")")
                case .updated(let receipt): print("\(receipt.id) was edited")
                case .reordered: print("the order was changed")
                case .removed(let receipt): print("\(receipt.source) was removed")
                @unknown default: break
                }
            }
        }
        // example ends
        return log
    }

    @Test("a restart: unsaved data is supplied again")
    func restart() async throws {
        let fixture = try await QueueFixture()
        var configuration = fixture.configuration
        Self.restart(&configuration) { _ in "secret" }
        #expect(configuration.onRestore == .stayPaused)
        configuration.runsDownloads = true
        let receipt = try await DownloadManager.withManager(configuration) { manager in
            var request = try fixture.request(fixture.url("plain", 100_000))
            request.headers = [HTTPHeader("Authorization", "Bearer old")]
            return try await manager.result(of: manager.add(request).id)
        }
        #expect(receipt.state == .completed)
        let sent = try await fixture.download.server.requests().map { $0.headers["authorization"] }
        #expect(sent == ["Bearer secret"])
    }

    private static func restart(
        _ configuration: inout ManagerConfiguration,
        currentToken: @escaping @Sendable (String) async throws -> String
    ) {
        // example begins
        configuration.onRestore = .stayPaused
        configuration.runsDownloads = false
        configuration.authorize = { receipt, _ in
            let token = try await currentToken(receipt.source.url)
            return Authorization(headers: [HTTPHeader("Authorization", "Bearer \(token)")])
        }
        // example ends
    }

    @Test("where files go")
    func destinations() async throws {
        let fixture = try await QueueFixture()
        var configuration = fixture.configuration
        Self.destinations(&configuration, fixture.files)
        let request = try Self.named(fixture.url("plain", 100_000), fixture.files)
        #expect(request.ifExists == .rename)
        try await DownloadManager.withManager(configuration) { manager in
            let first = try await manager.result(of: manager.add(request).id)
            #expect(first.path == fixture.files.appending("pictures/file.bin"))
            var second = try Self.named(fixture.url("plain", 100_000, "b.bin"), fixture.files)
            second.destination = .directory(fixture.files)
            let path = try await manager.result(of: manager.add(second).id).path
            #expect(path == fixture.files.appending("pictures/b.bin"))
        }
        #expect(fixture.fileNames == ["pictures", "unfinished"])
    }

    private static func named(_ url: String, _ directory: FilePath) throws -> DownloadRequest {
        // example begins
        var request = try DownloadRequest(url, to: .directory(directory))
        request.naming = .url
        request.ifExists = .rename
        // example ends
        return request
    }

    private static func destinations(_ configuration: inout ManagerConfiguration, _ files: FilePath) {
        // example begins
        configuration.downloads.incompleteDirectory = files.appending("unfinished")
        configuration.chooseDestination = { receipt, response, _ in
            guard let name = response.suggestedName else { return nil }
            return files.appending("pictures").appending(name)
        }
        // example ends
    }

    @Test("a checksum, and an archive that is unpacked")
    func unpacking() async throws {
        let fixture = try await QueueFixture()
        let url = fixture.url("plain", 100_000)
        var configuration = fixture.configuration
        Self.unpacking(&configuration) { #expect($0 == fixture.files.appending("file.bin")) }
        let reference = fixture.download.directory.filePath("reference")
        let downloader = try Downloader()
        _ = try await downloader.download(DownloadRequest(url, to: .file(reference)))
        await downloader.shutdown()
        let digest = try await FileDigest.compute([.sha256], of: reference)[0].hexadecimal
        try await DownloadManager.withManager(configuration) { manager in
            let receipt = try await Self.verified(manager, url, fixture.files, digest)
            #expect(try await manager.result(of: receipt.id).checksums.map(\.hexadecimal) == [digest])
        }
    }

    private static func verified(
        _ manager: DownloadManager, _ url: String, _ directory: FilePath, _ digest: String
    ) async throws -> Receipt {
        // example begins
        var request = try DownloadRequest(url, to: .directory(directory))
        request.checksums = [try Checksum(.sha256, digest)]
        let receipt = try await manager.add(QueueEntry(request, onComplete: "unpack"))
        // example ends
        return receipt
    }

    private static func unpacking(
        _ configuration: inout ManagerConfiguration,
        unpack: @escaping @Sendable (FilePath) async throws -> Void
    ) {
        // example begins
        configuration.onComplete = { action, receipt, _ in
            guard action == "unpack", let archive = receipt.path else { return }
            try await unpack(archive)
        }
        // example ends
    }

    @Test("caps, before and while it runs")
    func caps() async throws {
        let fixture = try await QueueFixture()
        var configuration = fixture.configuration
        Self.caps(&configuration)
        try await DownloadManager.withManager(configuration) { manager in
            try await Self.slower(manager)
            #expect(await manager.limits.activeFiles == 1)
            #expect(await manager.limits.connectionsPerHost == 4)
        }
    }

    private static func caps(_ configuration: inout ManagerConfiguration) {
        // example begins
        configuration.downloads.limits.activeFiles = 2
        configuration.downloads.limits.connections = 8
        configuration.downloads.limits.connectionsPerHost = 4
        configuration.downloads.limits.rate = 5_000_000
        configuration.downloads.segments = .fixed(4)
        configuration.retry.retries = 10
        // example ends
    }

    private static func slower(_ manager: DownloadManager) async throws {
        // example begins
        var limits = await manager.limits
        limits.activeFiles = 1
        limits.rate = 1_000_000
        try await manager.setLimits(limits)
        // example ends
    }

    @Test("a cancelled task ends with a checkpoint, and the queue resumes from it")
    func ending() async throws {
        let fixture = try await QueueFixture()
        let url = fixture.url("plain", 2_000_000, "file.bin", "rate=500000")
        let configuration = fixture.configuration
        let first = try await fixture.withManager { manager in
            let receipt = try await manager.add(fixture.request(url))
            try await fixture.waitForBytes(receipt.id, manager)
            return receipt
        }
        let run = try await Self.untilCancelled(configuration) { run in
            try await Task.sleep(for: .milliseconds(100))
            run.cancel()
        }
        #expect(run.isCancelled)
        let kept = try Self.reading(configuration.store)
        #expect(kept.map(\.id) == [first.id])
        #expect(kept.first?.state == .queued)
        #expect(kept.first?.bytesCompleted ?? 0 > 0)
        try await fixture.withManager { manager in
            let progress = Self.foundation(manager, first.id)
            try await manager.result(of: first.id)
            while progress.completedUnitCount < 2_000_000 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(progress.totalUnitCount == 2_000_000)
        }
        try fixture.expectExact(2_000_000)
    }

    private static func untilCancelled(
        _ configuration: ManagerConfiguration, meanwhile: (Task<Void, any Error>) async throws -> Void
    ) async throws -> Task<Void, any Error> {
        let run = Task {
            try await DownloadManager.withManager(configuration) { manager in
                try await manager.waitUntilIdle()
            }
        }
        try await meanwhile(run)
        await #expect(throws: CancellationError.self) { try await run.value }
        return run
    }

    private static func reading(_ store: FilePath) throws -> [Receipt] {
        // example begins
        let receipts = try DownloadManager.receipts(inStoreAt: store)
        for receipt in receipts { print(receipt.id, receipt.source, receipt.state, receipt.bytesCompleted) }
        // example ends
        return receipts
    }

    private static func foundation(_ manager: DownloadManager, _ id: Receipt.ID) -> Progress {
        // example begins
        let progress = manager.foundationProgress(of: id)
        // example ends
        return progress
    }

    @Test("errors")
    func errors() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let url = fixture.url("status", 100_000, "never.bin", "code=404")
            let id = try await manager.add(fixture.request(url)).id
            try await Self.errors(manager, id)
            let receipt = try #require(await manager.receipt(id))
            #expect(receipt.error?.status == 404)
            #expect(receipt.state == .failed || receipt.attempts == 2)
        }
    }

    private static func errors(_ manager: DownloadManager, _ id: Receipt.ID) async throws {
        // example begins
        do {
            let receipt = try await manager.result(of: id)
            print(receipt.path ?? "")
        } catch let error as DownloadError where error.code == .httpStatus {
            print("The server said \(error.status ?? 0).")
        } catch let error as DownloadError {
            print(error.message)
        }
        for receipt in try await manager.receipts(.state(.failed)) {
            print(receipt.source, receipt.error?.message ?? "")
        }
        try await manager.start(.state(.failed))
        // example ends
    }
}

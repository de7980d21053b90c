import Observation
import SegmentedDLQueue
import SegmentedDLTesting
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLObservation

// This target's default isolation is the main actor, as that of an app: what is here compiles as an app's
// developer writes it.

/// The code of an app.
private final class Screen {
    var fraction = 0.0
    var path: FilePath?
    var last = 0

    func show(_ id: Receipt.ID, of manager: DownloadManager) -> Task<Void, Never> {
        manager.follow(id, every: .milliseconds(10)) { [weak self] receipt in
            self?.fraction = receipt.fraction ?? 0
        } onCompletion: { [weak self] result in
            self?.path = try? result.get().path
        }
    }

    func show(_ handle: DownloadHandle) -> Task<Void, Never> {
        handle.follow { [weak self] progress in
            self?.fraction = progress.fraction ?? 0
        } onCompletion: { [weak self] result in
            self?.path = try? result.get().path
        }
    }

    func download(_ request: DownloadRequest, with downloader: Downloader) async throws {
        var most: Int64 = 0
        let result = try await downloader.download(request) { progress in
            most = max(most, progress.bytesCompleted)
            self.last = Int(progress.bytesCompleted)
        }
        path = result.path
        #expect(most == result.length)
    }
}

@Suite("An app on the main actor", .timeLimit(.minutes(10)))
struct QueueModelTests {
    private let url = "http://host.example/file.bin"
    private let server = FaultServer(["http://host.example/file.bin": .init([1, 2, 3])])

    @Test("a download and a handle report on the caller's actor")
    func handles() async throws {
        let directory = try TemporaryDirectory()
        let downloader = server.downloader()
        let screen = Screen()
        try await screen.download(
            DownloadRequest(url, to: .directory(directory.filePath("a"))), with: downloader)
        #expect(screen.last == 3)
        #expect(screen.path == directory.filePath("a/file.bin"))
        let handle = downloader.start(try DownloadRequest(url, to: .directory(directory.filePath("b"))))
        await screen.show(handle).value
        #expect(screen.fraction == 1)
        #expect(screen.path == directory.filePath("b/file.bin"))
    }

    @Test("a queue reports on its caller's actor, and its model shows all of it")
    func queue() async throws {
        let directory = try TemporaryDirectory()
        let model = QueueModel()
        try await server.withManager { manager in
            let showing = Task { await model.follow(manager, every: .milliseconds(10)) }
            let screen = Screen()
            let id = try await manager.add(
                DownloadRequest(url, to: .directory(directory.filePath("a")))
            ).id
            await screen.show(id, of: manager).value
            #expect(screen.path == directory.filePath("a/file.bin"))
            var entry = QueueEntry(try DownloadRequest(url, to: .directory(directory.filePath("b"))))
            entry.key = "second"
            entry.startsPaused = true
            let second = try await manager.add(entry).id
            try await manager.shutdown()
            await showing.value
            #expect(model.receipts.map(\.id) == [id, second])
            #expect(model.receipts.map(\.state) == [.completed, .paused])
            #expect(model.progress.downloads == 2)
        }
    }

    @Test("a model that has missed events reads the queue again, and follows it")
    func missed() async throws {
        let directory = try TemporaryDirectory()
        let model = QueueModel()
        try await server.withManager { manager in
            let showing = Task { await model.follow(manager, every: .milliseconds(10), limit: 1) }
            for round in 1...4 {
                // One of them shows that the model follows; fifty are more than its stream holds.
                let entries = try (1...(round == 1 ? 1 : 50)).map { number in
                    let request = try DownloadRequest(
                        url, to: .file(directory.filePath("\(round)-\(number)")))
                    return QueueEntry(request, key: "\(round)-\(number)", startsPaused: true)
                }
                _ = try await manager.add(entries)
                let ids = await manager.receipts.map(\.id)
                while model.receipts.map(\.id) != ids { await Task.yield() }
            }
            try await manager.shutdown()
            await showing.value
            #expect(model.receipts.count == 151)
        }
    }

    @Test("a model shows the states in which a shutdown leaves the downloads")
    func shutdown() async throws {
        let directory = try TemporaryDirectory()
        let model = QueueModel()
        var configuration = ManagerConfiguration.inMemory
        configuration.authorize = { _, _ in
            try await Task.sleep(for: .seconds(3600))
            return nil
        }
        try await server.withManager(configuration) { manager in
            let showing = Task { await model.follow(manager, every: .milliseconds(10)) }
            try await manager.add(DownloadRequest(url, to: .directory(directory.filePath("a"))))
            while model.receipts.first?.state != .probing { await Task.yield() }
            try await manager.shutdown()
            await showing.value
            #expect(model.receipts.map(\.state) == [.queued])
            #expect(model.progress.counts == [.queued: 1])
        }
    }
}

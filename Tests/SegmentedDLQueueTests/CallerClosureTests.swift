import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// What a queue makes of the errors of its caller's closures, over an engine in memory.
@Suite("Closures that fail")
struct CallerClosureTests {
    private struct Mine: Error, Equatable {}

    private let directory: TemporaryDirectory
    private var configuration: ManagerConfiguration

    init() throws {
        directory = try TemporaryDirectory()
        configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.downloads.durability = .process
    }

    private func failure(_ configuration: ManagerConfiguration) async throws -> Receipt {
        let engine = MemoryEngine { request, _ in .honest([1, 2, 3], request.range) }
        let manager = try await DownloadManager(
            configuration, downloader: Downloader(configuration: configuration.downloads, engine: engine))
        let id = try await manager.add(
            DownloadRequest("http://host/file", to: .directory(directory.filePath("f")))
        ).id
        try await manager.waitUntilIdle()
        let receipt = try #require(await manager.receipt(id))
        try await manager.shutdown()
        return receipt
    }

    @Test("one that supplies headers is named, and so is its error")
    func authorize() async throws {
        var configuration = configuration
        configuration.authorize = { _ in throw Mine() }
        let receipt = try await failure(configuration)
        #expect(receipt.state == .failed)
        #expect(receipt.error?.code == .closureFailed)
        #expect(receipt.error?.message.contains("headers of http://host/file") == true)
        #expect(receipt.error?.message.contains("Mine()") == true)
    }

    @Test("its cancellation, without one of the download, is a failure and not a loop")
    func cancelled() async throws {
        var configuration = configuration
        configuration.authorize = { _ in throw CancellationError() }
        #expect(try await failure(configuration).error?.code == .closureFailed)
        configuration.authorize = nil
        configuration.chooseDestination = { _, _ in throw CancellationError() }
        configuration.store = directory.filePath("second.sqlite")
        #expect(try await failure(configuration).error?.code == .closureFailed)
    }

    @Test("an error that is a download's keeps its own code")
    func own() async throws {
        var configuration = configuration
        configuration.chooseDestination = { _, _ in throw DownloadError(.permissionDenied, "Not there.") }
        #expect(try await failure(configuration).error?.code == .permissionDenied)
    }
}

import SystemPackage

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// A manager with an engine in memory, in its own directory.
struct MemoryManager {
    let directory: TemporaryDirectory
    var configuration: ManagerConfiguration
    var engine = MemoryEngine { request, _ in .honest([1, 2, 3], request.range) }

    var saysUnknown: @Sendable (String) -> Bool = { _ in false }

    init() throws {
        directory = try TemporaryDirectory()
        configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.downloads.durability = .process
    }

    var files: FilePath { directory.filePath("f") }

    /// Opens the queue while `body` runs.
    func run<Value>(_ body: (DownloadManager) async throws -> Value) async throws -> Value {
        let manager = try await DownloadManager(
            configuration, downloader: Downloader(configuration: configuration.downloads, engine: engine),
            saysUnknown: saysUnknown)
        do {
            let value = try await body(manager)
            try await manager.shutdown()
            return value
        } catch {
            try await manager.shutdown()
            throw error
        }
    }
}

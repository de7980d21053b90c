import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLQueue
@testable import segdl

@Suite("Running a queue that is open")
struct QueueHolderTests {
    private let directory: TestSupport.TemporaryDirectory
    private let store: FilePath
    private let messages = MessageLog()

    init() throws {
        directory = try TestSupport.TemporaryDirectory()
        store = directory.filePath("queue.sqlite")
    }

    private var configuration: ManagerConfiguration {
        var configuration = ManagerConfiguration(store: store)
        configuration.downloads.logger = messages.logger(verbosity: 1)
        return configuration
    }

    @Test("for a change waits until it is closed")
    func brief() async throws {
        let holder = try QueueStore(path: store, durability: .process, isBrief: true)
        messages.onAddition { [messages] in
            if messages.take().contains(where: { $0.contains("waiting for process") }) { holder.close() }
        }
        try await DownloadManager.withManager(configuration) { manager in
            #expect(await manager.receipts.isEmpty)
        }
    }

    @Test("to run its downloads is refused, with the process")
    func runner() async throws {
        let holder = try QueueStore(path: store, durability: .process)
        defer { holder.close() }
        let error = await #expect(throws: DownloadError.self) {
            try await DownloadManager.withManager(configuration) { _ in }
        }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("already open, in process") == true)
        #expect(messages.take().isEmpty)
    }
}

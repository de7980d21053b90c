import SegmentedDLSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport
@testable import segdl

@Suite("The log of a manager that is released", .timeLimit(.minutes(10)))
struct ReleasedManagerTests {
    private static let message = "was released without shutdown(); its downloads have ended."

    private let directory: TemporaryDirectory
    private let messages = MessageLog()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(
        authorize: (@Sendable (Receipt, DownloadManager) async throws -> Authorization?)? = nil
    ) async throws -> DownloadManager {
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.downloads.durability = .process
        configuration.downloads.logger = messages.logger(verbosity: 0)
        configuration.authorize = authorize
        let engine = MemoryEngine { request, _ in .honest([1, 2, 3], request.range) }
        return try await DownloadManager(
            configuration, downloader: Downloader(configuration: configuration.downloads, engine: engine))
    }

    @Test("without a shutdown, while it runs: it is reported once its downloads have ended")
    func running() async throws {
        let (hasBegun, mayContinue, isReported) = (AsyncEvent(), AsyncEvent(), AsyncEvent())
        let lines = Lock<[String]>([])
        messages.onAddition { [messages] in
            let new = messages.take()
            lines.withLock { $0 += new.filter { $0.contains(Self.message) } }
            if new.contains(where: { $0.contains(Self.message) }) { isReported.send() }
        }
        var manager: DownloadManager? = try await open { _, _ in
            hasBegun.send()
            await mayContinue.wait()
            return nil
        }
        _ = try await manager?.add(
            DownloadRequest("http://host/file", to: .file(directory.filePath("file"))))
        await hasBegun.wait()
        manager = nil
        #expect(lines.withLock { $0 } == [])
        mayContinue.send()
        await isReported.wait()
        #expect(try directory.read("file") == [1, 2, 3])
        let store = directory.filePath("queue.sqlite")
        #expect(lines.withLock { $0 } == ["The manager of the queue '\(store)' \(Self.message)"])
    }

    @Test("after its shutdown: nothing is reported")
    func shutDown() async throws {
        var manager: DownloadManager? = try await open()
        try await manager?.shutdown()
        manager = nil
        #expect(messages.take() == [])
    }
}

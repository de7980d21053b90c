import TestContent
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// Random verbs from several concurrent tasks on a real manager with a real database and files, with an
/// engine in memory.
@Suite("A download manager under random operations")
struct ManagerRandomTests {
    @Test("every step is legal, the cap is enforced, and finally every file is exact", arguments: 0..<6)
    func random(seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        let content = TestContent(seed: 3).bytes(0..<400_000)
        // Occasionally a request fails with a temporary error.
        let engine = MemoryEngine { request, number in
            if number % 7 == Int(seed) { throw EngineError(kind: .lost, message: "by the test") }
            return .honest(content, request.range)
        }
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.downloads.durability = .process
        configuration.downloads.limits.activeFiles = 3
        configuration.downloads.minimumSegmentSize = 64 * 1024
        configuration.downloads.retry.delay = .milliseconds(1)
        configuration.downloads.retry.retries = 1
        configuration.retry.delay = .milliseconds(1)
        configuration.retry.retries = 1000
        let manager = try await DownloadManager(
            configuration, downloader: Downloader(configuration: configuration.downloads, engine: engine))
        let events = manager.events()
        let watch = Task { await Self.check(events) }
        let entries = try (1...20).map { number in
            QueueEntry(try DownloadRequest("http://host/\(number)", to: .directory(directory.filePath("f"))))
        }
        _ = try await manager.add(entries)
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask { await Self.drive(manager, seed: seed * 10 + UInt64(task)) }
            }
        }
        try await manager.start(.all)
        try await manager.waitUntilIdle()
        let receipts = await manager.receipts
        #expect(receipts.allSatisfy { $0.state == .completed })
        try await manager.shutdown()
        let problems = await watch.value
        #expect(problems.isEmpty, "\(problems.prefix(3))")
        // After a removal, a file without a receipt may exist, but never a receipt without its file.
        let names = try TemporaryDirectory.names(of: directory.file("f"))
        for receipt in receipts { #expect(names.contains(receipt.source.lastPathComponent)) }
        for name in names where !name.contains(".part") {
            #expect(try directory.read("f/\(name)") == content)
        }
        #expect(try DownloadManager.receipts(inStoreAt: configuration.store).map(\.id) == receipts.map(\.id))
    }

    private static func drive(_ manager: DownloadManager, seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        for _ in 0..<120 {
            let id = Selection.id(Receipt.ID(rawValue: Int64(random.next() % 20) + 1))
            // The download may already have been removed.
            switch random.next() % 10 {
            case 0...2: _ = try? await manager.pause(id)
            case 3...5: _ = try? await manager.resume(id)
            case 6: _ = try? await manager.cancel(id)
            case 7: _ = try? await manager.start(.all)
            case 8 where random.next() % 4 == 0: _ = try? await manager.remove(id, withFiles: false)
            case 8: _ = try? await manager.restart(id)
            default:
                var limits = await manager.limits
                limits.activeFiles = .fixed(Int(random.next() % 4) + 1)
                try? await manager.setLimits(limits)
                _ = try? await manager.moveToFront(id)
            }
        }
    }

    /// - Returns: A text for each event that is wrong.
    private static func check(_ events: AsyncStream<QueueEvent>) async -> [String] {
        var states: [Receipt.ID: DownloadState] = [:]
        var problems: [String] = []
        for await event in events {
            switch event {
            case .added(let receipt):
                states[receipt.id] = receipt.state
            case .changed(let receipt, let before):
                if states[receipt.id] != before || !before.successors.contains(receipt.state) {
                    problems.append("\(receipt.id): \(before) -> \(receipt.state)")
                }
                states[receipt.id] = receipt.state
                // Stopping runs still count until they have stopped: the cap is at most four.
                if states.values.count(where: \.isActive) > 4 { problems.append("too many are active") }
            case .held, .updated, .reordered: break
            case .removed(let receipt):
                states[receipt.id] = nil
            }
        }
        return problems
    }
}

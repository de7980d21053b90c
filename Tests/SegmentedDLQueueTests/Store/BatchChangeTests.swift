import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("Changes of many downloads of a queue")
struct BatchChangeTests {
    /// Returns the number of transactions in a write-ahead log (SQLite's file format, section 4).
    private func commits(in log: [UInt8]) -> Int {
        func number(at offset: Int) -> Int { log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard log.count >= 32 else { return 0 }
        let frame = 24 + number(at: 8)
        return stride(from: 32, through: log.count - frame, by: frame).count { offset in
            // The size of the database after a commit; the log's salts, unless the frame is an old one.
            number(at: offset + 4) > 0 && log[offset + 8..<offset + 16] == log[16..<24]
        }
    }

    @Test("are one transaction for each batch, and only of those that change")
    func transactions() async throws {
        let directory = try TemporaryDirectory()
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.runsDownloads = false
        configuration.downloads.durability = .process
        let entries = try (1...DownloadManager.batch + 10).map { number in
            QueueEntry(try DownloadRequest("http://h/\(number)", to: .directory("/d")))
        }
        let ids = try await DownloadManager.withManager(configuration) { manager in
            try await manager.add(entries).map { try $0.get().id }
        }
        try await DownloadManager.withManager(configuration) { manager in
            try await manager.flush()
            for (length, added) in [(5, 1...2), (5, 0...0), (6, 1...2)] as [(Int64, ClosedRange<Int>)] {
                let before = commits(in: try directory.read("queue.sqlite-wal"))
                try await manager.change(each: ids) { _, entry in entry.request.expectedLength = length }
                let after = commits(in: try directory.read("queue.sqlite-wal"))
                #expect(added.contains(after - before), "\(before), \(after)")
            }
            let refused = ids[1]
            await #expect(throws: DownloadError.self) {
                try await manager.change(each: ids) { id, entry in
                    entry.request.expectedLength = id == refused ? -1 : 7
                }
            }
        }
        let lengths = try await DownloadManager.withManager(configuration) { manager in
            [
                await manager.request(of: ids[0])?.expectedLength,
                await manager.request(of: ids[1])?.expectedLength,
                await manager.request(of: ids[2])?.expectedLength,
            ]
        }
        #expect(lengths == [7, 6, 6])
    }
}

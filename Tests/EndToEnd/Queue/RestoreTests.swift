import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("A reopened queue")
struct RestoreTests {
    @Test(
        "running downloads resume automatically, all else is unchanged, and the figures are correct at once")
    func restores() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.downloads.limits.activeFiles = 1
        let before = try await fixture.withManager { [fixture] manager in
            let done = try await manager.add(fixture.request(fixture.url("plain", 1000, "done.bin")))
            try await manager.result(of: done.id)
            let failed = try await manager.add(
                fixture.request(fixture.url("status", 1000, "failed.bin", "code=404")))
            _ = try? await manager.result(of: failed.id)
            let slow = "hold=1500000"
            let running = try await manager.add(
                QueueEntry(fixture.request(fixture.url("plain", 4_000_000, "runs.bin", slow)), key: "mine"))
            let paused = try await manager.add(fixture.request(fixture.url("plain", 1000, "paused.bin")))
            try await manager.pause(.id(paused.id))
            let cancelled = try await manager.add(
                fixture.request(fixture.url("plain", 1000, "cancelled.bin")))
            try await manager.cancel(.id(cancelled.id))
            try await manager.add(fixture.request(fixture.url("plain", 1000, "waits.bin")))
            try await fixture.waitForBytes(running.id, manager)
            try await manager.shutdown()
            return await manager.receipts
        }
        let stored = try DownloadManager.receipts(inStoreAt: fixture.configuration.store)
        #expect(
            stored.map(\.state) == [.completed, .failed, .queued, .paused, .cancelled, .queued])
        let kept = try ManifestInfo(path: fixture.files.appending("runs.bin.part.segdl")).writtenRanges
            .reduce(
                0
            ) { $0 + Int64($1.count) }
        #expect(kept > 0)
        fixture.configuration.runsDownloads = false
        try await fixture.withManager { manager in
            let receipts = await manager.receipts
            #expect(receipts.map(\.id) == before.map(\.id))
            #expect(receipts.map(\.state) == stored.map(\.state))
            #expect(receipts[2].bytesCompleted == kept)
            #expect(receipts[2].bytesTotal == 4_000_000)
            #expect(receipts[0].bytesCompleted == 1000)
            #expect(receipts[1].error?.status == 404)
            #expect(receipts[2].key == "mine")
            #expect(receipts[2].added == before[2].added)
        }
        fixture.configuration.runsDownloads = true
        try await fixture.withManager { [fixture] manager in
            // The one that was running goes first, although others were added before it.
            try await manager.start(.position(1))
            try await manager.result(of: before[2].id)
            try await manager.waitUntilIdle()
            #expect(
                await manager.receipts.map(\.state) == [
                    .completed, .failed, .completed, .paused, .cancelled, .completed,
                ])
            let late = try await manager.add(fixture.request(fixture.url("plain", 1000, "late.bin")))
            #expect(late.id.rawValue == 7)
        }
        try fixture.expectExact(4_000_000, "runs.bin")
    }

    @Test("the policy can leave running downloads paused")
    func staysPaused() async throws {
        var fixture = try await QueueFixture()
        let id = try await fixture.withManager { [fixture] manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 4_000_000, "file.bin", "hold=1500000")))
            try await fixture.waitForBytes(receipt.id, manager)
            return receipt.id
        }
        fixture.configuration.onRestore = .stayPaused
        try await fixture.withManager { manager in
            try await manager.waitUntilIdle()
            #expect(await manager.receipt(id)?.state == .paused)
        }
    }

    @Test("with thousands of downloads, those outside memory are found, changed and shown")
    func many() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.runsDownloads = false
        let entries = try (0..<2_000).map { number in
            var entry = QueueEntry(try fixture.request("http://127.0.0.1:9/\(number)"))
            if number % 2 == 0 { entry.key = "key \(number)" }
            entry.startsPaused = number % 3 == 0
            return entry
        }
        let shown = try await fixture.withManager { [fixture] manager in
            for start in stride(from: 0, to: entries.count, by: 500) {
                _ = try await manager.add(Array(entries[start..<start + 500]))
            }
            #expect(await manager.progress.counts == [.queued: 1_333, .paused: 667])
            for number in stride(from: 0, to: entries.count, by: 61) {
                let id = Receipt.ID(rawValue: Int64(number + 1))
                let url = "http://127.0.0.1:9/\(number)"
                #expect(await manager.receipt(id)?.source.url == url)
                #expect(try await manager.receipts(.url(url)).map(\.id) == [id])
                #expect(try await manager.receipts(.position(number)).map(\.id) == [id])
                #expect(try await manager.add(entries[number]).id == id)
                guard number % 2 == 0 else { continue }
                #expect(try await manager.receipts(.key("key \(number)")).map(\.id) == [id])
                let error = await #expect(throws: DownloadError.self) {
                    try await manager.add(QueueEntry(fixture.request(url + "/other"), key: "key \(number)"))
                }
                #expect(error?.code == .duplicate)
            }
            try await manager.cancel(.state(.paused))
            try await manager.setPriority(7, of: .state(.queued))
            try await manager.remove(.ids((1...500).map { Receipt.ID(rawValue: $0) }))
            try await manager.moveToFront(.id(Receipt.ID(rawValue: 2_000)))
            let receipts = await manager.receipts
            #expect(receipts.map(\.id.rawValue).elementsEqual([2_000] + (501...1_999)))
            #expect(receipts.count { $0.state == .queued && $0.priority == 7 } == 1_000)
            #expect(receipts.count { $0.state == .cancelled && $0.priority == 0 } == 500)
            #expect(await manager.progress.counts == [.queued: 1_000, .cancelled: 500])
            try await manager.shutdown()
            #expect(await manager.receipts.elementsEqual(receipts))
            return receipts
        }
        #expect(try DownloadManager.receipts(inStoreAt: fixture.configuration.store).elementsEqual(shown))
    }

    @Test("a number is never reused")
    func numbers() async throws {
        let fixture = try await QueueFixture()
        let first = try await fixture.withManager { manager in
            let receipt = try await manager.add(fixture.request(fixture.url("plain", 10)))
            try await manager.remove(.id(receipt.id))
            return receipt.id
        }
        try await fixture.withManager { manager in
            let receipt = try await manager.add(fixture.request(fixture.url("plain", 10)))
            #expect(receipt.id > first)
        }
    }

    @Test("headers and credentials are not stored, and are requested again")
    func authorization() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.runsDownloads = false
        let url = fixture.url("auth", 10_000, "file.bin", "u=me&p=secretpassword")
        let id = try await fixture.withManager { [fixture] manager in
            var request = try fixture.request(url)
            request.credentials = Credentials(user: "me", password: "secretpassword")
            request.headers = [HTTPHeader("X-Token", "secrettoken")]
            return try await manager.add(request).id
        }
        for name in fixture.download.directory.names where name.hasPrefix("queue") {
            let content = String(decoding: try fixture.download.directory.read(name), as: UTF8.self)
            #expect(!content.contains("secrettoken"), "\(name)")
        }
        fixture.configuration.runsDownloads = true
        try await fixture.withManager { manager in
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.message.contains("not stored") == true)
        }
        #expect(try await fixture.download.server.requests().isEmpty)
        fixture.configuration.authorize = { receipt, _ in
            #expect(receipt.id == id)
            return Authorization(
                headers: [HTTPHeader("X-Token", "again")],
                credentials: Credentials(user: "me", password: "secretpassword"))
        }
        try await fixture.withManager { manager in
            try await manager.start(.id(id))
            try await manager.result(of: id)
        }
        #expect(try await fixture.download.server.requests().allSatisfy { $0.headers["x-token"] == "again" })
        try fixture.expectExact(10_000)
    }

    @Test("only one manager has a queue, and each queue has its own")
    func oneManager() async throws {
        let fixture = try await QueueFixture()
        let other = try await QueueFixture()
        try await fixture.withManager { manager in
            let error = await #expect(throws: DownloadError.self) {
                try await DownloadManager(fixture.configuration)
            }
            #expect(error?.code == .locked)
            try await other.withManager { second in
                try await second.add(other.request(other.url("plain", 1000)))
                try await manager.add(fixture.request(fixture.url("plain", 1000)))
                try await second.waitUntilIdle()
                try await second.shutdown()
                try await manager.waitUntilIdle()
                #expect(await manager.progress.counts == [.completed: 1])
            }
        }
        // After its shutdown, the next manager can open it.
        try await fixture.withManager { #expect(await $0.receipts.count == 1) }
    }

    @Test("a completion interrupted by a kill is repeated, without downloading again")
    func completion() async throws {
        var fixture = try await QueueFixture()
        let calls = Lock<[String]>([])
        struct Refused: Error {}
        fixture.configuration.onComplete = { action, receipt, _ in
            let count = calls.withLock { calls in
                calls.append("\(action) \(receipt.path?.lastComponent?.string ?? "")")
                return calls.count
            }
            if count == 1 { throw Refused() }
        }
        try await fixture.withManager { [fixture] manager in
            let entry = QueueEntry(
                try fixture.request(fixture.url("plain", 20_000)), onComplete: "unpack")
            let receipt = try await manager.add(entry)
            let error = await #expect(throws: DownloadError.self) {
                try await manager.result(of: receipt.id)
            }
            #expect(error?.code == .completionFailed)
            #expect(fixture.fileNames == ["file.bin"])
            try await manager.start(.id(receipt.id))
            try await manager.result(of: receipt.id)
        }
        #expect(calls.withLock { $0 } == ["unpack file.bin", "unpack file.bin"])
        #expect(try await fixture.download.server.peak().requests == 1)
    }
}

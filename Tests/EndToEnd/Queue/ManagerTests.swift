import Foundation
import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLQueue

@Suite("A download manager")
struct ManagerTests {
    @Test("downloads what is added, and reports every step in order")
    func downloads() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let events = manager.events()
            let receipt = try await manager.add(fixture.request(fixture.url("plain", 500_000)))
            let result = try await manager.result(of: receipt.id)
            #expect(result.state == .completed)
            #expect(result.path == fixture.files.appending("file.bin"))
            #expect(result.bytesCompleted == 500_000)
            #expect(result.bytesTotal == 500_000)
            #expect(result.attempts == 1)
            try await manager.shutdown()
            var states: [DownloadState] = []
            for await event in events {
                switch event {
                case .added(let added): #expect(added.id == receipt.id)
                case .held: Issue.record("it is held")
                case .updated, .reordered: Issue.record("it is edited")
                case .changed(let changed, let before):
                    #expect(before == states.last ?? .queued)
                    states.append(changed.state)
                case .removed: Issue.record("removed")
                }
            }
            #expect(states == [.probing, .downloading, .finalizing, .completed])
        }
        try fixture.expectExact(500_000)
        #expect(fixture.fileNames == ["file.bin"])
    }

    @Test(
        "completes requests made before the shutdown",
        arguments: ["pause", "cancel", "remove"])
    func verbsBeforeTheEnd(verb: String) async throws {
        var fixture = try await QueueFixture()
        try await fixture.withManager { [fixture] manager in
            let url = fixture.url("plain", 9_000_000, "file.bin", "rate=1000000")
            let id = try await manager.add(fixture.request(url)).id
            try await fixture.waitForBytes(id, manager)
            async let asked: [Receipt] =
                switch verb {
                case "pause": try await manager.pause(.ids([id]))
                case "cancel": try await manager.cancel(.ids([id]))
                default: try await manager.remove(.ids([id]), withFiles: true)
                }
            while await manager.queue.isRunning(id), await !manager.queue.isStopping(id) {
                await Task.yield()
            }
            async let ended: Void = manager.shutdown()
            _ = try? await asked
            try await ended
        }
        fixture.configuration.runsDownloads = false
        try await fixture.withManager { manager in
            let states = try await manager.receipts(.all).map(\.state)
            #expect(states == (verb == "pause" ? [.paused] : verb == "cancel" ? [.cancelled] : []))
        }
        if verb == "remove" { #expect(fixture.fileNames == []) }
    }

    @Test("adding twice does not download twice")
    func addsOnce() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let request = try fixture.request(fixture.url("plain", 100_000))
            let first = try await manager.add(request)
            #expect(try await manager.add(request).id == first.id)
            _ = try await manager.result(of: first.id)
            let again = try await manager.add(request)
            #expect(again.id == first.id)
            #expect(again.state == .completed)
            var elsewhere = request
            elsewhere.destination = .file(fixture.files.appending("other"))
            let error = await #expect(throws: DownloadError.self) { try await manager.add(elsewhere) }
            #expect(error?.code == .duplicate)
            // Its own key makes it a separate download.
            let other = try await manager.add(QueueEntry(elsewhere, key: "other"))
            #expect(other.id != first.id)
            _ = try await manager.result(of: other.id)
        }
        #expect(fixture.fileNames == ["file.bin", "other"])
        #expect(try await fixture.download.server.peak().requests == 2)
    }

    @Test("a pause returns when no connection is open and the checkpoint is on the disk")
    func pauses() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 4_000_000, "file.bin", "first-rate=200000")))
            try await fixture.waitForBytes(receipt.id, manager)
            let paused = try await manager.pause(.id(receipt.id))[0]
            #expect(paused.state == .paused)
            #expect(paused.connections == 0)
            let manifest = try ManifestInfo(path: fixture.files.appending("file.bin.part.segdl"))
            let written = manifest.writtenRanges.reduce(0) { $0 + Int64($1.count) }
            #expect(written == paused.bytesCompleted)
            #expect(written > 0)
            // The server detects a closed connection when it writes to it or polls it.
            try await fixture.waitForNoRequests()
            let requests = try await fixture.download.server.peak().requests
            try await manager.waitUntilIdle()
            #expect(try await fixture.download.server.peak().requests == requests)
        }
    }

    @Test("concurrent pauses and resumes do no harm, and the last one wins")
    func repeats() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 3_000_000, "file.bin", "rate=2000000")))
            await withTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        if number.isMultiple(of: 2) {
                            _ = try? await manager.pause(.id(receipt.id))
                        } else {
                            _ = try? await manager.resume(.id(receipt.id))
                        }
                    }
                }
            }
            try await manager.pause(.id(receipt.id))
            let state = await manager.receipt(receipt.id)?.state
            #expect(state == .paused || state == .completed)
            try await manager.resume(.id(receipt.id))
            try await manager.result(of: receipt.id)
        }
        try fixture.expectExact(3_000_000)
        #expect(fixture.fileNames == ["file.bin"])
    }

    @Test("a cancelled download keeps its bytes until it is removed with its files")
    func cancels() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 4_000_000, "file.bin", "first-rate=200000")))
            try await fixture.waitForBytes(receipt.id, manager)
            try await manager.cancel(.id(receipt.id))
            await #expect(throws: DownloadError.self) { try await manager.result(of: receipt.id) }
            #expect(fixture.fileNames == ["file.bin.part", "file.bin.part.segdl"])
            try await manager.remove(.id(receipt.id), withFiles: true)
            #expect(fixture.fileNames == [])
            #expect(await manager.receipts.isEmpty)
            let error = await #expect(throws: DownloadError.self) {
                try await manager.result(of: receipt.id)
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test("restarting replaces its finished file, but not another program's")
    func restarts() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(fixture.request(fixture.url("plain", 300_000)))
            try await manager.result(of: receipt.id)
            try await manager.restart(.id(receipt.id))
            #expect(try await manager.result(of: receipt.id).attempts == 2)
            try fixture.expectExact(300_000)
            #expect(fixture.fileNames == ["file.bin"])
            try fixture.download.directory.write("mine", to: "files/file.bin")
            try await manager.restart(.id(receipt.id))
            let error = await #expect(throws: DownloadError.self) {
                try await manager.result(of: receipt.id)
            }
            #expect(error?.code == .fileExists)
            #expect(try fixture.download.directory.read("files/file.bin") == Array("mine".utf8))
        }
    }

    @Test("the cap on active downloads is enforced, even when it changes")
    func caps() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.downloads.limits.activeFiles = 2
        fixture.configuration.downloads.segments = .fixed(1)
        try await fixture.withManager { [fixture] manager in
            let entries = try (0..<8).map {
                QueueEntry(
                    try fixture.request(fixture.url("plain", 200_000, "\($0).bin", "rate=1000000")))
            }
            _ = try await manager.add(entries)
            var limits = await manager.limits
            limits.activeFiles = 1
            try await manager.setLimits(limits)
            try await manager.waitUntilIdle()
            #expect(await manager.progress.counts == [.completed: 8])
        }
        #expect(fixture.fileNames.count == 8)
        #expect(try await fixture.download.server.peak().peakConcurrent <= 2)
    }

    @Test("changing rate limits affects running downloads")
    func rate() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.downloads.limits.rate = 200_000
        try await fixture.withManager { [fixture] manager in
            let receipt = try await manager.add(fixture.request(fixture.url("plain", 4_000_000)))
            try await fixture.waitForBytes(receipt.id, manager)
            var limits = await manager.limits
            limits.rate = 1
            try await manager.setLimits(limits)
            // At a byte per second, only bytes that were already received are still written.
            var before: Int64 = -1
            while let now = await manager.receipt(receipt.id)?.bytesCompleted, now != before {
                before = now
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(before < 4_000_000)
            limits.rate = nil
            try await manager.setLimits(limits)
            try await manager.result(of: receipt.id)
        }
        try fixture.expectExact(4_000_000)
    }

    @Test("the order is the caller's: front, before, priority, and LIFO")
    func orders() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.runsDownloads = false
        let ids = try await fixture.withManager { [fixture] manager in
            let receipts = try await manager.add(
                (0..<6).map { QueueEntry(try fixture.request(fixture.url("plain", 10_000, "\($0).bin"))) })
            let ids = try receipts.map { try $0.get().id }
            try await manager.moveToFront(.id(ids[4]))
            try await manager.move(.id(ids[5]), before: ids[1])
            try await manager.moveToBack(.position(1))
            try await manager.setPriority(5, of: .id(ids[3]))
            #expect(await manager.receipts.map(\.id) == [4, 5, 1, 2, 3, 0].map { ids[$0] })
            var limits = await manager.limits
            limits.queueOrder = .lifo
            try await manager.setLimits(limits)
            let late = try await manager.add(fixture.request(fixture.url("plain", 10_000, "late.bin")))
            return ids + [late.id]
        }
        fixture.configuration.runsDownloads = true
        fixture.configuration.downloads.limits.activeFiles = 1
        try await fixture.withManager { manager in
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.map(\.id) == [6, 4, 5, 1, 2, 3, 0].map { ids[$0] })
        }
        let names = try await fixture.download.server.requests().map {
            $0.target.split(separator: "/")[2].prefix(1)
        }
        #expect(names == ["3", "l", "4", "5", "1", "2", "0"])
    }

    @Test("retryable failures are retried automatically, others run meanwhile")
    func retries() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.downloads.retry.retries = 0
        fixture.configuration.retry.retries = 3
        try await fixture.withManager { [fixture] manager in
            let events = manager.events()
            // Without retries each attempt sends one request.
            let failing = try await manager.add(
                fixture.request(fixture.url("status", 100_000, "late.bin", "code=500&times=2")))
            let result = try await manager.result(of: failing.id)
            #expect(result.attempts == 3)
            #expect(result.error == nil)
            let hopeless = try await manager.add(
                fixture.request(fixture.url("status", 100_000, "never.bin", "code=404")))
            let error = await #expect(throws: DownloadError.self) {
                try await manager.result(of: hopeless.id)
            }
            #expect(error?.status == 404)
            #expect(await manager.receipt(hopeless.id)?.attempts == 1)
            try await manager.shutdown()
            var retries = 0
            for await case .changed(let receipt, _) in events where receipt.state == .retrying {
                #expect(receipt.retriesAt != nil)
                #expect(receipt.error?.code == .httpStatus)
                retries += 1
            }
            #expect(retries == 2)
        }
        try fixture.expectExact(100_000, "late.bin")
    }

    @Test("a new URL for an expired one keeps the bytes")
    func newLink() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let first = try await manager.add(
                fixture.request(fixture.url("plain", 4_000_000, "file.bin", "hold=1500000")))
            while let receipt = await manager.receipt(first.id), receipt.bytesCompleted < 1_000_000 {
                try await Task.sleep(for: .milliseconds(5))
            }
            let paused = try await manager.pause(.id(first.id))[0]
            let before = try await fixture.download.server.peak().bytesSent
            let fresh = try await manager.setSource(
                Source(fixture.url("plain", 4_000_000, "file.bin", "rate=3000000&token=new")), of: first.id)
            #expect(fresh.state == .paused)
            #expect(fresh.bytesCompleted == paused.bytesCompleted)
            try await manager.resume(.id(first.id))
            try await manager.result(of: first.id)
            // Samples are compared, and connections are slightly ahead of the disk.
            let after = try await fixture.download.server.peak().bytesSent
            #expect(after - before < 4_000_000 - paused.bytesCompleted + 1_000_000)
        }
        try fixture.expectExact(4_000_000)
    }

    @Test("a host that asks to wait does not delay other hosts, and the end of the wait is known")
    func retryAfter() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.downloads.limits.activeFiles = 1
        let other = try await TestServerProcess.start(address: "127.0.0.2")
        try await fixture.withManager { [fixture] manager in
            let busy = try await manager.add([
                QueueEntry(fixture.request(fixture.url("status", 1000, "a.bin", "code=429&retry-after=600"))),
                QueueEntry(fixture.request(fixture.url("status", 1000, "b.bin", "code=429&retry-after=600"))),
                QueueEntry(fixture.request(other.scenario().url("plain", 1000, name: "c.bin"))),
            ]).map { try $0.get() }
            #expect(try await manager.result(of: busy[2].id).state == .completed)
            for receipt in await manager.receipts.prefix(2) {
                #expect(receipt.state == .retrying)
                #expect((receipt.retriesAt?.timeIntervalSinceNow ?? 0) > 500)
            }
            // Only one sent a request; the other one waits for the host as well.
            #expect(try await fixture.download.server.peak().requests == 1)
        }
    }

    @Test("a file that its server refuses while serving others fails after few requests")
    func refusedAlone() async throws {
        var fixture = try await QueueFixture()
        fixture.configuration.retry.retries = 1
        fixture.configuration.retry.delay = .milliseconds(100)
        fixture.configuration.downloads.limits.activeFiles = 8
        try await fixture.withManager { [fixture] manager in
            let bad = try await manager.add(
                fixture.request(fixture.url("status", 1000, "bad.bin", "code=503")))
            for name in ["a", "b", "c", "d", "e"] {
                _ = try await manager.add(
                    fixture.request(fixture.url("plain", 600_000, "\(name).bin", "rate=150000")))
            }
            let receipts = await manager.receipts
            let error = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    // A refusal counts as the file's own only if another file was answered since the last one.
                    for number in 0..<10_000 {
                        let other = try await manager.add(
                            fixture.request(fixture.url("plain", 1000, "more-\(number).bin")))
                        _ = try await manager.result(of: other.id)
                    }
                }
                defer { group.cancelAll() }
                return try await #require(throws: DownloadError.self) {
                    try await manager.result(of: bad.id)
                }
            }
            for receipt in receipts where receipt.id != bad.id {
                #expect(try await manager.result(of: receipt.id).state == .completed)
            }
            #expect(error.message.contains("serves other files but refuses this one"), "\(error)")
            #expect(error.status == 503)
            #expect(await manager.receipt(bad.id)?.state == .failed)
            let requests = try await fixture.download.server.requests()
            let tries = 1 + fixture.configuration.downloads.retry.retries
            // Some are made before another file was answered. Without the rule they would not end.
            #expect((tries...4 * tries).contains(requests.count { $0.status == 503 }))
        }
    }

    @Test("a second shutdown waits for the first")
    func shutdowns() async throws {
        let fixture = try await QueueFixture()
        let manager = try await DownloadManager(fixture.configuration)
        let receipt = try await manager.add(
            fixture.request(fixture.url("plain", 4_000_000, "file.bin", "hold=2000000")))
        try await fixture.waitForBytes(receipt.id, manager)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try? await manager.shutdown()
                    // The checkpoint is written, and the next manager may open the queue.
                    #expect(!DownloadManager.isOpen(storeAt: fixture.configuration.store))
                }
            }
        }
        let stored = try DownloadManager.receipts(inStoreAt: fixture.configuration.store)
        #expect(stored[0].seconds > 0)
    }
}

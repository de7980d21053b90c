import Foundation
import SegmentedDLQueue
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// Small files that a queue fetches in batches, compared with those that it fetches one by one.
@Suite("A queue of small files", .timeLimit(.minutes(10)))
struct QueueBatchRunTests {
    private static let size: Int64 = 4_000

    private func makeFixture() async throws -> QueueFixture {
        var fixture = try await QueueFixture()
        // With segments of at most 64 KiB, no file is small.
        fixture.configuration.downloads.minimumSegmentSize = Configuration().minimumSegmentSize
        return fixture
    }

    /// Adds files, and returns the numbers of their downloads.
    @discardableResult
    private func add(
        _ numbers: Range<Int>, from server: TestServerProcess.Scenario, _ fixture: QueueFixture,
        to manager: DownloadManager, query: String = ""
    ) async throws -> [Receipt.ID] {
        let entries = try numbers.map { number in
            let url = server.url("plain", Self.size, name: "f\(number)", query)
            return QueueEntry(try fixture.request(url))
        }
        return try await manager.add(entries).map { try $0.get().id }
    }

    /// Downloads files whose host is then known to send small ones.
    private func begin(_ fixture: QueueFixture, _ manager: DownloadManager) async throws {
        try await add(0..<8, from: fixture.download.server, fixture, to: manager)
        try await manager.waitUntilIdle()
    }

    /// Adds files whose last bytes are late, and returns once the first ones are under way.
    private func addHeld(
        from server: TestServerProcess.Scenario, _ fixture: QueueFixture, to manager: DownloadManager
    ) async throws -> [Receipt.ID] {
        let ids = try await add(8..<60, from: server, fixture, to: manager, query: "hold-tail=1000")
        try await wait { try await server.peak().running > 0 }
        return ids
    }

    private struct NeverCame: Error {}

    private func wait(until isMet: () async throws -> Bool) async throws {
        for _ in 0..<2000 {
            if try await isMet() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw NeverCame()
    }

    private func expectExact(_ numbers: some Collection<Int>, _ fixture: QueueFixture) throws {
        #expect(fixture.fileNames == numbers.map { "f\($0)" }.sorted())
        for number in numbers { try fixture.expectExact(Self.size, "f\(number)") }
    }

    // MARK: The same ends

    private struct Ends: Equatable {
        var states: [Receipt.ID: [DownloadState]] = [:]
        var receipts: [[String]] = []
    }

    private func ends(asksFirst: Bool) async throws -> Ends {
        var fixture = try await makeFixture()
        // Such a queue has no batches.
        if asksFirst { fixture.configuration.mayStart = { _, _ in .start } }
        return try await fixture.withManager { [fixture] manager in
            let events = manager.events()
            try await begin(fixture, manager)
            try await add(8..<500, from: fixture.download.server, fixture, to: manager)
            try await manager.waitUntilIdle()
            var ends = Ends()
            for receipt in await manager.receipts {
                #expect(receipt.path == fixture.files.appending("f\(receipt.id.rawValue - 1)"))
                ends.receipts.append(Self.comparable(receipt))
            }
            try await manager.shutdown()
            for await event in events {
                switch event {
                case .changed(let receipt, _): ends.states[receipt.id, default: []].append(receipt.state)
                case .added: break
                default: Issue.record("\(event)")
                }
            }
            try expectExact(0..<500, fixture)
            #expect(try await fixture.download.server.peak().requests == 500)
            return ends
        }
    }

    /// Returns the members of a receipt that do not depend on the directory or the clock.
    private static func comparable(_ receipt: Receipt) -> [String] {
        [
            "\(receipt.id)", receipt.state.rawValue, "\(receipt.attempts)", "\(receipt.bytesCompleted)",
            "\(receipt.bytesTotal ?? -1)", "\(receipt.proofs)", "\(receipt.cost)",
            "\(receipt.error?.message ?? "")", "\(receipt.started != nil)", "\(receipt.ended != nil)",
            "\(receipt.response?.status ?? 0)", "\(receipt.response?.length ?? -1)",
            "\(receipt.response?.suggestedName ?? "")", receipt.response?.contentType ?? "",
        ]
    }

    @Test("has the same receipts and events with batches and without")
    func sameEnds() async throws {
        let (with, without) = (try await ends(asksFirst: false), try await ends(asksFirst: true))
        #expect(with.receipts == without.receipts)
        #expect(with.states == without.states)
        #expect(with.states.count == 500)
        for states in with.states.values {
            #expect(states == [.probing, .downloading, .finalizing, .completed])
        }
    }

    /// Returns the files that the runs of a command requested in batches, and those that had to leave them.
    private func counts(_ messages: String) -> (entered: Int, left: Int) {
        messages.matches(of: #/(\d+) small files were requested in a batch; (\d+) /#).reduce((0, 0)) {
            ($0.0 + (Int($1.1) ?? 0), $0.1 + (Int($1.2) ?? 0))
        }
    }

    private func add(_ count: Int, _ fixture: QueueCommandFixture) async throws {
        let urls = (0..<count).map { fixture.server.url("plain", Self.size, name: "f\($0)") }
        try await fixture.must(["add", "-d", "files", "-i", "-"], input: urls.joined(separator: "\n"))
    }

    @Test(
        "is fetched in batches by the command, with the usual marks",
        arguments: [[], ["-j", "1"]] as [[String]])
    func command(options: [String]) async throws {
        for (arguments, isBatched) in [(options, true), (["--queue-order", "lifo"], false)] {
            let fixture = try await QueueCommandFixture()
            try await add(400, fixture)
            let result = try await fixture.run(["start", "-vv", "--progress", "plain"] + arguments)
            #expect(result.status == 0, "\(result.errors.suffix(2000))")
            let (entered, left) = counts(result.errors)
            #expect(isBatched ? entered > 300 && left == 0 : entered == 0, "\(entered), \(left)")
            #expect(try await fixture.list().allSatisfy { $0.state == .completed && $0.attempts == 1 })
            #expect(try await fixture.server.peak().requests == 400)
            for number in 0..<400 {
                let file = fixture.directory.file("files/f\(number)")
                #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: Self.size) == nil)
                let mark = SystemCalls.attribute("user.segdl.origin", of: FilePath(file), atMost: 2048)
                #expect(mark != nil, "f\(number)")
            }
        }
    }

    // MARK: In the middle of a batch

    @Test("a pause, a cancellation and a removal concern one file of a batch, and take effect at once")
    func verbs() async throws {
        let (fixture, held) = (try await makeFixture(), try await SharedServer.scenario())
        try await fixture.withManager { manager in
            try await begin(fixture, manager)
            let ids = try await addHeld(from: held, fixture, to: manager)
            let paused = try await manager.pause(.id(ids[0]))
            // A download that begins alone would have an attempt.
            #expect(paused.map(\.state) == [.paused] && paused.map(\.attempts) == [0])
            try await manager.cancel(.id(ids[1]))
            #expect(await manager.receipt(ids[1])?.state == .cancelled)
            try await manager.remove(.id(ids[2]), withFiles: true)
            #expect(await manager.receipt(ids[2]) == nil)
            #expect(await manager.receipt(ids[3])?.state == .queued)
            try await held.release()
            try await manager.resume(.id(ids[0]))
            try await manager.waitUntilIdle()
            let rest = await manager.receipts.filter { $0.id != ids[1] }
            #expect(rest.count == 58 && rest.allSatisfy { $0.state == .completed })
        }
        try expectExact((0..<60).filter { $0 != 9 && $0 != 10 }, fixture)
        // Only the paused file may have been requested twice.
        #expect(try await held.peak().requests <= 53)
    }

    @Test("all files of a batch are paused at once, and no request remains")
    func pausesAll() async throws {
        let (fixture, held) = (try await makeFixture(), try await SharedServer.scenario())
        try await fixture.withManager { manager in
            try await begin(fixture, manager)
            _ = try await addHeld(from: held, fixture, to: manager)
            try await manager.pause(.all)
            let states = await manager.receipts.map(\.state)
            #expect(states.count { $0 == .paused } == 52 && states.count { $0 == .completed } == 8)
            try await wait { try await held.peak().running == 0 }
            try await held.release()
            try await manager.resume(.all)
            try await manager.waitUntilIdle()
        }
        try expectExact(0..<60, fixture)
    }

    @Test("a new cap on the rate returns the files of a batch to the queue, and they begin alone")
    func limits() async throws {
        let (fixture, held) = (try await makeFixture(), try await SharedServer.scenario())
        try await fixture.withManager { manager in
            try await begin(fixture, manager)
            let ids = try await addHeld(from: held, fixture, to: manager)
            var limits = await manager.limits
            limits.rate = 10_000_000
            try await manager.setLimits(limits)
            try await held.release()
            try await manager.waitUntilIdle()
            for id in ids { #expect(await manager.receipt(id)?.state == .completed) }
        }
        try expectExact(0..<60, fixture)
    }

    @Test("a shutdown in the middle of a batch leaves its files in the queue, for the next manager")
    func shutdown() async throws {
        let (fixture, held) = (try await makeFixture(), try await SharedServer.scenario())
        try await fixture.withManager { manager in
            try await begin(fixture, manager)
            _ = try await addHeld(from: held, fixture, to: manager)
            try await manager.shutdown()
        }
        let receipts = try DownloadManager.receipts(inStoreAt: fixture.configuration.store)
        #expect(receipts.count { $0.state == .queued && $0.attempts == 0 } == 52)
        try expectExact(0..<8, fixture)
        try await held.release()
        try await fixture.withManager { try await $0.waitUntilIdle() }
        try expectExact(0..<60, fixture)
    }

    @Test("400 files, 25 kills: every file exact, none lost, and a complete file stays complete")
    func kills() async throws {
        let fixture = try await QueueCommandFixture()
        try await add(400, fixture)
        let store = fixture.queue
        func completed() throws -> Set<Receipt.ID> {
            Set(try DownloadManager.receipts(inStoreAt: store).filter { $0.state == .completed }.map(\.id))
        }
        var before: Set<Receipt.ID> = []
        for round in 1...25 {
            let process = try fixture.start("start", "--keep-running", "--progress", "none")
            // Some more files, and a short time: the kill happens at any step of the next ones.
            for _ in 0..<1000 {
                guard try completed().count < min(before.count + 9, 400) else { break }
                try await Task.sleep(for: .milliseconds(1))
            }
            try await Task.sleep(for: .microseconds(.random(in: 0...3000)))
            process.send(SIGKILL)
            let end = await process.result()
            #expect(end.signal == SIGKILL, "round \(round): \(end.errors)")
            let receipts = try DownloadManager.receipts(inStoreAt: store)
            #expect(receipts.allSatisfy { $0.state == .completed || $0.state == .queued })
            let now = try completed()
            #expect(before.isSubset(of: now))
            for id in now.subtracting(before) {
                let file = fixture.directory.file("files/f\(id.rawValue - 1)")
                #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: Self.size) == nil)
            }
            before = now
        }
        let end = try await fixture.run("start", "--progress", "none")
        #expect(end.status == 0, "\(end.errors)")
        #expect(try await fixture.list().allSatisfy { $0.state == .completed })
        #expect(fixture.fileNames == (0..<400).map { "f\($0)" }.sorted())
    }
}

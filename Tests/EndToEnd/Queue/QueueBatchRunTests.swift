import Foundation
import SegmentedDLSupport
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

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
        /// The calls of closures, with the receipts that they received.
        var calls: [Receipt.ID: [String]] = [:]
    }

    /// A closure of the configuration that each download awaits.
    enum Closure: CaseIterable {
        case mayStart, space, authorize, pieces, chooseNothing, choosePath, afterCompletion
    }

    private static let closures: [[Closure]] =
        [[], Closure.allCases.filter { $0 != .choosePath }, Closure.allCases.filter { $0 != .chooseNothing }]
        + Closure.allCases.map { [$0] }

    /// The calls of closures in one run.
    private final class Calls: Sendable {
        let texts = Lock<[Receipt.ID: [String]]>([:])
        /// The downloads that were in a batch during each call.
        let batched = Lock<Set<Receipt.ID>>([])

        func add(_ name: String, _ receipt: Receipt, _ manager: DownloadManager) async {
            let isBatched = await manager.queue.isBatched(receipt.id)
            texts.withLock {
                $0[receipt.id, default: []].append("\(name): \(receipt.state), \(receipt.attempts)")
            }
            if isBatched { batched.withLock { _ = $0.insert(receipt.id) } }
        }
    }

    private func set(
        _ closures: [Closure], _ configuration: inout ManagerConfiguration, _ calls: Calls, files: FilePath
    ) {
        for closure in closures {
            switch closure {
            case .mayStart:
                configuration.mayStart = { receipt, manager in
                    await calls.add("mayStart", receipt, manager)
                    return .start
                }
            case .space: configuration.reservedSpace = 1
            case .authorize:
                configuration.authorize = { receipt, manager in
                    await calls.add("authorize", receipt, manager)
                    return Authorization(headers: [HTTPHeader("X-Number", "\(receipt.id)")])
                }
            case .pieces:
                configuration.pieces = { receipt, manager in
                    await calls.add("pieces", receipt, manager)
                    return nil
                }
            case .chooseNothing:
                configuration.chooseDestination = { receipt, _, manager in
                    await calls.add("choose", receipt, manager)
                    return nil
                }
            case .choosePath:
                configuration.chooseDestination = { receipt, response, manager in
                    await calls.add("choose", receipt, manager)
                    return files.appending("chosen").appending(response.suggestedName ?? "")
                }
            case .afterCompletion:
                configuration.afterCompletion = { receipt, manager in
                    await calls.add("after", receipt, manager)
                    #expect(receipt.path.map { FileManager.default.fileExists(atPath: $0.string) } ?? false)
                    #expect(receipt.bytesCompleted == Self.size)
                    // Its bytes are no longer missing on the disk.
                    #expect(await manager.spaceClaims[receipt.id] == nil)
                }
            }
        }
    }

    private func ends(_ closures: [Closure], isBatched: Bool) async throws -> Ends {
        var fixture = try await makeFixture()
        // Then no file is small.
        if !isBatched { fixture.configuration.downloads.minimumSegmentSize = 64 * 1024 }
        let calls = Calls()
        set(closures, &fixture.configuration, calls, files: fixture.files)
        let directory = closures.contains(.choosePath) ? fixture.files.appending("chosen") : fixture.files
        return try await fixture.withManager { [fixture] manager in
            let events = manager.events()
            try await begin(fixture, manager)
            let before = calls.batched.withLock { $0.count }
            try await add(8..<500, from: fixture.download.server, fixture, to: manager)
            try await manager.waitUntilIdle()
            var ends = Ends()
            for receipt in await manager.receipts {
                let name = "f\(receipt.id.rawValue - 1)"
                #expect(receipt.path == directory.appending(name))
                let file = directory.appending(name).string
                #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: Self.size) == nil)
                ends.receipts.append(Self.comparable(receipt))
            }
            try await manager.shutdown()
            let batched = calls.batched.withLock { $0 }
            for await event in events {
                switch event {
                case .changed(let receipt, _):
                    ends.states[receipt.id, default: []].append(receipt.state)
                    // Those of a download that runs alone depend on the moment.
                    if batched.contains(receipt.id) { expectFigures(of: receipt) }
                case .added: break
                default: Issue.record("\(event)")
                }
            }
            // Each file was requested once, however many closures decided about it.
            let requests = try await fixture.download.server.requests()
            #expect(requests.count == 500)
            if closures.contains(.authorize) {
                let numbers = requests.compactMap {
                    $0.headers.first { $0.key.lowercased() == "x-number" }?.value
                }
                #expect(Set(numbers).count == 500)
            }
            ends.calls = calls.texts.withLock { $0 }
            let areBatched = isBatched && !ends.calls.isEmpty
            #expect(before == 0 && (areBatched ? batched.count > 400 : batched.isEmpty), "\(batched.count)")
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

    @Test(
        "has the same receipts, events and calls of closures with batches and without",
        arguments: Self.closures)
    func sameEnds(closures: [Closure]) async throws {
        let with = try await ends(closures, isBatched: true)
        let without = try await ends(closures, isBatched: false)
        #expect(with.receipts == without.receipts)
        #expect(with.states == without.states)
        #expect(with.calls == without.calls)
        #expect(with.states.count == 500)
        for states in with.states.values {
            #expect(states == [.probing, .downloading, .finalizing, .completed])
        }
    }

    /// Expects that an event's receipt has the figures of its moment, not those of the end.
    private func expectFigures(of receipt: Receipt) {
        let isBegin = receipt.state == .probing
        #expect(receipt.bytesCompleted == (isBegin ? 0 : Self.size), "\(receipt.state)")
        #expect(receipt.bytesTotal == (isBegin ? nil : Self.size), "\(receipt.state)")
        #expect((receipt.ended != nil) == (receipt.state == .completed), "\(receipt.state)")
        #expect((receipt.response != nil) == ![.probing, .downloading].contains(receipt.state))
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

    @Test("is fetched in batches by the command with header fields, and one by one with a password")
    func authorized() async throws {
        for (options, isBatched) in [(["-H", "X-Test: 1"], true), (["--user", "u:p"], false)] {
            let fixture = try await QueueCommandFixture()
            try await add(200, fixture)
            let result = try await fixture.run(["start", "-vv", "--progress", "plain"] + options)
            #expect(result.status == 0, "\(result.errors.suffix(2000))")
            let (entered, left) = counts(result.errors)
            #expect(isBatched ? entered > 150 && left == 0 : entered == 0, "\(entered), \(left)")
            #expect(try await fixture.list().allSatisfy { $0.state == .completed && $0.attempts == 1 })
            let requests = try await fixture.server.requests()
            #expect(requests.count == 200)
            let name = isBatched ? "x-test" : "authorization"
            #expect(requests.allSatisfy { $0.headers.contains { $0.key.lowercased() == name } })
        }
    }

    // MARK: Closures

    @Test(
        "a closure that makes a file an ordinary one, or refuses it, is called once, and others stay in batches"
    )
    func otherAnswers() async throws {
        var fixture = try await makeFixture()
        let calls = Calls()
        fixture.configuration.retry.retries = 0
        fixture.configuration.authorize = { receipt, manager in
            await calls.add("authorize", receipt, manager)
            switch receipt.id.rawValue % 4 {
            case 0: return Authorization(credentials: Credentials(user: "u", password: "p"))
            case 1: throw NeverCame()
            default: return nil
            }
        }
        try await fixture.withManager { [fixture] manager in
            try await begin(fixture, manager)
            let ids = try await add(8..<200, from: fixture.download.server, fixture, to: manager)
            try await manager.waitUntilIdle()
            for id in ids {
                let receipt = try #require(await manager.receipt(id))
                #expect(receipt.state == (id.rawValue % 4 == 1 ? .failed : .completed))
                #expect(receipt.attempts == 1 && receipt.started != nil && receipt.ended != nil)
                if receipt.state == .failed {
                    #expect(receipt.failure?.code == .closureFailed)
                    await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
                }
            }
            #expect(calls.texts.withLock { $0.values.allSatisfy { $0.count == 1 } })
            #expect(try await fixture.download.server.peak().requests == 150)
        }
    }

    @Test("a path that another download has is not taken, and the closure is not called again")
    func clashingChoice() async throws {
        var fixture = try await makeFixture()
        let calls = Calls()
        let files = fixture.files
        fixture.configuration.retry.retries = 0
        fixture.configuration.chooseDestination = { receipt, response, manager in
            await calls.add("choose", receipt, manager)
            return receipt.id.rawValue > 180 ? files.appending("one") : nil
        }
        try await fixture.withManager { [fixture] manager in
            try await begin(fixture, manager)
            let ids = try await add(8..<200, from: fixture.download.server, fixture, to: manager)
            try await manager.waitUntilIdle()
            let states = await manager.receipts(of: ids).map(\.state)
            #expect(states.count { $0 == .failed } == 19 && states.count { $0 == .completed } == 173)
            #expect(calls.texts.withLock { $0.values.allSatisfy { $0.count == 1 } })
        }
        #expect(fixture.fileNames == ((0..<180).map { "f\($0)" } + ["one"]).sorted())
    }

    @Test(
        "a download that waits for a signal, or is stopped in its closure, leaves the others in their batches"
    )
    func heldAndStopped() async throws {
        var fixture = try await makeFixture()
        let (mayRun, isAsked) = (Lock(false), AsyncEvent())
        fixture.configuration.mayStart = { receipt, _ in
            switch receipt.id.rawValue {
            case 20 where !mayRun.withLock { $0 }: return .waitForSignal("not yet")
            case 21 where !mayRun.withLock { $0 }:
                isAsked.send()
                try await Task.sleep(for: .seconds(3600))
                return .start
            default: return .start
            }
        }
        try await fixture.withManager { [fixture] manager in
            try await begin(fixture, manager)
            let ids = try await add(8..<100, from: fixture.download.server, fixture, to: manager)
            await isAsked.wait()
            let paused = try await manager.pause(.id(ids[12]))
            #expect(paused.map(\.state) == [.paused] && paused.map(\.attempts) == [0])
            try await wait {
                await manager.receipts.count { $0.state == .completed } == 98
            }
            let held = try #require(await manager.receipt(ids[11]))
            #expect(held.state == .queued && held.hold?.message == "not yet" && held.attempts == 0)
            mayRun.withLock { $0 = true }
            try await manager.resume(.id(ids[12]))
            try await manager.reconsider()
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.allSatisfy { $0.state == .completed && $0.attempts == 1 })
        }
        try expectExact(0..<100, fixture)
    }

    @Test("an operation on a file whose path is being chosen waits for the cancelled closure only")
    func stoppedChoice() async throws {
        var fixture = try await makeFixture()
        let (mayRun, isAsked) = (Lock(false), AsyncEvent())
        fixture.configuration.chooseDestination = { receipt, _, _ in
            if receipt.id.rawValue == 20, !mayRun.withLock({ $0 }) {
                isAsked.send()
                try await Task.sleep(for: .seconds(3600))
            }
            return nil
        }
        try await fixture.withManager { [fixture] manager in
            try await begin(fixture, manager)
            let ids = try await add(8..<100, from: fixture.download.server, fixture, to: manager)
            await isAsked.wait()
            let paused = try await manager.pause(.id(ids[11]))
            #expect(paused.map(\.state) == [.paused])
            mayRun.withLock { $0 = true }
            try await manager.resume(.id(ids[11]))
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.allSatisfy { $0.state == .completed })
        }
        try expectExact(0..<100, fixture)
    }

    @Test("a path is chosen once, even if new caps return the file to the queue, and unchanged caps do not")
    func chosenOnce() async throws {
        var fixture = try await makeFixture()
        let calls = Calls()
        let areOthers = Lock(false)
        fixture.configuration.chooseDestination = { receipt, _, manager in
            await calls.add("choose", receipt, manager)
            let count = calls.texts.withLock { $0[receipt.id]?.count ?? 0 }
            // Without a limit, a closure that changes the caps would be called forever.
            guard receipt.id.rawValue % 10 == 0, count < 4 else { return nil }
            var limits = await manager.limits
            if areOthers.withLock({ $0 }) { limits.connections += 1 }
            try await manager.setLimits(limits)
            return nil
        }
        try await fixture.withManager { [fixture] manager in
            try await begin(fixture, manager)
            try await add(8..<100, from: fixture.download.server, fixture, to: manager)
            try await manager.waitUntilIdle()
            #expect(try await fixture.download.server.peak().requests == 100)
            areOthers.withLock { $0 = true }
            try await add(100..<200, from: fixture.download.server, fixture, to: manager)
            try await manager.waitUntilIdle()
            #expect(try await fixture.download.server.peak().requests > 200)
            #expect(calls.batched.withLock { $0.count } > 100)
            let texts = calls.texts.withLock { $0 }
            #expect(texts.count == 200 && texts.values.allSatisfy { $0.count == 1 })
            #expect(await manager.choices.isEmpty)
        }
        try expectExact(0..<200, fixture)
    }

    @Test("a raised cap also applies to the steps after completion that are waiting")
    func raisedCap() async throws {
        var fixture = try await makeFixture()
        fixture.configuration.downloads.limits.activeFiles = 1
        let (running, most, mayEnd) = (Lock(0), Lock(0), Lock(true))
        fixture.configuration.afterCompletion = { _, _ in
            let count = running.withLock { count in
                count += 1
                return count
            }
            most.withLock { $0 = max($0, count) }
            while !mayEnd.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
            running.withLock { $0 -= 1 }
        }
        try await fixture.withManager { [fixture] manager in
            try await begin(fixture, manager)
            mayEnd.withLock { $0 = false }
            try await add(8..<40, from: fixture.download.server, fixture, to: manager)
            try await wait { await manager.receipts.count { $0.state == .finalizing } == 32 }
            #expect(most.withLock { $0 } == 1)
            var limits = await manager.limits
            limits.activeFiles = 4
            try await manager.setLimits(limits)
            try await wait { running.withLock { $0 } == 4 }
            mayEnd.withLock { $0 = true }
            try await manager.waitUntilIdle()
            #expect(most.withLock { $0 } == 4)
        }
        try expectExact(0..<40, fixture)
    }

    @Test(
        "a failed step after completion fails its file only, and a closure that shuts the manager down ends it"
    )
    func afterCompletion() async throws {
        var fixture = try await makeFixture()
        fixture.configuration.retry.retries = 0
        let isLast = Lock(false)
        fixture.configuration.afterCompletion = { receipt, manager in
            if receipt.id.rawValue == 30, !isLast.withLock({ $0 }) { throw NeverCame() }
            if receipt.id.rawValue == 150 { try await manager.shutdown() }
        }
        let configuration = fixture.configuration
        try await fixture.withManager { [fixture] manager in
            try await begin(fixture, manager)
            let ids = try await add(8..<100, from: fixture.download.server, fixture, to: manager)
            try await manager.waitUntilIdle()
            let failed = await manager.receipts.filter { $0.state == .failed }
            #expect(failed.map(\.id) == [ids[21]] && failed.first?.failure?.code == .completionFailed)
            _ = try await add(100..<200, from: fixture.download.server, fixture, to: manager)
            try await wait { (try? await manager.pause(.id(ids[21]))) == nil }
            try await manager.shutdown()
        }
        let receipts = try DownloadManager.receipts(inStoreAt: configuration.store)
        // It is the one whose closure called the shutdown.
        #expect(receipts.first { $0.id.rawValue == 150 }?.state == .completed)
        isLast.withLock { $0 = true }
        fixture.configuration.afterCompletion = nil
        try await fixture.withManager { manager in
            try await manager.start(.all)
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.allSatisfy { $0.state == .completed })
        }
        try expectExact(0..<200, fixture)
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

    @Test(
        "400 files, 25 kills: every file exact, none lost, and a complete file stays complete",
        arguments: [[], ["-H", "X-Test: 1"]] as [[String]])
    func kills(options: [String]) async throws {
        let fixture = try await QueueCommandFixture()
        try await add(400, fixture)
        let store = fixture.queue
        func completed() throws -> Set<Receipt.ID> {
            Set(try DownloadManager.receipts(inStoreAt: store).filter { $0.state == .completed }.map(\.id))
        }
        var before: Set<Receipt.ID> = []
        for round in 1...25 {
            let process = try fixture.start(["start", "--keep-running", "--progress", "none"] + options)
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
        let end = try await fixture.run(["start", "--progress", "none"] + options)
        #expect(end.status == 0, "\(end.errors)")
        #expect(try await fixture.list().allSatisfy { $0.state == .completed })
        #expect(fixture.fileNames == (0..<400).map { "f\($0)" }.sorted())
    }
}

import SystemPackage
import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// Downloads awaited by many tasks, with an engine in memory.
@Suite("Shared downloads", .timeLimit(.minutes(10)))
struct SharedDownloadTests {
    private enum End: Equatable, Sendable {
        case complete
        /// The download was cancelled.
        case cancelled
        /// The waiting task was cancelled.
        case gone
        case other(String)
    }

    private struct Waiter: Sendable {
        let download: Int
        let isCancelled: Bool
        let task: Task<End, Never>
    }

    private let directory: TemporaryDirectory
    private var configuration = Configuration()

    init() throws {
        directory = try TemporaryDirectory()
        configuration.durability = .process
    }

    private static func end(of handle: DownloadHandle) async -> End {
        do {
            return try await handle.result.length == 100 ? .complete : .other("another length")
        } catch is CancellationError {
            return .gone
        } catch let error as DownloadError where error.code == .cancelled {
            return .cancelled
        } catch {
            return .other("\(error)")
        }
    }

    @Test(
        "1,000 downloads with ten waiters each: all waiters get the same result, whoever leaves",
        arguments: 0..<3)
    func waiters(seed: UInt64) async throws {
        let content = TestContent(seed: 5).bytes(0..<100)
        let engine = MemoryEngine { request, _ in .honest(content, request.range) }
        let downloader = Downloader(configuration: configuration, engine: engine)
        var random = SplitMix64(seed: seed)
        var handles: [DownloadHandle] = []
        var waiters: [Waiter] = []
        for number in 0..<1_000 {
            let handle = downloader.start(
                try DownloadRequest("http://host/\(number)", to: .file(directory.filePath("\(number)"))))
            handles.append(handle)
            for _ in 0..<10 {
                let task = Task { await Self.end(of: handle) }
                let isCancelled = random.next() % 3 == 0
                waiters.append(Waiter(download: number, isCancelled: isCancelled, task: task))
                if isCancelled, random.next() % 2 == 0 { task.cancel() }
            }
            if random.next() % 5 == 0 { handle.cancel() }
            if random.next() % 7 == 0 { await Task.yield() }
        }
        for waiter in waiters where waiter.isCancelled { waiter.task.cancel() }

        var ends = [Int: Set<String>]()
        for waiter in waiters {
            let end = await waiter.task.value
            if end == .gone {
                #expect(waiter.isCancelled)
            } else {
                ends[waiter.download, default: []].insert("\(end)")
            }
        }
        for (number, handle) in handles.enumerated() {
            // The download continues after all waiters have left.
            let end = await Self.end(of: handle)
            #expect(ends[number, default: ["\(end)"]] == ["\(end)"])
            #expect(end == .complete || end == .cancelled)
            #expect(handle.state == (end == .complete ? .completed : .cancelled))
            if end == .complete { #expect(directory.exists("\(number)")) }
        }
        await downloader.shutdown()
    }

    @Test("a download continues without its handle and its downloader")
    func dropped() async throws {
        let content = TestContent(seed: 5).bytes(0..<300_000)
        let engine = MemoryEngine { request, _ in .honest(content, request.range) }
        do {
            let downloader = Downloader(configuration: configuration, engine: engine)
            _ = downloader.start(try DownloadRequest("http://host/a", to: .file(directory.filePath("a"))))
        }
        try await directory.waitFor("a")
        #expect(try directory.read("a") == content)
    }

    @Test("a stream that its reader leaves early ends without ending the download")
    func leftStream() async throws {
        let engine = MemoryEngine { request, _ in .honest([1], request.range) }
        let downloader = Downloader(configuration: configuration, engine: engine)
        let handle = downloader.start(
            try DownloadRequest("http://host/a", to: .file(directory.filePath("a"))))
        for await _ in handle.progress(every: .milliseconds(1)) { break }
        #expect(try await handle.result.length == 1)
        var last: DownloadProgress?
        for await progress in handle.progress() { last = progress }
        #expect(last?.state == .completed)
    }

    @Test("concurrent pauses and resumptions: each file is finally complete", arguments: 0..<3)
    func pauses(seed: UInt64) async throws {
        let content = TestContent(seed: 5).bytes(0..<400_000)
        let engine = MemoryEngine { request, _ in .honest(content, request.range) }
        let downloader = Downloader(configuration: configuration, engine: engine)
        let handles = try (0..<20).map { number in
            downloader.start(
                try DownloadRequest("http://host/\(number)", to: .file(directory.filePath("\(number)"))))
        }
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SplitMix64(seed: seed * 10 + UInt64(task))
                    for _ in 0..<100 {
                        let handle = handles[Int(random.next() % 20)]
                        if random.next() % 2 == 0 { await handle.pause() } else { handle.resume() }
                    }
                }
            }
        }
        for handle in handles { handle.resume() }
        for (number, handle) in handles.enumerated() {
            #expect(try await handle.result.length == 400_000)
            #expect(try directory.read("\(number)") == content)
        }
        await downloader.shutdown()
    }
}

import Foundation
import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("The library")
struct DownloaderTests {
    @Test("shows progress that grows and ends in a final state")
    func progress() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        // However late the test checks, the other three segments are still in flight.
        var request = try fixture.request(fixture.server.url("plain", 2_000_000, "hold-tail=1500000"))
        request.segments = .fixed(4)
        let handle = downloader.start(request)
        var seen: [DownloadProgress] = []
        for await progress in handle.progress(every: .milliseconds(20)) {
            if progress.connections > 1, progress.state == .downloading { try await fixture.server.release() }
            seen.append(progress)
        }
        #expect(seen.last?.state == .completed)
        #expect(seen.last?.bytesCompleted == 2_000_000)
        #expect(seen.last?.fraction == 1)
        #expect(seen.contains { $0.state == .downloading && $0.connections > 1 })
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.bytesCompleted <= $1.bytesCompleted })
        #expect(try await handle.result.length == 2_000_000)
        await downloader.shutdown()
        try fixture.expectExact(2_000_000)
    }

    @Test("cancelling the task leaves a checkpoint, and the same request resumes")
    func cancellation() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 4_000_000
        let request = try fixture.request(fixture.server.url("plain", size, "rate=500000&hold-tail=2000"))
        let downloader = try Downloader(fixture.configuration)
        let handle = downloader.start(request)
        for await progress in handle.progress(every: .milliseconds(10))
        where progress.bytesCompleted > 200_000 {
            break
        }
        let task = Task { try await handle.finish() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(handle.state == .cancelled)
        let info = try ManifestInfo(path: fixture.directory.filePath("file.bin.part.segdl"))
        let kept = info.trustedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        #expect(kept > 200_000)
        #expect(info.durableRanges == info.writtenRanges)
        await downloader.shutdown()
        try await fixture.server.release()

        let result = try await fixture.download(request)
        #expect(result.bytesWritten == size - kept)
        try fixture.expectExact(size)
    }

    @Test("a downloader that shuts down cancels current and later downloads")
    func shutdown() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let handle = downloader.start(
            try fixture.request(fixture.server.url("plain", 4_000_000, "rate=100000")))
        for await progress in handle.progress(every: .milliseconds(10)) where progress.state == .downloading {
            break
        }
        await downloader.shutdown()
        #expect(await code { try await handle.result } == .shutDown)
        let late = downloader.start(try fixture.request(fixture.server.url("plain", 10), to: "late"))
        #expect(await code { try await late.result } == .shutDown)
        #expect(handle.state == .failed && late.state == .failed)
    }

    private func code(_ body: () async throws -> DownloadResult) async -> DownloadError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? DownloadError)?.code
        }
    }

    @Test("cancelling one waiter does not affect the download or other waiters")
    func sharing() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let handle = downloader.start(
            try fixture.request(fixture.server.url("plain", 400_000, "rate=1000000")))
        let (one, other) = (Task { try await handle.result }, Task { try await handle.result })
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        #expect(try await other.value.length == 400_000)
        await downloader.shutdown()
        try fixture.expectExact(400_000)
    }

    @Test(
        "a thousand downloads with ten waiters each end once, whoever stops waiting", .timeLimit(.minutes(10))
    )
    func manyWaiters() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        var random = SplitMix64(seed: 7)
        var tasks: [(task: Task<DownloadResult, any Error>, isCancelled: Bool)] = []
        for number in 0..<1000 {
            let handle = downloader.start(
                try fixture.request(fixture.server.url("plain", 100), to: "\(number)"))
            for _ in 0..<10 {
                let (task, isCancelled) = (Task { try await handle.result }, random.next() % 3 == 0)
                if isCancelled { task.cancel() }
                tasks.append((task, isCancelled))
            }
        }
        for (task, isCancelled) in tasks where !isCancelled { #expect(try await task.value.length == 100) }
        #expect(fixture.directory.names.count == 1000)
        await downloader.shutdown()
    }

    @Test("cancelling a download is reported to other tasks")
    func cancelled() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let handle = downloader.start(
            try fixture.request(fixture.server.url("plain", 4_000_000, "rate=100000")))
        let waiter = Task { try await handle.result }
        handle.cancel()
        #expect(await code { try await waiter.value } == .cancelled)
        await downloader.shutdown()
    }

    @Test("one line downloads a file")
    func oneLine() async throws {
        let fixture = try await DownloadFixture()
        let url = fixture.server.url("plain", 1000, name: "a.bin")
        let result = try await Downloader.download(url, to: .directory(path: fixture.directory.path))
        #expect(result.fileURL == URL(filePath: fixture.directory.file("a.bin")))
        // Other parts of the program use it, too.
        try await Downloader.shared.shutdown()
        var again = try DownloadRequest(url, to: .directory(path: fixture.directory.path))
        again.ifExists = .replace
        #expect(try await Downloader.shared.download(again).length == 1000)
        var request = try DownloadRequest(
            #require(URL(string: url)), to: .file(path: fixture.directory.file("sub/b.bin")),
            headers: [HTTPHeader("X-One", "1")])
        request.makesDirectory = true
        _ = try await Downloader.withDownloader { try await $0.download(request) }
        #expect(try await fixture.server.requests().last?.headers["x-one"] == "1")
        #expect(
            try await fixture.server.requests().last?.headers["user-agent"]?.hasPrefix("SegmentedDL/") == true
        )
        #expect(fixture.directory.exists("sub/b.bin"))
    }

    @Test("an error shows its message, and equals one with the same content")
    func errors() async throws {
        let error = DownloadError(.fileExists, "It is there.", url: "http://a/")
        #expect((error as any Error).localizedDescription == "It is there.")
        #expect(error == DownloadError(.fileExists, "It is there.", url: "http://a/", cause: error))
        #expect(error != DownloadError(.fileExists, "It is there.", url: "http://b/"))
    }

    @Test(
        "runs at most the allowed number of files, in the requested order",
        arguments: [QueueOrder.fifo, .lifo])
    func order(order: QueueOrder) async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.limits.activeFiles = 1
        fixture.configuration.limits.queueOrder = order
        let downloader = try Downloader(fixture.configuration)
        let handles = try (0..<5).map { number in
            downloader.start(
                try fixture.request(
                    fixture.server.url("plain", 100_000, name: "f\(number)", "rate=1000000"), to: "f\(number)"
                ))
        }
        for handle in handles { _ = try await handle.result }
        await downloader.shutdown()
        let names = try await fixture.server.requests().compactMap { request in
            request.target.split(separator: "/").last?.prefix { $0 != "?" }
        }
        let expected = order == .fifo ? ["f0", "f1", "f2", "f3", "f4"] : ["f0", "f4", "f3", "f2", "f1"]
        #expect(names.map(String.init) == expected)
    }

    @Test("caps can change during downloads")
    func changingCaps() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.limits.connections = 2
        fixture.configuration.limits.connectionsPerHost = 8
        fixture.configuration.segments = .automatic
        fixture.configuration.minimumSegmentSize = 64 * 1024
        let downloader = try Downloader(fixture.configuration)
        var request = try fixture.request(fixture.server.url("plain", 8_000_000, "rate=1000000"))
        request.segments = .fixed(2)
        let first = downloader.start(request)
        for await progress in first.progress(every: .milliseconds(10)) where progress.connections == 2 {
            break
        }
        var limits = downloader.limits
        limits.connections = 6
        try downloader.setLimits(limits)
        var other = try fixture.request(fixture.server.url("plain", 4_000_000, "rate=1000000"), to: "other")
        other.segments = .fixed(4)
        _ = try await downloader.download(other)
        _ = try await first.result
        await downloader.shutdown()
        let peak = try await fixture.server.peak()
        #expect(peak.peakConcurrent > 2 && peak.peakConcurrent <= 6, "\(peak)")
        #expect(fixture.directory.names == ["file.bin", "other"])
    }

    @Test("a smaller cap takes effect long before the file is complete", .timeLimit(.minutes(10)))
    func smallerCap() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let size: Int64 = 12_000_000
        var request = try fixture.request(fixture.server.url("plain", size, "rate=60000"))
        request.segments = .fixed(6)
        let handle = downloader.start(request)
        for await progress in handle.progress(every: .milliseconds(10)) where progress.connections == 6 {
            break
        }
        var limits = downloader.limits
        limits.connections = 2
        try downloader.setLimits(limits)
        for await progress in handle.progress(every: .milliseconds(10)) where progress.connections <= 2 {
            break
        }
        #expect(handle.currentProgress.bytesCompleted < size / 2)
        handle.cancel()
        _ = try? await handle.result
        await downloader.shutdown()
    }

    @Test("a new file gets its connection although another one holds all")
    func permitsFlowBack() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.limits.connections = 3
        let downloader = try Downloader(fixture.configuration)
        var big = try fixture.request(fixture.server.url("plain", 3_000_000, "rate=30000"), to: "big")
        big.segments = .fixed(3)
        let first = downloader.start(big)
        for await progress in first.progress(every: .milliseconds(10)) where progress.connections == 3 {
            break
        }
        let small = try await downloader.download(
            try fixture.request(fixture.server.url("plain", 1000, name: "small"), to: "small"))
        #expect(small.length == 1000)
        #expect(!first.state.isFinal)
        first.cancel()
        _ = try? await first.result
        await downloader.shutdown()
        #expect(try await fixture.server.peak().peakConcurrent <= 3)
    }

    @Test("many downloads, started and cancelled at random, leave nothing open")
    func churn() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    guard
                        let request = try? fixture.request(
                            fixture.server.url("plain", 400_000, "rate=2000000"), to: "f\(number)")
                    else { return }
                    let handle = downloader.start(request)
                    if number.isMultiple(of: 2) { handle.cancel() }
                    _ = try? await handle.result
                }
            }
        }
        await downloader.shutdown()
        #expect(openFiles(in: fixture.directory) == [])
        #expect(try await fixture.server.peak().running == 0)
        for number in stride(from: 1, to: 60, by: 2) {
            #expect(
                try TestContent(seed: 1).firstMismatch(
                    inFile: fixture.directory.file("f\(number)"), length: 400_000) == nil)
        }
    }

    /// This process's open files in a directory, as listed by Linux.
    private func openFiles(in directory: TemporaryDirectory) -> [String] {
        let descriptors = (try? TemporaryDirectory.names(of: "/proc/self/fd")) ?? []
        let targets = descriptors.compactMap { try? FilePath("/proc/self/fd/\($0)").linkTarget() }
        return targets.filter { $0.hasPrefix(directory.path) }
    }

    @Test("the result states the number of connections opened and of bytes received twice")
    func counts() async throws {
        let fixture = try await DownloadFixture()
        let url = fixture.server.url("plain", 4_000_000, name: "file.bin", "rate=4000000")
        let result = try await fixture.download(fixture.request(url))
        let peak = try await fixture.server.peak()
        #expect(result.connectionsOpened == peak.connections)
        #expect(result.bytesWritten == 4_000_000)
        #expect(result.bytesReceived >= 4_000_000)
        #expect(result.bytesReceived <= peak.bytesSent)
    }
}

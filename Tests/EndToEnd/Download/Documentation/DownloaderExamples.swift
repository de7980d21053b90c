import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

@Suite("The documentation's examples of a downloader")
struct DownloaderExamples {
    @Test("the overview's")
    func overview() async throws {
        let fixture = try await DownloadFixture()
        try await Self.overview(
            fixture.server.url("plain", 500_000, name: "disk.iso"), fixture.directory.filePath(""))
        try fixture.expectExact(500_000, name: "disk.iso")
    }

    private static func overview(_ url: String, _ directory: FilePath) async throws {
        // example begins
        let downloader = try Downloader()
        var request = try DownloadRequest(url, to: .directory(directory))
        request.segments = .fixed(4)
        let handle = downloader.start(request)
        for await progress in handle.progress() {
            print("\(progress.bytesCompleted) of \(progress.bytesTotal ?? 0) bytes")
        }
        let result = try await handle.result
        print("\(result.path?.string ?? "") has \(result.length) bytes")
        await downloader.shutdown()
        // example ends
    }

    @Test("the one line, and a downloader for a while")
    func oneLine() async throws {
        let fixture = try await DownloadFixture()
        let requests = try (0...1).map { number in
            try fixture.request(fixture.server.url("plain", 1000), to: "\(number)")
        }
        #expect(try await Self.forAWhile(requests[0], requests[1]).count == 2)
        #expect(fixture.directory.names == ["0", "1"])
    }

    private static func forAWhile(
        _ first: DownloadRequest, _ second: DownloadRequest
    ) async throws -> [DownloadResult] {
        // example begins
        let results = try await Downloader.withDownloader { downloader in
            async let other = downloader.download(second)
            return try await [downloader.download(first), other]
        }
        // example ends
        return results
    }

    private static func oneLine(_ url: String) async throws -> URL? {
        // example begins
        let file = try await Downloader.download(url, to: .directory(path: "images")).fileURL
        // example ends
        return file
    }

    private static func follow(_ handle: DownloadHandle) {
        // example begins
        handle.follow { progress in
            print(progress.fraction ?? 0)
        } onCompletion: { result in
            print((try? result.get().path) ?? "")
        }
        // example ends
    }

    @Test("closures instead of a stream")
    func closures() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let handle = downloader.start(try fixture.request(fixture.server.url("plain", 1000)))
        Self.follow(handle)
        #expect(try await handle.result.length == 1000)
        await downloader.shutdown()
        try fixture.expectExact(1000)
    }

    @Test("the one call")
    func oneCall() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        try await Self.oneCall(downloader, fixture.request(fixture.server.url("plain", 100_000)))
        await downloader.shutdown()
        try fixture.expectExact(100_000)
    }

    private static func oneCall(_ downloader: Downloader, _ request: DownloadRequest) async throws {
        // example begins
        let result = try await downloader.download(request)
        // example ends
        #expect(result.length == 100_000)
    }

    @Test("a mirror")
    func mirror() async throws {
        let nginx = try await Nginx(server: "autoindex on;")
        try nginx.root.write("wanted", to: "a.iso")
        try nginx.root.write("not wanted", to: "b.txt")
        let directory = try TemporaryDirectory()
        let downloader = try Downloader()
        try await Self.mirror(downloader, nginx.url(""), directory.filePath(""))
        await downloader.shutdown()
        #expect(directory.names == ["a.iso"])
    }

    private static func mirror(
        _ downloader: Downloader, _ url: String, _ directory: FilePath
    ) async throws {
        // example begins
        let source = MirrorSource.index(try Source(url))
        let wanted = PathFilter(include: [try Glob("*.iso")])
        let run = downloader.mirror(
            MirrorJob(root: directory), of: downloader.entries(of: source, filter: wanted))
        for await event in run {
            switch event {
            case .completed(let item, _): print("\(item.path)")
            case .failed(let failure): print(failure.message)
            case .ended(let report): print(report.isComplete ? "complete" : "\(report.failed) are missing")
            default: break
            }
        }
        // example ends
    }

    @Test("refreshing a mirror")
    func mirrorAgain() async throws {
        let nginx = try await Nginx(server: "autoindex on;")
        try nginx.root.write("wanted", to: "a.iso")
        let directory = try TemporaryDirectory()
        let downloader = try Downloader()
        for _ in 0..<2 {
            try await Self.mirrorAgain(downloader, nginx.url(""), directory.filePath(""))
        }
        await downloader.shutdown()
        #expect(directory.names.contains("SHA256SUMS"))
        #expect(nginx.accessLog.filter { $0.contains(" 304 ") }.count == 1)
    }

    private static func mirrorAgain(
        _ downloader: Downloader, _ url: String, _ directory: FilePath
    ) async throws {
        // example begins
        var job = MirrorJob(root: directory)
        job.state = MirrorJob.defaultState(in: directory)
        job.proof = directory
        job.deletion = .mirrored
        let entries = downloader.entries(of: .index(try Source(url)))
        let report = await downloader.mirror(job, of: entries).report()
        print("\(report.completed) fetched, \(report.skipped) kept, \(report.deleted) deleted")
        // example ends
    }

    // MARK: Compiled only: they name a host that is not there

    private func readme() async throws {
        // example begins
        let downloader = try Downloader()
        let request = try DownloadRequest("https://host/disk.iso", to: .directory("/tmp"))
        let result = try await downloader.download(request)
        print(result.path ?? "", result.bytesWritten)
        await downloader.shutdown()
        // example ends
    }

    private func symbol() async throws {
        // example begins
        let downloader = try Downloader()
        let result = try await downloader.download(
            DownloadRequest("https://example.com/disk.iso", to: .directory(".")))
        await downloader.shutdown()
        // example ends
        print(result)
    }

    private func mirrorSymbol(_ downloader: Downloader) async throws {
        // example begins
        let source = try Source("https://example.com/pub/")
        var job = MirrorJob(root: "copy")
        job.failurePolicy = .stop(after: 10)
        let run = downloader.mirror(job, of: downloader.entries(of: .index(source)))
        print(await run.report().isComplete)
        // example ends
    }

    private func mergeSymbol() async throws {
        // example begins
        var merge = ProofMerge(of: ["copy"])
        merge.proof = "copy/segdl-mirror.jsonl"
        print(try await merge.run().isComplete)
        // example ends
    }

    private func managerSymbol() async throws {
        // example begins
        let manager = try await DownloadManager(ManagerConfiguration(store: "queue.sqlite"))
        let receipt = try await manager.add(
            DownloadRequest("https://example.com/disk.iso", to: .directory(".")))
        print(try await manager.result(of: receipt.id).path ?? "")
        try await manager.shutdown()
        // example ends
    }
}

import SegmentedDL
import SegmentedDLQueue
import SegmentedDLTesting
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("The guide's examples of tests without a network", .timeLimit(.minutes(10)))
struct TestingExamples {
    private let content = TestContent(seed: 2).bytes(0..<300_000)
    private let directory: TemporaryDirectory
    private var configuration = Configuration()

    init() throws {
        directory = try TemporaryDirectory()
        configuration.retry.delay = .milliseconds(1)
        configuration.durability = .process
    }

    @Test("a download that is lost, refused, and completed in the end")
    func faults() async throws {
        try await Self.faults(content, configuration, directory.filePath("f"))
        #expect(try directory.read("f/a.bin") == content)
    }

    private static func faults(
        _ content: [UInt8], _ configuration: Configuration, _ directory: FilePath
    ) async throws {
        // example begins
        let url = "https://example.com/a.bin"
        let server = FaultServer([url: FaultServer.File(content)])
        server.add(.lost(after: 1000), to: url)
        server.add(.status(503, retryAfter: .zero), to: url)

        let result = try await server.downloader(configuration).download(
            DownloadRequest(url, to: .directory(directory)))
        #expect(result.length == Int64(content.count))
        #expect(server.requests.count > 1)
        // example ends
    }

    @Test("a queue in memory")
    func queue() async throws {
        let url = "https://example.com/a.bin"
        let server = FaultServer([url: FaultServer.File(content)])
        try await Self.queue(server, url, content, directory.filePath("f"))
        #expect(directory.names == ["f"])
    }

    private static func queue(
        _ server: FaultServer, _ url: String, _ content: [UInt8], _ directory: FilePath
    ) async throws {
        // example begins
        try await server.withManager { manager in
            let receipt = try await manager.add(DownloadRequest(url, to: .directory(directory)))
            let complete = try await manager.result(of: receipt.id)
            #expect(complete.bytesCompleted == Int64(content.count))
        }
        // example ends
    }

    @Test("a download that stands still in the middle")
    func stalled() async throws {
        let url = "https://example.com/a.bin"
        let server = FaultServer([url: FaultServer.File(content)])
        try await Self.stalled(
            server, url, Source(url), content, configuration, directory.filePath("f"))
        #expect(try directory.read("f/a.bin") == content)
    }

    private static func stalled(
        _ server: FaultServer, _ url: String, _ source: Source, _ content: [UInt8],
        _ configuration: Configuration, _ directory: FilePath
    ) async throws {
        // example begins
        server.add(.stalled(after: 2000), to: url)
        let handle = server.downloader(configuration).start(
            DownloadRequest(source, to: .directory(directory)))
        for await progress in handle.progress(every: .milliseconds(1)) where progress.state == .downloading {
            break
        }
        await handle.pause()
        #expect(handle.state == .paused)
        handle.resume()
        #expect(try await handle.result.length == Int64(content.count))
        // example ends
    }
}

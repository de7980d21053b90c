import SegmentedDLQueue
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLTesting

@Suite("A server in memory", .timeLimit(.minutes(10)))
struct FaultServerTests {
    private static let url = "http://host/file"

    private let content = TestContent(seed: 2).bytes(0..<400_000)
    private let directory: TemporaryDirectory
    private let server: FaultServer
    private var configuration = Configuration()

    init() throws {
        directory = try TemporaryDirectory()
        server = FaultServer([Self.url: FaultServer.File(content)])
        configuration.retry.delay = .milliseconds(1)
        configuration.durability = .process
        configuration.segments = .fixed(4)
        configuration.minimumSegmentSize = 64 * 1024
    }

    private func download(_ url: String = url) async throws -> DownloadResult {
        try await server.downloader(configuration).download(
            DownloadRequest(url, to: .file(directory.filePath("file"))))
    }

    @Test(
        "a transient fault does no harm to the file",
        arguments: [
            Fault.status(503), .status(429, retryAfter: .zero), .refused, .unresolved, .timedOut,
            .lost(after: 0), .lost(after: 70_000), .ignoredRange, .wrongRange, .wrongLength(1_000),
            .wrongLength(500_000), .slow(bytesPerSecond: 4_000_000),
        ])
    func passing(fault: Fault) async throws {
        server.add(fault, to: Self.url)
        _ = try await download()
        #expect(directory.names == ["file"])
        #expect(try directory.read("file") == content)
    }

    @Test(
        "a permanent fault has its code",
        arguments: [
            (Fault.status(404), DownloadError.Code.httpStatus), (.refused, .connectionFailed),
            (.unresolved, .cannotResolve), (.timedOut, .timedOut), (.untrusted, .tlsFailed),
        ])
    func lasting(fault: Fault, code: DownloadError.Code) async throws {
        server.add(fault, to: Self.url, times: 100)
        let error = await #expect(throws: DownloadError.self) { try await download() }
        #expect(error?.code == code)
        #expect(!directory.exists("file"))
    }

    @Test("a host that always refuses fails a queue's download as fast as its retry delays")
    func refusing() async throws {
        var queue = ManagerConfiguration.inMemory
        queue.downloads = configuration
        queue.downloads.retry.retries = 5
        queue.retry.delay = .milliseconds(1)
        queue.retry.retries = 5
        server.add(.status(503), to: Self.url, times: 1000)
        try await server.withManager(queue) { manager in
            let id = try await manager.add(
                DownloadRequest(Self.url, to: .file(directory.filePath("file")))
            ).id
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.status == 503)
        }
    }

    @Test("a corrupted byte that the file does not have ends the process")
    func corruptedNowhere() async {
        await #expect(processExitsWith: .failure) { _ = Fault.corrupted(at: -1) }
        await #expect(processExitsWith: .failure) {
            let server = FaultServer(["http://host/file": FaultServer.File([1])])
            server.add(.corrupted(at: 1), to: "http://host/file")
            _ = try await server.downloader().inspect(
                DownloadRequest("http://host/file", to: .directory("/nonexistent")))
        }
    }

    @Test("a wrong byte is detected by a checksum, and not without one")
    func corrupted() async throws {
        server.add(.corrupted, to: Self.url, times: 100)
        var request = try DownloadRequest(Self.url, to: .file(directory.filePath("file")))
        request.checksums = [try Checksum(.sha256, Digest.sha256(content))]
        let error = await #expect(throws: DownloadError.self) {
            try await server.downloader(configuration).download(request)
        }
        #expect(error?.code == .checksumMismatch)
    }

    @Test("a byte of the file is wrong in any response", arguments: [0, 70_000, 399_999])
    func corrupted(offset: Int) async throws {
        server.add(.corrupted(at: offset), to: Self.url, times: 100)
        _ = try await download()
        let received = try directory.read("file")
        #expect(received.count == content.count)
        #expect(content.indices.filter { content[$0] != received[$0] } == [offset])
    }

    @Test("a full disk fails a download, which resumes its bytes once space is available")
    func fullDisk() async throws {
        var configuration = configuration
        configuration.segments = .fixed(1)
        let request = try DownloadRequest(Self.url, to: .file(directory.filePath("file")))
        // A slow machine asks again over another connection.
        server.add(.diskFull(after: 150_000), to: Self.url, times: 100)
        let full = server.downloader(configuration)
        let error = await #expect(throws: DownloadError.self) { try await full.download(request) }
        #expect(error?.code == .diskFull)
        #expect(error?.isRetryable == true)
        #expect(error?.failureReason == "The disk is full.")
        let roomy = FaultServer([Self.url: FaultServer.File(content)]).downloader(configuration)
        let result = try await roomy.download(request)
        #expect(result.bytesWritten > 0 && result.bytesWritten <= 250_000)
        #expect(try directory.read("file") == content)
    }

    @Test("a queue that reserves space waits on a full disk, and resumes on request")
    func fullDiskOfQueue() async throws {
        var queue = ManagerConfiguration.inMemory
        queue.reservedSpace = 0
        server.add(.diskFull(), to: Self.url)
        try await server.withManager(queue) { manager in
            let events = manager.events()
            let id = try await manager.add(
                DownloadRequest(Self.url, to: .file(directory.filePath("file")))
            ).id
            for await case .held(let receipt) in events {
                #expect(receipt.hold?.reason == .space)
                break
            }
            try await manager.reconsider()
            #expect(try await manager.result(of: id).state == .completed)
        }
        #expect(try directory.read("file") == content)
    }

    @Test("a queue sends its requests here")
    func manager() async throws {
        let manager = try await server.manager()
        let request = try DownloadRequest(Self.url, to: .file(directory.filePath("file")))
        _ = try await manager.result(of: manager.add(request).id)
        try await manager.shutdown()
        #expect(try directory.read("file") == content)
        #expect(!server.requests.isEmpty)
    }

    @Test("a URL without a file is 404, and URLs are compared in canonical form")
    func urls() async throws {
        let error = await #expect(throws: DownloadError.self) { try await download("http://host/other") }
        #expect(error?.status == 404)
        #expect(try await download("HTTP://host/./file#x").length == 400_000)
        server.remove(Self.url)
        try directory.remove("file")
        await #expect(throws: DownloadError.self) { try await download() }
    }

    @Test("requests are recorded with their ranges and fields")
    func requests() async throws {
        let request = try DownloadRequest(
            Self.url, to: .file(directory.filePath("file")), headers: [HTTPHeader("X-A", "1")])
        _ = try await server.downloader(configuration).download(request)
        #expect(server.requests.first?.start == 0)
        #expect(server.requests.allSatisfy { $0.headers.contains(HTTPHeader("X-A", "1")) })
    }

    @Test("a file that changes is fetched again")
    func changing() async throws {
        var configuration = configuration
        configuration.segments = .fixed(1)
        server.add(.stalled(after: 100_000), to: Self.url)
        let handle = server.downloader(configuration).start(
            try DownloadRequest(Self.url, to: .file(directory.filePath("file"))))
        for await progress in handle.progress(every: .milliseconds(1)) where progress.bytesCompleted > 0 {
            break
        }
        await handle.pause()
        let next = TestContent(seed: 9).bytes(0..<200_000)
        server.set(FaultServer.File(next, etag: "\"2\""), at: Self.url)
        handle.resume()
        _ = try await handle.result
        #expect(try directory.read("file") == next)
    }
}

import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import SegmentedDLTesting
import SystemPackage
import TestSupport
import Testing

/// Calls that newcomers get wrong, and their errors.
@Suite("Misuse of the library", .timeLimit(.minutes(10)))
struct MisuseTests {
    private static let url = "http://host.example/file?token=s3cret"

    private let directory: TemporaryDirectory
    private let server = FaultServer([url: FaultServer.File(Array(repeating: 7, count: 3_000_000))])

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.durability = .process
        configuration.retry.retries = 0
        return configuration
    }

    private func request(_ name: String = "file") throws -> DownloadRequest {
        try DownloadRequest(Self.url, to: .file(directory.filePath(name)))
    }

    private func failure(of request: DownloadRequest) async -> DownloadError? {
        await #expect(throws: DownloadError.self) {
            try await server.downloader(configuration).download(request)
        }
    }

    @Test("a second manager of a database is refused, and the first is unaffected")
    func twoManagers() async throws {
        let configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        try await DownloadManager.withManager(configuration) { manager in
            let error = await #expect(throws: DownloadError.self) {
                _ = try await DownloadManager(configuration)
            }
            #expect(error?.code == .locked)
            #expect(await manager.receipts.isEmpty)
        }
    }

    @Test("a file that is being downloaded is refused to a second download")
    func sameFile() async throws {
        server.add(.stalled(after: 1000), to: Self.url)
        let downloader = server.downloader(configuration)
        let first = downloader.start(try request())
        for await progress in first.progress(every: .milliseconds(1)) where progress.state == .downloading {
            break
        }
        let error = await #expect(throws: DownloadError.self) { try await downloader.download(request()) }
        #expect(error?.code == .locked)
        first.cancel()
        _ = try? await first.result
    }

    @Test(
        "an invalid URL is refused, and the message says what to write",
        arguments: ["", "   ", "host/file", "ftp://host/file", "file:///etc/passwd", "http:///file"])
    func badURL(text: String) throws {
        let error = #expect(throws: DownloadError.self) { try DownloadRequest(text, to: .directory(".")) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("http") == true)
    }

    @Test("a missing directory for a file is an error unless it is to be created")
    func missingDirectory() async throws {
        var request = try request("missing/dir/file")
        #expect(await failure(of: request)?.code == .badPath)
        request.makesDirectory = true
        _ = try await server.downloader(configuration).download(request)
        #expect(directory.exists("missing/dir/file"))
    }

    @Test("a file in place of a directory, and vice versa")
    func wrongKind() async throws {
        try directory.write("x", to: "taken")
        try directory.makeDirectory("sub")
        #expect(
            await failure(of: try DownloadRequest(Self.url, to: .directory(directory.filePath("taken"))))?
                .code
                == .badPath)
        #expect(await failure(of: try request("sub"))?.code == .badPath)
        let below = await failure(of: try request("taken/file"))
        #expect(below?.message.contains("taken' is not a directory") == true, "\(String(describing: below))")
        #expect(directory.names == ["sub", "taken"])
    }

    @Test("a URL without a name requires one, and the message names no option of the command")
    func noName() async throws {
        server.set(FaultServer.File([1]), at: "http://host.example/")
        let error = await failure(
            of: try DownloadRequest("http://host.example/", to: .directory(directory.filePath(""))))
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("--") == false)
    }

    @Test("settings out of range are refused by the call that has them")
    func ranges() async throws {
        let changes: [@Sendable (inout Configuration) -> Void] = [
            { $0.segments = .fixed(0) }, { $0.limits.rate = 0 }, { $0.limits.connections = 0 },
            { $0.limits.activeFiles = 0 }, { $0.transport.connectTimeout = .seconds(-1) },
        ]
        for change in changes {
            var configuration = configuration
            change(&configuration)
            let error = #expect(throws: DownloadError.self) { try Downloader(configuration) }
            #expect(error?.code == .invalidSetting)
        }
        for change: (inout DownloadRequest) -> Void in [
            { $0.segments = .fixed(0) }, { $0.rate = 0 }, { $0.headers = [HTTPHeader("A", "x\r\nB: y")] },
            { $0.headers = [HTTPHeader("Range", "bytes=0-")] },
        ] {
            var request = try request()
            change(&request)
            #expect(await failure(of: request)?.code == .invalidSetting)
        }
        let downloader = server.downloader(configuration)
        var limits = downloader.limits
        limits.connectionsPerHost = 0
        #expect(throws: DownloadError.self) { try downloader.setLimits(limits) }
        #expect(downloader.limits == configuration.limits)
    }

    @Test("a missing file of authorities is reported by https requests only")
    func missingAuthorities() async throws {
        let server = try await DownloadFixture().server
        let plain = server.url("plain", 1000)
        let secure = plain.replacing("http://", with: "https://")
        var settings = configuration
        settings.transport.certificateAuthorities = directory.filePath("missing.pem")
        let place = DownloadRequest.Destination.directory(directory.filePath(""))
        let error = try await Downloader.withDownloader(settings) { downloader in
            _ = try await downloader.download(DownloadRequest(plain, to: place))
            return await #expect(throws: DownloadError.self) {
                try await downloader.download(DownloadRequest(secure, to: place))
            }
        }
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("certificate authorities is missing or damaged") == true)
    }

    @Test("a file that is not a database is refused and left unchanged")
    func noDatabase() async throws {
        try directory.write("The notes of somebody.", to: "notes.txt")
        let error = await #expect(throws: DownloadError.self) {
            _ = try await DownloadManager(ManagerConfiguration(store: directory.filePath("notes.txt")))
        }
        #expect(error?.code == .badStore)
        #expect(try directory.read("notes.txt") == Array("The notes of somebody.".utf8))
    }

    @Test("a downloader that was shut down says so, to mirrors too, and can be shut down again")
    func shutDownDownloader() async throws {
        let downloader = try Downloader(configuration)
        await downloader.shutdown()
        await downloader.shutdown()
        let error = await #expect(throws: DownloadError.self) { try await downloader.download(request()) }
        #expect(error?.code == .shutDown)
        try downloader.setLimits(Limits())
        let items = [MirrorItem([try Source(Self.url)], path: try RelativePath("file"))]
        let report = await downloader.mirror(MirrorJob(root: directory.filePath("copy")), of: items).report()
        #expect(!report.isComplete)
        #expect(report.failures.map(\.code) == [.shutDown], "\(report)")
    }

    @Test("a manager that was shut down says so, and can be shut down again")
    func shutDownManager() async throws {
        let manager = try await DownloadManager(.inMemory)
        try await manager.shutdown()
        try await manager.shutdown()
        let error = await #expect(throws: DownloadError.self) { try await manager.add(request()) }
        #expect(error?.code == .shutDown)
        let other = await #expect(throws: DownloadError.self) { try await manager.pause(.all) }
        #expect(other?.code == .shutDown)
    }

    @Test("TLS with a plain port fails with OpenSSL's reason")
    func plainPort() async throws {
        let nginx = try await Nginx(server: "")
        let error = await #expect(throws: DownloadError.self) {
            try await Downloader.download(
                nginx.url("file").replacing("http://", with: "https://"),
                to: .directory(directory.filePath("")), configuration: configuration)
        }
        #expect(error?.code == .tlsFailed)
        #expect(
            error?.message.contains("wrong version number") == true
                || error?.message.contains("packet length") == true,
            "\(String(describing: error))")
    }

    @Test("no message contains the secret of a query")
    func secrets() async throws {
        server.add(.status(404), to: Self.url)
        let error = await failure(of: try request())
        #expect(error?.url == "http://host.example/file?…")
        #expect(
            "\(String(describing: error)) \(error?.localizedDescription ?? "")".contains("s3cret") == false)
    }
}

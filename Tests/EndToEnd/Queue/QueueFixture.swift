import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

/// A queue in its own directory, and a scenario of the test server.
struct QueueFixture: Sendable {
    let download: DownloadFixture
    var configuration: ManagerConfiguration

    init() async throws {
        download = try await DownloadFixture()
        configuration = ManagerConfiguration(store: download.directory.filePath("queue.sqlite"))
        configuration.downloads = download.configuration
        // A second connection would fetch the bytes at which the first one is held.
        configuration.downloads.segments = .fixed(1)
        configuration.retry.delay = .milliseconds(50)
    }

    var files: FilePath { download.directory.filePath("files") }

    func url(_ behaviour: String, _ size: Int64, _ name: String = "file.bin", _ query: String = "") -> String
    {
        download.server.url(behaviour, size, name: name, query)
    }

    func request(_ url: String) throws -> DownloadRequest {
        try DownloadRequest(url, to: .directory(files))
    }

    /// Opens the queue while `body` runs.
    func withManager<Result>(_ body: (DownloadManager) async throws -> Result) async throws -> Result {
        try await DownloadManager.withManager(configuration, body)
    }

    /// Waits until a download has received bytes.
    func waitForBytes(_ id: Receipt.ID, _ manager: DownloadManager) async throws {
        for await receipt in manager.progress(of: id, every: .milliseconds(5)) {
            if receipt.bytesCompleted > 0 { return }
        }
    }

    func expectExact(_ size: Int64, _ name: String = "file.bin", location: SourceLocation = #_sourceLocation)
        throws
    {
        try download.expectBytes(size, name: "files/\(name)", location: location)
    }

    var fileNames: [String] {
        ((try? TemporaryDirectory.names(of: download.directory.file("files"))) ?? []).sorted()
    }
}

extension QueueFixture {
    struct StillRequests: Error {}

    /// Waits until the server has detected that no connection is active.
    func waitForNoRequests() async throws {
        for _ in 0..<1000 {
            if try await download.server.peak().running == 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw StillRequests()
    }
}

import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

/// A queue in a directory of its own, and a scenario of the test server.
struct ManagerBench: Sendable {
    let bench: Bench
    var configuration: ManagerConfiguration

    init() async throws {
        bench = try await Bench()
        configuration = ManagerConfiguration(store: bench.directory.filePath("queue.sqlite"))
        configuration.downloads = bench.configuration
        // A second connection would bring what the first one is held at.
        configuration.downloads.segments = .fixed(1)
        configuration.retry.delay = 0.05
    }

    var files: FilePath { bench.directory.filePath("files") }

    func url(_ behaviour: String, _ size: Int64, _ name: String = "file.bin", _ query: String = "") -> String
    {
        bench.server.url(behaviour, size, name: name, query)
    }

    func request(_ url: String) throws -> DownloadRequest {
        try DownloadRequest(url, to: .directory(files))
    }

    /// Opens the queue for as long as `body` runs.
    func withManager<Result>(_ body: (DownloadManager) async throws -> Result) async throws -> Result {
        try await DownloadManager.withManager(configuration, body)
    }

    /// Waits until a download has received something.
    func waitForBytes(_ id: Receipt.ID, _ manager: DownloadManager) async throws {
        for await receipt in manager.progress(of: id, every: .milliseconds(5)) {
            if receipt.bytesCompleted > 0 { return }
        }
    }

    func expectExact(_ size: Int64, _ name: String = "file.bin", location: SourceLocation = #_sourceLocation)
        throws
    {
        try bench.expectBytes(size, name: "files/\(name)", location: location)
    }

    var fileNames: [String] {
        ((try? TemporaryDirectory.names(of: bench.directory.file("files"))) ?? []).sorted()
    }
}

extension ManagerBench {
    struct StillRequests: Error {}

    /// Waits until the server has noticed that no connection is at work any more.
    func waitForNoRequests() async throws {
        for _ in 0..<1000 {
            if try await bench.server.peak().running == 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw StillRequests()
    }
}

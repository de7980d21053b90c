public import SegmentedDL
import TestContent
public import Testing

/// A downloader, a directory and a scenario of the test server for one test.
public struct DownloadFixture: Sendable {
    public let server: TestServerProcess.Scenario
    public let directory: TemporaryDirectory
    public var configuration = Configuration()

    public init() async throws {
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
        configuration.retry.retries = 3
        configuration.retry.delay = .milliseconds(50)
        configuration.retry.longestOutage = .zero
        configuration.minimumSegmentSize = 64 * 1024
    }

    public func request(_ url: String, to name: String = "file.bin") throws -> DownloadRequest {
        try DownloadRequest(url, to: .file(directory.filePath(name)))
    }

    /// Downloads with a separate downloader, which is shut down afterwards.
    public func download(_ request: DownloadRequest, segments: Int = 4) async throws -> DownloadResult {
        var configuration = configuration
        configuration.segments = .fixed(segments)
        let downloader = try Downloader(configuration)
        do {
            let result = try await downloader.download(request)
            await downloader.shutdown()
            return result
        } catch {
            await downloader.shutdown()
            throw error
        }
    }

    /// Expects that the directory contains exactly the finished file, with the exact bytes.
    public func expectExact(
        _ length: Int64, seed: UInt64 = 1, name: String = "file.bin",
        location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(directory.names == [name], sourceLocation: location)
        try expectBytes(length, seed: seed, name: name, location: location)
    }

    /// Expects that a file has exactly these bytes, regardless of other files in the directory.
    public func expectBytes(
        _ length: Int64, seed: UInt64 = 1, name: String = "file.bin",
        location: SourceLocation = #_sourceLocation
    ) throws {
        let mismatch = try TestContent(seed: seed).firstMismatch(inFile: directory.file(name), length: length)
        #expect(mismatch == nil, "differs at \(mismatch ?? -1)", sourceLocation: location)
    }

    public func expectNoFinalFile(name: String = "file.bin", location: SourceLocation = #_sourceLocation) {
        #expect(!directory.names.contains(name), sourceLocation: location)
    }

    /// The error of a download that must fail.
    public func failure(_ request: DownloadRequest, segments: Int = 4) async throws -> DownloadError {
        do {
            let result = try await download(request, segments: segments)
            Issue.record("succeeded: \(result)")
        } catch let error as DownloadError {
            return error
        }
        throw Unexpected()
    }

    public struct Unexpected: Error {}
}

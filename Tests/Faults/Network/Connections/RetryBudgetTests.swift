import SegmentedDL
import TestSupport
import Testing

@Suite("The retry budget", .timeLimit(.minutes(10)))
struct RetryBudgetTests {
    @Test("is restored by each byte of progress", arguments: ["reset", "short-body"])
    func progress(behaviour: String) async throws {
        var bench = try await DownloadFixture()
        bench.configuration.retry.retries = 1
        let url = bench.server.url(behaviour, 400_000, "times=1000&at=20000")
        _ = try await bench.download(bench.request(url), segments: 1)
        try bench.expectExact(400_000)
        #expect(try await bench.server.peak().requests >= 20)
    }

    @Test("is spent by failures without progress, one request each", arguments: [0, 2])
    func noProgress(retries: Int) async throws {
        var bench = try await DownloadFixture()
        bench.configuration.retry.retries = retries
        let url = bench.server.url("hang-up-before-head", 400_000, "times=1000")
        let error = try await bench.failure(bench.request(url), segments: 4)
        #expect(error.code == .connectionFailed && error.isRetryable)
        #expect(bench.directory.names == [])
        #expect(try await bench.server.peak().requests == retries + 1)
    }

    @Test("spent midway leaves a file that the next run resumes")
    func resumes() async throws {
        var bench = try await DownloadFixture()
        bench.configuration.retry.retries = 0
        let url = bench.server.url("reset", 400_000, "times=1&at=200000")
        let error = try await bench.failure(bench.request(url), segments: 1)
        #expect(error.code == .connectionFailed && error.isRetryable)
        #expect(bench.directory.names == ["file.bin.part", "file.bin.part.segdl"])
        // A reset discards bytes that the receiver has not read yet, so only the manifest is reliable.
        let ranges = try ManifestInfo(path: bench.directory.filePath("file.bin.part.segdl")).trustedRanges
        let kept = try #require(ranges.first?.upperBound)
        #expect(ranges == [0..<kept] && kept <= 200_000)
        let result = try await bench.download(bench.request(url), segments: 1)
        #expect(result.bytesWritten == 400_000 - kept)
        try bench.expectExact(400_000)
        #expect(try await bench.server.requests().map(\.range) == ["bytes=0-", "bytes=\(kept)-"])
    }
}

import Foundation
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A download to a descriptor", .timeLimit(.minutes(10)))
struct DescriptorTests {
    private let size: Int64 = 8_000_000

    /// Returns a fixture for a download with a window that is a small part of the file.
    private func makeFixture() async throws -> DownloadFixture {
        var fixture = try await DownloadFixture()
        fixture.configuration.windowBytes = 1024 * 1024
        return fixture
    }

    /// Downloads to the fixture's open file over four connections.
    private func download(
        _ fixture: DownloadFixture, _ behaviour: String, _ query: String = "",
        _ change: (inout DownloadRequest) throws -> Void = { _ in }
    ) async throws -> DownloadResult {
        let file = try FileDescriptor.open(
            fixture.directory.filePath("file.bin"), .writeOnly, options: [.create, .truncate],
            permissions: .ownerReadWrite)
        defer { try? file.close() }
        var request = try DownloadRequest(
            fixture.server.url(behaviour, size, query), to: .descriptor(file))
        try change(&request)
        return try await fixture.download(request)
    }

    @Test("uses several connections, and writes the bytes in order")
    func segments() async throws {
        let fixture = try await makeFixture()
        let result = try await download(fixture, "plain", "rate=250000")
        try fixture.expectExact(size)
        #expect(result.path == nil && result.length == size && result.bytesWritten == size)
        #expect(try await fixture.server.peak().peakConcurrent == 4)
    }

    @Test("a correct digest is verified; a wrong one is an error at the end")
    func digests() async throws {
        let fixture = try await makeFixture()
        _ = try await download(fixture, "plain")
        let digest = try #require(
            try await FileDigest.compute([.sha256], of: fixture.directory.filePath("file.bin")).first)
        let result = try await download(fixture, "plain") { $0.checksums = [digest] }
        #expect(result.verified == [digest])
        let wrong = try Checksum(.sha256, String(repeating: "0", count: 64))
        let error = await #expect(throws: DownloadError.self) {
            _ = try await download(fixture, "plain") { $0.checksums = [wrong] }
        }
        #expect(error?.code == .checksumMismatch)
    }

    @Test(
        "faults of single connections do not affect the bytes",
        arguments: [
            ("reset", "at=50000&times=4&later=1"), ("rotating-etag", ""), ("ranges-sometimes", ""),
            ("short-body", "at=30000&times=3"), ("wrong-start", "times=2"), ("drip", "every=10"),
            ("limit", "k=2"),
        ])
    func faults(behaviour: String, query: String) async throws {
        let fixture = try await makeFixture()
        _ = try await download(fixture, behaviour, query)
        try fixture.expectExact(size)
    }

    @Test(
        "a lost stream without ranges continues with the bytes that were not yet written",
        arguments: ["rate=400000&at=1000000&times=2&whole=1", "at=100000&times=1&whole=1&etag=none"])
    func lostStream(query: String) async throws {
        let fixture = try await makeFixture()
        _ = try await download(fixture, "reset", query)
        try fixture.expectExact(size)
        #expect(try await fixture.server.requests().count > 1)
    }

    @Test("a lost stream is an error if the next one cannot be matched to the same file")
    func lostStreamUntold() async throws {
        let fixture = try await makeFixture()
        let error = await #expect(throws: DownloadError.self) {
            _ = try await download(fixture, "reset", "at=100000&times=1&whole=1&etag=none&lm=none")
        }
        #expect(error?.exitStatus == 2, "\(String(describing: error))")
        #expect(try await fixture.server.requests().count == 1)
    }

    @Test("a server that stops honouring ranges sends the rest as one stream")
    func rangesEnd() async throws {
        let fixture = try await makeFixture()
        _ = try await download(fixture, "ranges-only-first")
        try fixture.expectExact(size)
        let last = try #require(try await fixture.server.requests().last)
        #expect(last.status == 200 && last.bytesSent == size, "\(last)")
    }

    @Test("a file that changes during the transfer is an error, and its new bytes are not written")
    func changes() async throws {
        let fixture = try await makeFixture()
        let error = await #expect(throws: DownloadError.self) {
            _ = try await download(fixture, "changing", "after=3")
        }
        #expect(error?.code == .remoteFileChanged)
        let bytes = try fixture.directory.read("file.bin")
        #expect(bytes.count < size)
        #expect(bytes == TestContent(seed: 1).bytes(0..<Int64(bytes.count)))
    }

    @Test("mirrors contribute their parts")
    func mirrors() async throws {
        let fixture = try await makeFixture()
        let other = try await TestServerProcess.start()
        let mirror = other.scenario()
        _ = try await download(fixture, "plain", "rate=1000000") { request in
            request.mirrors = [try Source(mirror.url("plain", size, "rate=1000000"))]
        }
        try fixture.expectExact(size)
        #expect(try await mirror.peak().bytesSent > 0)
    }

    @Test("a reader that does not read limits the bytes fetched; once it reads, it gets all")
    func slowReader() async throws {
        var fixture = try await makeFixture()
        fixture.configuration.segments = .fixed(4)
        let downloader = try Downloader(fixture.configuration)
        let (reader, writer) = try FileDescriptor.pipe()
        let url = fixture.server.url("plain", size, "rate=4000000")
        let handle = downloader.start(try DownloadRequest(url, to: .descriptor(writer)))
        let window = fixture.configuration.windowBytes
        // It is full once nothing is in flight any more, long before the file is complete.
        while handle.currentProgress.bytesCompleted < window / 2
            || !handle.currentProgress.activeSegments.isEmpty
        { try await Task.sleep(for: .milliseconds(5)) }
        #expect(handle.state == .downloading)
        // A pipe holds 64 KiB, and the drain holds a piece.
        #expect(handle.currentProgress.bytesCompleted <= window + 512 * 1024)
        // The first response is cut after its first piece, when the server has already sent a little more.
        #expect(try await fixture.server.peak().bytesSent <= window + 1024 * 1024)
        let bytes = Task.detached { [size] in
            var bytes: [UInt8] = []
            while Int64(bytes.count) < size {
                try bytes.append(contentsOf: Self.some(of: reader))
                #expect(handle.currentProgress.bytesCompleted <= Int64(bytes.count) + window + 512 * 1024)
            }
            return bytes
        }
        #expect(try await handle.result.length == size)
        #expect(try await bytes.value == TestContent(seed: 1).bytes(0..<size))
        try writer.close()
        try reader.close()
        await downloader.shutdown()
    }

    private static func some(of reader: FileDescriptor) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 100_000) { buffer, count in
            count = try reader.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    @Test("can be cancelled while its reader does not read")
    func cancelled() async throws {
        let fixture = try await makeFixture()
        let downloader = try Downloader(fixture.configuration)
        let (reader, writer) = try FileDescriptor.pipe()
        let handle = downloader.start(
            try DownloadRequest(fixture.server.url("plain", size), to: .descriptor(writer)))
        while handle.currentProgress.bytesCompleted < 200_000 {
            try await Task.sleep(for: .milliseconds(5))
        }
        handle.cancel()
        let error = await #expect(throws: DownloadError.self) { _ = try await handle.result }
        #expect(error?.code == .cancelled)
        await downloader.shutdown()
        // The write that is waiting for the reader is the last one.
        try writer.close()
        var count = 0
        while case let bytes = try Self.some(of: reader), !bytes.isEmpty { count += bytes.count }
        #expect(count < size)
        try reader.close()
    }
}

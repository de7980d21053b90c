import Foundation
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// Bytes of a part file that change between two runs, as on a faulty disk: no date shows it.
@Suite(
    "A byte that changes on disk between two runs",
    .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct ChangedBytesTests {
    private static let size: Int64 = 13_000_000
    private static let kept: Int64 = 9_000_000
    private static let extent: Int64 = 4 << 20

    /// Returns a fixture with an unfinished file.
    private func interrupted(
        _ query: String = "hold=\(kept)", checksResumedBytes: Bool = true, isChecked: Bool = false
    ) async throws -> (fixture: DownloadFixture, request: DownloadRequest) {
        var fixture = try await DownloadFixture()
        fixture.configuration.checksResumedBytes = checksResumedBytes
        var request = try fixture.request(fixture.server.url("plain", Self.size, query))
        if isChecked { request.checksums = [try await checksum()] }
        try await fixture.interrupt(request, at: Self.kept)
        return (fixture, request)
    }

    /// Computed by the system's tool, not by the code under test.
    private func checksum() async throws -> Checksum {
        let directory = try TemporaryDirectory()
        try TestContent(seed: 1).write(to: directory.file("f"), length: Self.size)
        let sum = try await ChildProcess("/usr/bin/sha256sum", [directory.file("f")]).result()
        return try Checksum(parsing: "sha256=" + sum.output.prefix(64))
    }

    private func flip(
        _ offset: Int64, of name: String = "file.bin.part", in directory: TemporaryDirectory
    ) async throws {
        let part = directory.file(name)
        let byte = try directory.read(name)[Int(offset)] ^ 4
        try await Disk.shell(
            """
            touch -r '\(part)' '\(part).date'
            printf '\\\(String(byte, radix: 8))' | dd of='\(part)' bs=1 seek=\(offset) conv=notrunc status=none
            touch -r '\(part).date' '\(part)' && rm '\(part).date'
            """)
    }

    private func trusted(_ fixture: DownloadFixture) throws -> Int64 {
        try ManifestInfo(path: fixture.directory.filePath("file.bin.part.segdl")).trustedRanges
            .reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    }

    @Test(
        "costs only its extent, and the file is exact",
        arguments: [0, 4_194_303, 8_400_000], [false, true])
    func oneExtent(offset: Int64, isChecked: Bool) async throws {
        let (fixture, request) = try await interrupted(isChecked: isChecked)
        let kept = try trusted(fixture)
        #expect(kept >= Self.kept)
        try await flip(offset, in: fixture.directory)
        let result = try await fixture.download(request, segments: 1)
        try fixture.expectExact(Self.size)
        let isLast = offset > 2 * Self.extent
        let again = isLast ? kept - 2 * Self.extent : Self.extent
        #expect(result.bytesReceived >= Self.size - kept + again)
        #expect(result.bytesReceived < Self.size - kept + again + 1_000_000)
    }

    @Test("costs nothing if it did not change")
    func none() async throws {
        let (fixture, request) = try await interrupted()
        let kept = try trusted(fixture)
        let result = try await fixture.download(request, segments: 1)
        try fixture.expectExact(Self.size)
        #expect(result.bytesReceived == Self.size - kept)
    }

    @Test(
        "costs nothing if only the date of the part file has changed, because fingerprints are more precise")
    func dateAlone() async throws {
        let (fixture, request) = try await interrupted()
        let kept = try trusted(fixture)
        try await Disk.shell("touch -d '1 hour ago' '\(fixture.directory.file("file.bin.part.segdl"))'")
        let result = try await fixture.download(request, segments: 1)
        try fixture.expectExact(Self.size)
        #expect(result.bytesReceived == Self.size - kept)
    }

    @Test("is detected in each of several runs, by the fingerprints of the first")
    func secondRun() async throws {
        var (fixture, request) = try await interrupted()
        fixture.configuration.ratePerFile = 500_000
        try await fixture.interrupt(request, at: try trusted(fixture) + 300_000)
        fixture.configuration.ratePerFile = nil
        try await flip(1_000_000, in: fixture.directory)
        _ = try await fixture.download(request, segments: 1)
        try fixture.expectExact(Self.size)
    }

    @Test("is detected even if only the final name was missing")
    func completePart() async throws {
        let fixture = try await DiskFaultFixture(.fresh, options: ["--progress", "plain"])
        let killed = try await fixture.run(Shim.Fault(kind: .killBefore, call: 1, only: ["renameat2"]))
        #expect(killed.result.signal == SIGKILL, "\(killed.result)")
        let manifest = try #require(try fixture.manifest())
        #expect(manifest.trustsAll(boot: manifest.boot))
        try await flip(700_000, of: "f.bin.part", in: fixture.directory)
        let again = try await fixture.run()
        #expect(again.result.status == 0, "\(again.result)")
        #expect(again.result.errors.contains("changed on the disk"), "\(again.result)")
        #expect(try fixture.mismatch() == nil)
        #expect(try fixture.names() == [DiskFaultFixture.name])
    }

    @Test("is not checked if the settings trust the disk")
    func trusting() async throws {
        let (fixture, request) = try await interrupted(checksResumedBytes: false)
        let kept = try trusted(fixture)
        try await flip(3_000_000, in: fixture.directory)
        let result = try await fixture.download(request, segments: 1)
        #expect(result.bytesReceived == Self.size - kept)
        let mismatch = try TestContent(seed: 1).firstMismatch(
            inFile: fixture.directory.file("file.bin"), length: Self.size)
        #expect(mismatch == 3_000_000)
    }
}

import Foundation
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// A kill or a power cut can happen between any two calls, so their order is the guarantee.
@Suite(
    "The order of the last calls of a download",
    .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct FinishOrderTests {
    @Test(
        "is: the final name, its sync, and only then the removal of the manifest",
        arguments: [DiskFaultFixture.Variant.fresh, .resumed, .replacement])
    func nameBeforeManifest(variant: DiskFaultFixture.Variant) async throws {
        let fixture = try await DiskFaultFixture(variant)
        let run = try await fixture.run()
        #expect(run.result.status == 0, "\(run.result)")
        let calls = run.log.calls
        let naming = try #require(
            calls.lastIndex { ["rename", "renameat2"].contains($0.name) && $0.file.hasSuffix(".part") })
        let behind = calls[naming...]
        let sync = try #require(behind.firstIndex { $0.name == "fsync" })
        let removal = try #require(
            behind.firstIndex { $0.name == "unlink" && $0.file.hasSuffix(".part.segdl") })
        #expect(sync < removal)
        #expect(!calls[..<naming].contains { $0.name == "unlink" && $0.file.hasSuffix(".part.segdl") })
    }

    /// A directory on a different file system than temporary files.
    private static let elsewhere: String? = {
        let usual = try? SystemCalls.statusFollowingLinks(FilePath(NSTemporaryDirectory())).device
        let other = try? SystemCalls.statusFollowingLinks("/dev/shm").device
        guard let other, other != usual else { return nil }
        return "/dev/shm/segdl-test-\(UUID().uuidString)"
    }()

    @Test(
        "from another file system begins with the sync of the copy",
        .enabled(if: FinishOrderTests.elsewhere != nil, "needs /dev/shm on another file system"))
    func copied() async throws {
        let incomplete = try #require(Self.elsewhere)
        defer { try? FileManager.default.removeItem(atPath: incomplete) }
        let server = try await SharedServer.scenario()
        let (directory, logs) = (try TemporaryDirectory(), try TemporaryDirectory())
        let url = server.url("plain", 3_000_000, name: "f.bin")
        let added = try await Segdl.run(
            ["queue", "add", "--queue", logs.file("queue.sqlite"), "-d", directory.path, url])
        #expect(added.status == 0, "\(added)")
        let result = try await Segdl.run(
            [
                "queue", "start", "--queue", logs.file("queue.sqlite"), "--until-idle", "--progress", "none",
                "--incomplete-directory", incomplete,
            ], environment: try await Shim.environment(watching: directory.path, log: logs.file("log")))
        #expect(result.status == 0, "\(result)")
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("f.bin"), length: 3_000_000) == nil)
        let calls = CallLog(String(decoding: try logs.read("log"), as: UTF8.self)).calls
        let moved = calls.filter { $0.file.hasSuffix("f.bin.part.move") }.map(\.name)
        let sync = try #require(moved.lastIndex(of: "fdatasync"))
        #expect(try #require(moved.lastIndex(of: "pwrite")) < sync)
        #expect(sync < (try #require(moved.lastIndex { $0 == "renameat2" || $0 == "rename" })))
        #expect(directory.names == ["f.bin"])
    }
}

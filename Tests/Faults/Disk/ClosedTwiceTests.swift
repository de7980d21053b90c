import Foundation
import SegmentedDLQueue
import TestContent
import TestSupport
import Testing

/// A second close of a file may close one that another thread has opened meanwhile. The shim aborts the
/// command at such a close.
@Suite(
    "An unusable file is closed once",
    .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct ClosedTwiceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// - Parameter output: The file for its output.
    private func run(
        _ arguments: [String], to output: String, _ fault: Shim.Fault? = nil
    ) async throws -> ChildProcess.Result {
        let logs = try TemporaryDirectory()
        var environment = try await Shim.environment(
            watching: directory.path, log: logs.file("calls"), fault)
        environment["TMPDIR"] = directory.path
        return try await ChildProcess(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" >\(output)", Segdl.path] + arguments,
            directory: directory.path, environment: environment
        ).resultUnlessItHangs()
    }

    @Test("if another process has the queue")
    func queue() async throws {
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.runsDownloads = false
        try await DownloadManager.withManager(configuration) { _ in
            let result = try await run(["queue", "start", "--queue", "queue.sqlite"], to: "out")
            #expect(result.status == 6, "\(result)")
            #expect(result.errors.contains("is already open"), "\(result)")
        }
    }

    @Test("if space is missing for bytes on their way to a pipe")
    func window() async throws {
        let server = try await SharedServer.scenario()
        let size: Int64 = 4_000_000
        let full = Shim.Fault(kind: .failure(ENOSPC), call: 1, only: ["fallocate"])
        let url = server.url("plain", size)
        let result = try await run(
            ["fetch", "-s", "4", "--min-segment-size", "256k", "-o", "-", url], to: "out", full)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("only one connection"), "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("out"), length: size) == nil)
    }
}

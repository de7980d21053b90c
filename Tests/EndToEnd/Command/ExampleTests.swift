import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

/// The library as a dependency of another package.
@Suite("The example program", .withExamples)
struct ExampleTests {
    @Test("queues twenty files, pauses all, survives two kills, and completes all exactly")
    func survives() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 400_000
        let store = fixture.directory.filePath("queue.sqlite")
        let arguments = [store.string, fixture.directory.file("files")]
        // In each run one file remains unfinished, however late this process checks.
        let scenarios = try await [SharedServer.scenario(), SharedServer.scenario()]
        let held = scenarios.enumerated().map {
            $1.url("plain", size, name: "\($0 + 1).bin", "hold-tail=2000")
        }
        let urls = (3...20).map { fixture.server.url("plain", size, name: "\($0).bin", "rate=400000") }

        let first = try ChildProcess(
            ExampleProgram.queueTwenty.path, arguments + [held[0]] + urls, keepsInputOpen: true)
        try await ExampleProgram.wait(store) { $0.count == 19 && $0.contains { $0.state == .downloading } }
        try first.type("p\n")
        try await ExampleProgram.wait(store) { receipts in
            receipts.contains { $0.state == .paused }
                && receipts.allSatisfy { $0.state == .paused || $0.state == .completed }
        }
        first.send(SIGKILL)
        #expect(await first.result().signal == SIGKILL)

        let second = try ChildProcess(
            ExampleProgram.queueTwenty.path, arguments + [held[1]], keepsInputOpen: true)
        try second.type("r\n")
        try await ExampleProgram.wait(store) { receipts in
            let done = receipts.count { $0.state == .completed }
            return done >= 8 && receipts.contains { $0.state == .downloading }
        }
        second.send(SIGKILL)
        #expect(await second.result().signal == SIGKILL)
        #expect(try DownloadManager.receipts(inStoreAt: store).contains { $0.state == .queued })

        for scenario in scenarios { try await scenario.release() }
        let third = try await ChildProcess(ExampleProgram.queueTwenty.path, arguments).result()
        #expect(third.status == 0, "\(third.errors)")
        #expect(third.output.hasSuffix("20 completed; 0 KiB/s\n"))
        for number in 1...20 { try fixture.expectBytes(size, name: "files/\(number).bin") }
        let names = try TemporaryDirectory.names(of: fixture.directory.file("files"))
        #expect(Set(names) == Set((1...20).map { "\($0).bin" }))
    }

    @Test("unpacks an archive when it is complete, and reports one that is not an archive as failed")
    func unpacks() async throws {
        let nginx = try await Nginx()
        try nginx.root.write("leaf", to: "leaf.txt")
        let tar = try ChildProcess(
            "/usr/bin/env", ["tar", "-czf", "tree.tar.gz", "leaf.txt"], directory: nginx.root.path)
        #expect(await tar.result().status == 0)
        try nginx.root.write("no archive", to: "broken.tar.gz")
        let directory = try TemporaryDirectory()
        let store = directory.file("queue.sqlite")
        let urls = ["tree.tar.gz", "broken.tar.gz"].map { nginx.url($0) }
        let result = try await ChildProcess(
            ExampleProgram.queueTwenty.path, [store, directory.file("files")] + urls
        ).result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try directory.read("files/leaf.txt") == Array("leaf".utf8))
        #expect(try directory.read("files/broken.tar.gz") == Array("no archive".utf8))
        let receipts = try DownloadManager.receipts(inStoreAt: FilePath(store))
        #expect(receipts.map(\.state) == [.completed, .failed])
        #expect(receipts.last?.error?.code == .completionFailed)
    }

    @Test("stops on SIGTERM, and resumes in its next run")
    func stops() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 2_000_000
        let url = fixture.server.url("plain", size, "hold-tail=2000")
        let store = fixture.directory.filePath("queue.sqlite")
        let program = try ChildProcess(
            ExampleProgram.untilTerminated.path, [url], directory: fixture.directory.path)
        try await ExampleProgram.wait(store) { $0.contains { $0.state == .downloading } }
        program.send(SIGTERM)
        let result = await program.result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "Stopped; the next run continues from here.\n")
        #expect(try DownloadManager.receipts(inStoreAt: store).map(\.state) == [.queued])
        try await fixture.server.release()

        let again = try await ChildProcess(
            ExampleProgram.untilTerminated.path, [], directory: fixture.directory.path
        ).result()
        #expect(again.output == "All is done.\n")
        try fixture.expectBytes(size, name: "files/file.bin")
    }
}

import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import TestContent
import TestSupport
import Testing

@Suite("segdl queue, killed repeatedly")
struct QueueKillTests {
    @Test("200 files, 50 kills: every file exact, none lost, none twice", .timeLimit(.minutes(10)))
    func kills() async throws {
        let fixture = try await QueueCommandFixture()
        // With `rename`, a file downloaded twice would exist under two names.
        try await fixture.add(200, size: 300_000, query: "rate=1000000", options: ["--if-exists", "rename"])
        let store = fixture.directory.filePath("queue.sqlite")
        func completed() throws -> Set<Receipt.ID> {
            Set(try DownloadManager.receipts(inStoreAt: store).filter { $0.state == .completed }.map(\.id))
        }
        var before: Set<Receipt.ID> = []
        for round in 1...50 {
            let process = try fixture.start("start", "-j", "8", "--keep-running", "--progress", "none")
            // One more file, and a short time: the kill happens at any step of the next ones.
            for _ in 0..<1000 {
                guard try completed().count < min(before.count + 1, 200) else { break }
                try await Task.sleep(for: .milliseconds(3))
            }
            try await Task.sleep(for: .milliseconds(.random(in: 0...60)))
            process.send(SIGKILL)
            let end = await process.result()
            #expect(end.signal == SIGKILL, "round \(round): \(end.errors)")
            let receipts = try DownloadManager.receipts(inStoreAt: store)
            #expect(receipts.map(\.id.rawValue) == Array(1...200))
            #expect(receipts.allSatisfy { $0.state == .completed || $0.state == .queued })
            // A complete file stays complete.
            let now = try completed()
            #expect(before.isSubset(of: now))
            before = now
        }
        let sent = try await fixture.server.peak().bytesSent
        let left = 200 - before.count
        let end = try await fixture.run("start", "-j", "8", "--progress", "none")
        #expect(end.status == 0, "\(end.errors)")
        let lines = try await fixture.list()
        #expect(lines.count == 200)
        #expect(lines.allSatisfy { $0.state == .completed && $0.bytesCompleted == 300_000 })
        #expect(fixture.fileNames.count == 200)
        for number in 1...200 {
            let file = fixture.directory.file("files/f\(number).bin")
            #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 300_000) == nil)
        }
        // A complete file was not requested again.
        #expect(try await fixture.server.peak().bytesSent - sent <= Int64(left) * 300_000)
        print("200 files, 50 kills; \(200 - left) were complete before the last run")
    }

    @Test("large files resume, with correct figures before the first byte arrives")
    func numbers() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.addHeld(2, size: 6_000_000, at: 2_000_000)
        let process = try fixture.start("start", "--progress", "none")
        try await fixture.wait { $0.allSatisfy { $0.bytesCompleted > 1_000_000 } }
        process.send(SIGKILL)
        _ = await process.result()
        let kept = try [1, 2].map { try Segdl.kept("files/f\($0).bin", in: fixture.directory) }
        // The next manager reads them from disk; nothing runs yet.
        try await fixture.must("move", "1", "--front")
        let lines = try await fixture.list()
        #expect(lines.map(\.bytesCompleted) == kept)
        #expect(lines.map(\.bytesTotal) == [6_000_000, 6_000_000])
        #expect(lines.map(\.state) == [.queued, .queued])
        try await fixture.must("start", "--progress", "none")
        for name in ["f1.bin", "f2.bin"] {
            let file = fixture.directory.file("files/\(name)")
            #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 6_000_000) == nil)
        }
        #expect(fixture.fileNames == ["f1.bin", "f2.bin"])
    }

    @Test("TERM makes checkpoints, exits with 143, and the next start resumes")
    func terminated() async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.addHeld(3, size: 4_000_000, at: 1_500_000)
        let process = try fixture.start("start", "--progress", "none")
        try await fixture.wait { $0.allSatisfy { $0.bytesCompleted > 500_000 } }
        process.send(SIGTERM)
        #expect(await process.result().status == 143)
        let lines = try await fixture.list()
        for line in lines {
            #expect(line.state == .queued)
            #expect(try line.bytesCompleted == Segdl.kept("files/f\(line.id).bin", in: fixture.directory))
        }
        try await fixture.must("start", "--progress", "none")
        #expect(try await fixture.list().allSatisfy { $0.state == .completed })
    }

    @Test(
        "--stay-paused leaves running downloads paused, even after another command",
        arguments: [false, true])
    func staysPaused(isBetween: Bool) async throws {
        let fixture = try await QueueCommandFixture()
        try await fixture.addHeld(2, size: 4_000_000, at: 1_500_000)
        try await fixture.must(
            "add", "-s", "1", "-d", "files", fixture.server.url("plain", 4_000_000, name: "f3.bin"))
        let process = try fixture.start("start", "-j", "2", "--progress", "none")
        try await fixture.wait { $0.count { $0.bytesCompleted > 0 } == 2 }
        process.send(SIGKILL)
        _ = await process.result()
        if isBetween { try await fixture.must("set", "3", "--priority", "0") }
        try await fixture.must("start", "-j", "2", "--stay-paused", "--progress", "none")
        #expect(try await fixture.list().map(\.state) == [.paused, .paused, .completed])
    }
}

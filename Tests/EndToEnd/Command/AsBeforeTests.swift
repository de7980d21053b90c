import Foundation
import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

/// Programs written as for older download managers, on top of the library.
@Suite("Programs ported from other download managers", .withExamples)
struct AsBeforeTests {
    private let directory: TemporaryDirectory
    private let nginx: Nginx

    init() async throws {
        directory = try TemporaryDirectory()
        nginx = try await Nginx()
        for name in ["a.txt", "b.txt", "ä ö.txt"] { try nginx.root.write("content of \(name)", to: name) }
    }

    /// Returns the lines printed by a program, in any order.
    private func run(_ program: String, _ urls: [String]) async throws -> Set<String> {
        let result = try await ChildProcess(
            ExampleProgram.asBefore.path, [program, directory.path] + urls, directory: directory.path
        ).result()
        #expect(result.status == 0, "\(result.errors)")
        return Set(result.output.split(separator: "\n").map(String.init))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try directory.read(name), as: UTF8.self)
    }

    @Test("receipts and closures by URL, and names by MD5")
    func receipts() async throws {
        let (good, bad) = (nginx.url("a.txt"), nginx.url("missing"))
        let lines = try await run("receipts", [good, bad])
        let name = try #require(
            lines.compactMap {
                $0.hasPrefix("\(good): ") && $0.hasSuffix(".txt") ? $0.dropFirst(good.count + 2) : nil
            }
            .first)
        #expect(name.count == 32 + 4)
        #expect(try text(String(name)) == "content of a.txt")
        #expect(lines.contains { $0.hasPrefix("\(bad): ") && $0.contains("404") })
    }

    @Test("keys, positions, events, and a decision about a file that exists")
    func byKey() async throws {
        try directory.write("mine", to: "b.txt")
        let lines = try await run("by-key", [nginx.url("a.txt"), nginx.url("b.txt")])
        for line in [
            "added: task-0", "added: task-1", "completed: task-0", "removed: task-0", "second: task-1",
            "exists: b.txt of task-1",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(try text("b.txt") == "mine")
        #expect(try text("a.txt") == "content of a.txt")
    }

    @Test("pasted URLs, digests, and a hook after each file")
    func careful() async throws {
        let wrong = "md5=00000000000000000000000000000000"
        let lines = try await run("careful", [nginx.url("ä ö.txt"), "\(nginx.url("a.txt"))#\(wrong)"])
        #expect(lines.contains("complete: ä ö.txt"))
        #expect(lines.contains("\(nginx.url("a.txt")): failed"))
        #expect(try text("files/ä ö.txt") == "content of ä ö.txt")
        #expect(!directory.exists("files/a.txt"))
    }

    @Test("a queue of three in a few lines")
    func queueOfThree() async throws {
        let urls = ["a.txt", "b.txt", "missing"].map { nginx.url($0) }
        let lines = try await run("queue-of-three", urls)
        #expect(lines == ["\(urls[0]): completed", "\(urls[1]): completed", "\(urls[2]): failed"])
    }

    @Test("a destination chosen from the response, notifications, a refusal's response, and the file's URL")
    func session() async throws {
        let (good, bad) = (nginx.url("a.txt"), nginx.url("missing"))
        let lines = try await run("session", [good, bad])
        for line in [
            "206 from \(good): \(directory.path)/texts/a.txt", "404 from \(bad): text/html",
            "completed is posted of \(good)", "failed is posted of \(bad)",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(try text("texts/a.txt") == "content of a.txt")
    }

    @Test("receipts survive a kill: at most four run, and the next run fetches the rest of each")
    func receiptsAfterKill() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 3_000_000
        let urls = (1...5).map { fixture.server.url("plain", size, name: "\($0).bin", "hold-tail=2000") }
        let arguments = ["receipts", fixture.directory.path] + urls
        let store = fixture.directory.filePath("queue.sqlite")
        let first = try ChildProcess(ExampleProgram.asBefore.path, arguments)
        let before = try await ExampleProgram.wait(store) { receipts in
            receipts.count { $0.state == .downloading && $0.bytesCompleted > size / 2 } == 4
                && receipts.count { $0.state == .queued } == 1
        }
        first.send(SIGKILL)
        #expect(await first.result().signal == SIGKILL)
        try await fixture.server.release()

        let second = try await ChildProcess(ExampleProgram.asBefore.path, arguments).result()
        #expect(second.status == 0, "\(second.errors)")
        let receipts = try DownloadManager.receipts(inStoreAt: store)
        #expect(receipts.map(\.state) == Array(repeating: .completed, count: 5))
        for receipt in receipts {
            try fixture.expectBytes(size, name: try #require(receipt.path?.lastComponent?.string))
        }
        let whole = try await fixture.server.requests().filter { $0.range == "bytes=0-" }
        for receipt in before where receipt.state == .downloading {
            #expect(whole.count { receipt.source.url.hasSuffix($0.target) } == 1, "\(receipt.source)")
        }
    }
}

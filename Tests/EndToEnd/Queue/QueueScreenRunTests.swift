import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite(.serialized, .timeLimit(.minutes(10))) struct QueueScreenRunTests {
    private let fixture: DownloadFixture
    private let terminal: PseudoTerminal

    init() async throws {
        fixture = try await DownloadFixture()
        terminal = try PseudoTerminal()
    }

    /// Shows a queue of these URLs while `body` types and checks.
    private func run(
        _ urls: [String], endsWhenIdle: Bool = false,
        _ body: (DownloadManager, Task<QueueScreenRun.End, Never>) async throws -> Void = { _, _ in }
    ) async throws -> QueueScreenRun.End {
        var configuration = ManagerConfiguration(store: fixture.directory.filePath("queue.sqlite"))
        configuration.downloads = fixture.configuration
        let files = fixture.directory.filePath("files")
        return try await DownloadManager.withManager(configuration) { manager in
            for url in urls { try await manager.add(DownloadRequest(url, to: .directory(files))) }
            let window = FullScreen(input: terminal.inside, output: terminal.inside, color: false)
            let run = QueueScreenRun(
                manager: manager, messages: MessageLog(), endsWhenIdle: endsWhenIdle,
                terminal: Terminal { ["TERM": "xterm"][$0] }, window: window)
            let task = Task { await run.run() }
            try await body(manager, task)
            let end = await task.value
            #expect(terminal.isCooked)
            return end
        }
    }

    private func slow(_ name: String) -> String {
        fixture.server.url("plain", 10_000_000, name: name, "rate=100000")
    }

    /// Waits until a text was written.
    private func see(_ text: String) async throws {
        var seen = ""
        while !seen.contains(text) {
            seen += terminal.written()
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func keysReachTheManager() async throws {
        let end = try await run([slow("one.bin"), slow("two.bin")]) { manager, _ in
            try await see("two.bin")
            terminal.type("jp")
            try await see("paused")
            #expect(await manager.receipts.map(\.state).last == .paused)
            terminal.type("K")
            try await see("1;1H")
            while await manager.receipts.first?.path?.lastComponent != "two.bin" {
                try await Task.sleep(for: .milliseconds(10))
            }
            terminal.type("xy")
            while await manager.receipts.count == 2 { try await Task.sleep(for: .milliseconds(10)) }
            terminal.type("q")
        }
        #expect(end == .quit)
    }

    @Test func endsWhenAllIsDone() async throws {
        let end = try await run([fixture.server.url("plain", 1000, name: "a.bin", "")], endsWhenIdle: true)
        #expect(end == .idle)
    }

    @Test func whatTheUserPausedIsNoEnd() async throws {
        let end = try await run([slow("one.bin")], endsWhenIdle: true) { _, task in
            try await see("one.bin")
            terminal.type("P")
            try await see("paused")
            try await Task.sleep(for: .milliseconds(500))
            #expect(!terminal.isCooked)
            task.cancel()
        }
        #expect(end == .cancelled)
    }
}

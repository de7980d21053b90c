import Foundation
import SegmentedDLSupport
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// The closure that chooses the path of a small file, on the fast path.
@Suite("Paths chosen on the fast path", .timeLimit(.minutes(5)))
struct FastPathChoiceTests {
    private static let size: Int64 = 3000
    private static let number = 7

    private struct Refusal: Error {}
    private struct HasLeft: Error {}
    private struct NoFastPath: Error {}

    /// A host that is known to send small files, and a fast path to it.
    private struct Stand {
        let directory: TemporaryDirectory
        let server: TestServerProcess.Scenario
        let downloader: Downloader
        let fastPath: FastPath

        init() async throws {
            directory = try TemporaryDirectory()
            server = try await SharedServer.scenario()
            downloader = try Downloader(Configuration())
            for number in 0..<4 {
                let url = server.url("plain", FastPathChoiceTests.size, name: "f\(number)")
                let request = try DownloadRequest(url, to: .file(directory.filePath("f\(number)")))
                _ = try await downloader.start(request).result
            }
            guard let fastPath = downloader.makeFastPath() else { throw NoFastPath() }
            self.fastPath = fastPath
        }

        /// Adds a file whose expected name is `name`.
        func add(
            _ choose: @escaping @Sendable (ResponseInfo) async throws -> FilePath?,
            _ edit: (inout DownloadRequest) -> Void = { _ in }
        ) async throws -> FastPathBatch {
            let url = server.url("plain", FastPathChoiceTests.size, name: "name")
            var task = DownloadTask(try DownloadRequest(url, to: .file(directory.filePath("name"))))
            edit(&task.request)
            task.hooks.choosePath = choose
            #expect(fastPath.mayEnter(task))
            return await fastPath.add([FastPath.Entry(id: FastPathChoiceTests.number, task: task)])
        }

        /// Returns the event of the only file, and ends the run.
        func event(of batch: FastPathBatch) async throws -> FastPathBatch.Event {
            async let run: Void = fastPath.run()
            let event = try #require(await batch.next())
            #expect(await batch.next() == nil)
            fastPath.finish()
            await run
            await downloader.shutdown()
            return event
        }

        func expectExact(_ name: String) throws {
            let file = directory.file(name)
            #expect(
                try TestContent(seed: 1).firstMismatch(inFile: file, length: FastPathChoiceTests.size) == nil)
        }

        func exists(_ name: String) -> Bool { directory.exists(name) }
    }

    private func result(_ event: FastPathBatch.Event) throws -> DownloadResult {
        guard case .ended(let ends) = event else { throw HasLeft() }
        #expect(ends.count == 1 && ends[0].id == Self.number)
        return try ends[0].result.get()
    }

    private func hasLeft(_ event: FastPathBatch.Event) -> Bool {
        if case .left(let entries) = event { entries.map(\.id) == [Self.number] } else { false }
    }

    @Test("a file is stored at the chosen path, whose directory is created")
    func chosen() async throws {
        let stand = try await Stand()
        let path = stand.directory.filePath("new/chosen")
        let result = try result(
            try await stand.event(
                of: stand.add { response in
                    #expect(response.status == 200 || response.status == 206)
                    #expect(response.length == Self.size && response.suggestedName == "name")
                    return path
                }))
        #expect(result.path == path && result.length == Self.size)
        try stand.expectExact("new/chosen")
        #expect(!stand.exists("name"))
        #expect(try await stand.server.peak().requests == 5)
    }

    @Test("without a choice it is stored at the expected path")
    func expected() async throws {
        let stand = try await Stand()
        let result = try result(try await stand.event(of: stand.add { _ in nil }))
        #expect(result.path == stand.directory.filePath("name"))
        try stand.expectExact("name")
    }

    @Test(
        "it leaves if the chosen name, or one that it needs, is taken",
        arguments: ["", ".part", ".part.segdl"])
    func taken(ending: String) async throws {
        let stand = try await Stand()
        try stand.directory.write("other", to: "chosen\(ending)")
        let path = stand.directory.filePath("chosen")
        #expect(hasLeft(try await stand.event(of: stand.add { _ in path })))
        #expect(!stand.exists("name"))
        #expect(
            try String(contentsOfFile: stand.directory.file("chosen\(ending)"), encoding: .utf8) == "other")
    }

    @Test("it leaves, or fails with the closure's error, if the closure throws that")
    func errors() async throws {
        let leaving = try await Stand()
        #expect(hasLeft(try await leaving.event(of: leaving.add { _ in throw LeavesFastPath() })))
        let failing = try await Stand()
        let event = try await failing.event(of: failing.add { _ in throw Refusal() })
        #expect(throws: Refusal.self) { try result(event) }
        #expect(!failing.exists("name") && !leaving.exists("name"))
    }

    /// Waits until its task is cancelled.
    @Sendable
    private static func never() async throws -> FilePath? {
        try await Task.sleep(for: .seconds(3600))
        return nil
    }

    @Test("a withdrawn file leaves when the cancelled closure has returned")
    func withdrawn() async throws {
        let (stand, asked) = (try await Stand(), AsyncEvent())
        let batch = try await stand.add { _ in
            asked.send()
            return try await Self.never()
        }
        async let event = stand.event(of: batch)
        await asked.wait()
        stand.fastPath.withdraw([Self.number])
        #expect(hasLeft(try await event))
        #expect(!stand.exists("name"))
    }

    @Test("a file that is withdrawn after its response leaves without a call of the closure")
    func withdrawnBefore() async throws {
        let stand = try await Stand()
        let batch = try await stand.add { _ in
            Issue.record("The closure was called.")
            return nil
        }
        let fastPath = stand.fastPath
        let first = fastPath.state.withLock { $0.hosts.keys.first }
        let host = try #require(first)
        guard case .send = fastPath.next(host, endsIdle: false, isBehind: false) else { throw NoFastPath() }
        let body = [UInt8](repeating: 1, count: Int(Self.size))
        let head = ResponseHead(status: 200, fields: [HTTPHeader("Content-Length", "\(body.count)")])
        let refusal = fastPath.answered(
            Self.number, .complete(head, body: body, opened: true, wasAlone: true), from: host)
        #expect(refusal == nil && fastPath.state.withLock { $0.storing } == 1)
        fastPath.withdraw([Self.number])
        #expect(hasLeft(try await stand.event(of: batch)))
        #expect(fastPath.state.withLock { $0.storing } == 0)
        #expect(!stand.exists("name"))
    }

    @Test("a cancelled run cancels the closure, and ends the file as cancelled")
    func cancelled() async throws {
        let (stand, asked) = (try await Stand(), AsyncEvent())
        let batch = try await stand.add { _ in
            asked.send()
            return try await Self.never()
        }
        let run = Task { await stand.fastPath.run() }
        await asked.wait()
        run.cancel()
        await run.value
        let event = try #require(await batch.next())
        #expect(throws: CancellationError.self) { try result(event) }
        #expect(!stand.exists("name"))
        await stand.downloader.shutdown()
    }

    @Test("with the policy to rename, a name that is taken in the meantime is left to an ordinary download")
    func renamed() async throws {
        let stand = try await Stand()
        let directory = stand.directory
        let batch = try await stand.add(
            { _ in
                try directory.write("other", to: "name")
                return nil
            }, { $0.ifExists = .rename })
        #expect(hasLeft(try await stand.event(of: batch)))
        #expect(try String(contentsOfFile: directory.file("name"), encoding: .utf8) == "other")
        #expect(!stand.exists("name.1"))
    }
}

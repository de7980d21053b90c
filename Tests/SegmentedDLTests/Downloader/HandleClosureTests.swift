import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// Every call to a handle and its downloader from the closures of a download: none may hang.
@Suite("Calls in a closure of a download", .timeLimit(.minutes(10)))
struct HandleClosureTests {
    private struct Verb: Sendable {
        let name: String
        let call: @Sendable (DownloadHandle, Downloader) async throws -> Void

        init(_ name: String, _ call: @escaping @Sendable (DownloadHandle, Downloader) async throws -> Void) {
            self.name = name
            self.call = call
        }
    }

    private static let verbs: [Verb] = [
        Verb("result") { handle, _ in _ = try await handle.result },
        Verb("progress") { handle, _ in
            for await _ in handle.progress(every: .milliseconds(1)) {}
        },
        Verb("pause and resume") { handle, _ in
            await handle.pause()
            handle.resume()
        },
        Verb("cancel") { handle, _ in handle.cancel() },
        Verb("follow") { handle, _ in handle.follow { _ in } },
        Verb("inspect") { _, downloader in
            _ = try await downloader.inspect(DownloadRequest("http://host/b", to: .directory("/tmp")))
        },
        Verb("setLimits") { _, downloader in try downloader.setLimits(Limits()) },
        Verb("shutdown") { _, downloader in await downloader.shutdown() },
    ]

    private func downloader() -> Downloader {
        var configuration = Configuration()
        configuration.durability = .process
        configuration.limits.activeFiles = 1
        let engine = MemoryEngine { request, _ in .honest([1, 2, 3], request.range) }
        return Downloader(configuration: configuration, engine: engine)
    }

    @Test("each returns or throws in the closures of a handle", arguments: [false, true])
    func followed(isCompletion: Bool) async throws {
        for verb in Self.verbs {
            let directory = try TemporaryDirectory()
            let downloader = downloader()
            let handle = downloader.start(
                try DownloadRequest("http://host/a", to: .file(directory.filePath("a"))))
            let hasCalled = OnceFlag()
            let call: @Sendable () async -> Void = {
                guard hasCalled.raise() else { return }
                try? await verb.call(handle, downloader)
            }
            await handle.follow(every: .milliseconds(1)) { _ in
                if !isCompletion { await call() }
            } onCompletion: { _ in
                if isCompletion { await call() }
            }.value
            #expect(hasCalled.isRaised, "\(verb.name)")
        }
    }

    @Test("a download goes on while its own closure downloads another file or shuts the downloader down")
    func nested() async throws {
        let directory = try TemporaryDirectory()
        let downloader = downloader()
        let hasCalled = OnceFlag()
        let other = try DownloadRequest("http://host/b", to: .file(directory.filePath("b")))
        let request = try DownloadRequest("http://host/a", to: .file(directory.filePath("a")))
        let result = try await downloader.download(request, every: .milliseconds(1)) { progress in
            if hasCalled.raise() { _ = try? await downloader.download(other) }
            if progress.state.isFinal { await downloader.shutdown() }
        }
        #expect(result.length == 3)
        #expect(directory.names == ["a", "b"])
    }
}

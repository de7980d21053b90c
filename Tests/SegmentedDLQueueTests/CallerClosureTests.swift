import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// How a queue handles errors of its caller's closures, with an engine in memory.
@Suite("Closures that fail")
struct CallerClosureTests {
    private struct Mine: Error, Equatable {}

    private func failure(_ configure: (inout ManagerConfiguration) -> Void) async throws -> Receipt {
        var memory = try MemoryManager()
        configure(&memory.configuration)
        return try await memory.run { [files = memory.files] manager in
            let id = try await manager.add(DownloadRequest("http://host/file", to: .directory(files))).id
            try await manager.waitUntilIdle()
            return try #require(await manager.receipt(id))
        }
    }

    @Test("one that supplies headers is named, and so is its error")
    func authorize() async throws {
        let receipt = try await failure { $0.authorize = { _, _ in throw Mine() } }
        #expect(receipt.state == .failed)
        #expect(receipt.error?.code == .closureFailed)
        #expect(receipt.error?.message.contains("headers of http://host/file") == true)
        #expect(receipt.error?.message.contains("Mine()") == true)
    }

    @Test("its cancellation, without one of the download, is a failure and not a loop")
    func cancelled() async throws {
        let first = try await failure { $0.authorize = { _, _ in throw CancellationError() } }
        #expect(first.error?.code == .closureFailed)
        let second = try await failure { $0.chooseDestination = { _, _, _ in throw CancellationError() } }
        #expect(second.error?.code == .closureFailed)
    }

    @Test("an error that is a download's keeps its own code")
    func own() async throws {
        let receipt = try await failure {
            $0.chooseDestination = { _, _, _ in throw DownloadError(.permissionDenied, "Not there.") }
        }
        #expect(receipt.error?.code == .permissionDenied)
    }
}

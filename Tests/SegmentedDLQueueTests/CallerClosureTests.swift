import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// How a queue handles errors of its caller's closures, with an engine in memory.
@Suite("Failing closures")
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

    @Test("of headers are named, with their error")
    func authorize() async throws {
        let receipt = try await failure { $0.authorize = { _, _ in throw Mine() } }
        #expect(receipt.state == .failed)
        #expect(receipt.error?.code == .closureFailed)
        #expect(receipt.error?.message.contains("headers of http://host/file") == true)
        #expect(receipt.error?.message.contains("Mine()") == true)
    }

    @Test("that throw a cancellation without one of the download fail and do not loop")
    func cancelled() async throws {
        let first = try await failure { $0.authorize = { _, _ in throw CancellationError() } }
        #expect(first.error?.code == .closureFailed)
        let second = try await failure { $0.chooseDestination = { _, _, _ in throw CancellationError() } }
        #expect(second.error?.code == .closureFailed)
    }

    @Test("that throw an error of a download keep its code")
    func own() async throws {
        let receipt = try await failure {
            $0.chooseDestination = { _, _, _ in throw DownloadError(.permissionDenied, "Not there.") }
        }
        #expect(receipt.error?.code == .permissionDenied)
    }
}

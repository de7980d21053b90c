import Foundation
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// How a queue handles errors of its caller's closures, with an engine in memory.
@Suite("Failing closures")
struct CallerClosureTests {
    private struct Mine: Error, Equatable {}

    private struct Refusal: LocalizedError {
        var errorDescription: String? { "The user said no." }
        var recoverySuggestion: String? { "Bring them coffee: it helps." }
    }

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

    /// Returns the error of `result(of:)`, and the stored one after the queue was opened again.
    private func errors(
        _ configure: (inout ManagerConfiguration) -> Void
    ) async throws -> (live: DownloadError?, stored: DownloadError?) {
        var memory = try MemoryManager()
        configure(&memory.configuration)
        let (live, id) = try await memory.run { [files = memory.files] manager in
            let id = try await manager.add(DownloadRequest("http://host/file", to: .directory(files))).id
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            return (error, id)
        }
        let stored = try await memory.run { manager in await manager.receipt(id)?.error }
        return (live, stored)
    }

    @Test("keep the text, the recovery suggestion and the cause of a localized error")
    func localized() async throws {
        let refused = [
            try await errors { $0.mayStart = { _, _ in throw Refusal() } },
            try await errors { $0.authorize = { _, _ in throw Refusal() } },
            try await errors { $0.chooseDestination = { _, _, _ in throw Refusal() } },
            try await errors { $0.afterCompletion = { _, _ in throw Refusal() } },
            try await errors {
                $0.authorize = { _, _ in
                    let keys = AWSKeySource { throw Refusal() }
                    return Authorization(credentials: try .awsSigV4(keys: keys))
                }
            },
        ]
        for (live, stored) in refused {
            #expect(live?.code == .closureFailed || live?.code == .completionFailed)
            #expect(live?.cause is Refusal)
            for error in [live, stored] {
                #expect(error?.errorDescription?.hasSuffix(": The user said no.") == true)
                #expect(error?.recoverySuggestion == "Bring them coffee: it helps.")
            }
        }
    }
}

import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("A host whose name cannot be resolved")
struct UnknownNameTests {
    private static let failure = EngineError(
        kind: .resolve, message: "Could not resolve host: nosuch.example")

    private func memory(saysUnknown: Bool) throws -> MemoryManager {
        var memory = try MemoryManager()
        memory.configuration.retry.delay = .milliseconds(1)
        memory.configuration.downloads.retry.delay = .milliseconds(1)
        memory.saysUnknown = { saysUnknown && $0 == "nosuch.example" }
        memory.engine = MemoryEngine { _, _ in throw Self.failure }
        return memory
    }

    private func outcome(_ memory: MemoryManager) async throws -> Receipt {
        try await memory.run { manager in
            let added = try await manager.add(
                DownloadRequest("http://nosuch.example/file", to: .directory(memory.files)))
            try await manager.waitUntilIdle()
            return try #require(await manager.receipt(added.id))
        }
    }

    @Test("a name that does not exist fails after two retries, with a message")
    func unknown() async throws {
        let receipt = try await outcome(memory(saysUnknown: true))
        #expect(receipt.state == .failed && receipt.attempts == 3)
        #expect(receipt.error?.code == .cannotResolve)
        #expect(
            receipt.error?.message
                == "http://nosuch.example/file: the name 'nosuch.example' does not exist; check its spelling."
        )
    }

    @Test("without a response from a name server all retries are made")
    func unanswered() async throws {
        let receipt = try await outcome(memory(saysUnknown: false))
        #expect(receipt.state == .failed && receipt.attempts == 6)
        #expect(receipt.error?.message.contains("does not exist") == false)
    }

    @Test("a name that has existed before is not given up earlier")
    func known() async throws {
        var memory = try memory(saysUnknown: true)
        memory.engine = MemoryEngine { request, number in
            guard number == 1 else { throw Self.failure }
            var reply = MemoryEngine.Reply.honest([1, 2, 3], request.range)
            (reply.body, reply.error) = ([1], EngineError(kind: .lost, message: "lost"))
            return reply
        }
        let receipt = try await outcome(memory)
        #expect(receipt.state == .failed && receipt.attempts > 3)
    }

    @Test("the name is the one that libcurl could not resolve, even after a redirect")
    func name() {
        #expect(Self.failure.unresolvedHost == "nosuch.example")
        #expect(EngineError(kind: .resolve, message: "Could not resolve proxy: p").unresolvedHost == nil)
        #expect(EngineError(kind: .refused, message: "Could not resolve host: h").unresolvedHost == nil)
    }
}

import Foundation
import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("Closures as alternatives to the streams of a queue")
struct FollowTests {
    @Test("they receive the progress, and then the file")
    func success() async throws {
        let memory = try MemoryManager()
        let seen = Lock<[DownloadState]>([])
        let path = Lock<String?>(nil)
        try await memory.run { manager in
            let id = try await manager.add(
                DownloadRequest("http://host/file", to: .directory(memory.files))
            ).id
            await manager.follow(id, every: .milliseconds(1)) { receipt in
                seen.withLock { $0.append(receipt.state) }
            } onCompletion: { result in
                let found = try? result.get().path?.string
                path.withLock { $0 = found }
            }.value
        }
        #expect(seen.withLock { $0 }.last == .completed)
        #expect(path.withLock { $0 } == memory.files.appending("file").string)
    }

    @Test("a failure is the result's")
    func failure() async throws {
        var memory = try MemoryManager()
        memory.engine = MemoryEngine { _, _ in .init(head: ResponseHead(status: 404)) }
        let code = Lock<DownloadError.Code?>(nil)
        try await memory.run { [files = memory.files] manager in
            let id = try await manager.add(DownloadRequest("http://host/file", to: .directory(files))).id
            await manager.follow(id, every: .milliseconds(1)) { result in
                guard case .failure(let error as DownloadError) = result else { return }
                code.withLock { $0 = error.code }
            }.value
        }
        #expect(code.withLock { $0 } == .httpStatus)
    }

    @Test("a URL finds its download, as text and as URL")
    func urls() async throws {
        let memory = try MemoryManager()
        try await memory.run { manager in
            let url = try #require(URL(string: "http://host/file"))
            var request = try DownloadRequest(url, to: .directory(memory.files))
            request.ifExists = .replace
            let id = try await manager.add(request).id
            #expect(await manager.receipt(for: url)?.id == id)
            #expect(await manager.receipt(for: "http://host/file")?.id == id)
            #expect(await manager.receipt(for: "http://host/other") == nil)
            #expect(await manager.receipt(for: "nonsense") == nil)
            #expect(try await manager.receipts(.url(url)).map(\.id) == [id])
        }
    }

    @Test("a stream omits repeated elements")
    func noRepetition() async throws {
        let memory = try MemoryManager()
        try await memory.run { manager in
            var entry = QueueEntry(try DownloadRequest("http://host/file", to: .directory(memory.files)))
            entry.startsPaused = true
            let id = try await manager.add(entry).id
            let reader = Task {
                var states: [DownloadState] = []
                for await receipt in manager.progress(of: id, every: .milliseconds(1)) {
                    states.append(receipt.state)
                }
                return states
            }
            // Meanwhile its progress is read many times.
            for _ in 0..<200 { _ = await manager.progress }
            try await manager.resume(.id(id))
            let states = await reader.value
            #expect(states.count { $0 == .paused } <= 1)
            #expect(states.last == .completed)
        }
    }
}

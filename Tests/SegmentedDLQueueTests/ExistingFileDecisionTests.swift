import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("Decisions about existing files, and a hook after each download")
struct ExistingFileDecisionTests {
    private func memory(
        _ answer: ExistingFilePolicy, _ asked: Lock<[ExistingFile]>
    ) throws -> MemoryManager {
        var memory = try MemoryManager()
        memory.configuration.resolveExisting = { file, _ in
            asked.withLock { $0.append(file) }
            return answer
        }
        try memory.directory.makeDirectory("f")
        try memory.directory.write("mine", to: "f/file")
        return memory
    }

    @Test("the answer is the download's policy once the server has responded")
    func atRun() async throws {
        let asked = Lock<[ExistingFile]>([])
        let memory = try memory(.replace, asked)
        try await memory.run { manager in
            let request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            let receipt = try await manager.add(request)
            try await manager.result(of: receipt.id)
            let path = memory.files.appending("file")
            #expect(
                asked.withLock { $0 }
                    == [ExistingFile(id: receipt.id, source: request.source, path: path, length: 4)])
        }
        #expect(try memory.directory.read("f/file") == [1, 2, 3])
    }

    @Test("fail leaves the file unchanged")
    func fails() async throws {
        let asked = Lock<[ExistingFile]>([])
        let memory = try memory(.fail, asked)
        try await memory.run { manager in
            let directory = try await manager.add(
                DownloadRequest("http://host/file", to: .directory(memory.files)))
            try await manager.waitUntilIdle()
            #expect(await manager.receipt(directory.id)?.error?.code == .fileExists)
            let error = await #expect(throws: DownloadError.self) {
                try await manager.add(
                    DownloadRequest("http://host/b", to: .file(memory.files.appending("file"))))
            }
            #expect(error?.code == .fileExists)
            #expect(asked.withLock { $0 }.map { $0.id == nil } == [false, true])
        }
        #expect(try memory.directory.read("f/file") == Array("mine".utf8))
    }

    @Test("a known path is decided at once, and once")
    func atAddition() async throws {
        let asked = Lock<[ExistingFile]>([])
        let memory = try memory(.rename, asked)
        try await memory.run { manager in
            let request = try DownloadRequest(
                "http://host/b", to: .file(memory.files.appending("file")))
            let receipt = try await manager.add(request)
            try await manager.result(of: receipt.id)
            #expect(try await manager.add(request).id == receipt.id)
            #expect(asked.withLock { $0 }.count == 1)
        }
        #expect(try memory.directory.read("f/file.1") == [1, 2, 3])
    }

    @Test("a request with a policy is not decided")
    func unasked() async throws {
        let asked = Lock<[ExistingFile]>([])
        let memory = try memory(.fail, asked)
        try await memory.run { manager in
            var request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            request.ifExists = .replace
            try await manager.result(of: try await manager.add(request).id)
        }
        #expect(asked.withLock { $0 }.isEmpty)
    }

    @Test("a URL that is added with another policy is refused with a message")
    func otherWish() async throws {
        let memory = try MemoryManager()
        try await memory.run { manager in
            var request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            let receipt = try await manager.add(request)
            request.headers = [HTTPHeader("X-A", "1")]
            #expect(try await manager.add(request).id == receipt.id)
            request.ifExists = .rename
            let error = await #expect(throws: DownloadError.self) { try await manager.add(request) }
            #expect(error?.code == .duplicate)
            let words = "with a different policy for existing files; remove that one first"
            #expect(error?.message.contains(words) == true)
            try await manager.change(receipt.id) { $0.request.ifExists = .rename }
            #expect(try await manager.add(request).id == receipt.id)
        }
    }

    @Test("the hook runs after each complete file, and its error fails the download")
    func hook() async throws {
        var memory = try MemoryManager()
        let paths = Lock<[String]>([])
        memory.configuration.afterCompletion = { receipt, _ in
            let name = receipt.source.lastPathComponent
            paths.withLock {
                $0.append("\(name) \(receipt.path?.lastComponent?.string ?? "") \(receipt.state)")
            }
            if name == "b" { throw CancellationError() }
        }
        try await memory.run { [files = memory.files] manager in
            for name in ["a", "b"] {
                try await manager.add(DownloadRequest("http://host/\(name)", to: .directory(files)))
            }
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.map(\.state) == [.completed, .failed])
            #expect(await manager.receipts.last?.error?.code == .completionFailed)
        }
        #expect(paths.withLock { $0 }.sorted() == ["a a finalizing", "b b finalizing"])
    }
}

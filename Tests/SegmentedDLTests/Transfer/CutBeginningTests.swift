import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// The bytes on disk are then too few to detect a server that sends the file's first bytes for any range.
@Suite("A first response that is cut within the file's first bytes", .timeLimit(.minutes(2)))
struct CutBeginningTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// - Parameter cut: The number of bytes after which the first response is cut; `nil` for none.
    private func engine(
        _ file: [UInt8], cutAt cut: Int?, etag: String? = "\"v1\"", alwaysFromStart: Bool = false
    ) -> MemoryEngine {
        MemoryEngine { request, number in
            var reply = MemoryEngine.Reply.honest(file, request.range, etag: etag)
            if alwaysFromStart { reply.body = Array(file.prefix(reply.body.count)) }
            guard number == 1, let cut else { return reply }
            reply.body = Array(reply.body.prefix(cut))
            reply.error = EngineError(kind: .lost, message: "reset")
            return reply
        }
    }

    private func fetch(
        _ name: String, with engine: MemoryEngine, segments: SegmentCount = .automatic, retries: Int = 7
    ) async throws {
        var configuration = Configuration()
        configuration.segments = segments
        configuration.retry.retries = retries
        configuration.retry.delay = .milliseconds(1)
        let downloader = Downloader(configuration: configuration, engine: engine)
        let request = try DownloadRequest("http://host/\(name)", to: .file(directory.filePath(name)))
        do {
            _ = try await downloader.start(request).result
        } catch {
            await downloader.shutdown()
            throw error
        }
        await downloader.shutdown()
    }

    @Test("is completed", arguments: [1, 2, 15, 16, 17, 600], [true, false])
    func completes(length: Int, isRepetitive: Bool) async throws {
        let noise = TestContent(seed: 8).bytes(0..<Int64(length))
        let file = isRepetitive ? [UInt8](repeating: 0, count: length) : noise
        let settings: [(etag: String?, segments: SegmentCount)] = [("\"v1\"", .automatic), (nil, .fixed(4))]
        for cut in 0..<min(length, 18) {
            for (etag, segments) in settings {
                let name = "\(cut)-\(segments == .automatic)"
                let engine = engine(file, cutAt: cut, etag: etag)
                try await fetch(name, with: engine, segments: segments)
                #expect(try directory.read(name) == file)
                #expect(engine.requests.count <= 5, "\(cut) of \(length): \(engine.requests.map(\.range))")
            }
        }
    }

    @Test("is never completed with the first bytes instead of the rest", arguments: [2, 10, 16, 17, 600])
    func refuses(length: Int) async throws {
        let file = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        for cut in 1..<min(length, 16) {
            let engine = engine(file, cutAt: cut, alwaysFromStart: true)
            try? await fetch("\(cut)", with: engine, retries: 2)
            // Without a range, such a server sends the file.
            if let stored = try? directory.read("\(cut)") { #expect(stored == file, "cut at \(cut)") }
        }
    }

    @Test("is completed by a later run", arguments: [2, 10, 16, 17, 600])
    func laterRun(length: Int) async throws {
        let file = TestContent(seed: 9).bytes(0..<Int64(length))
        for cut in 1..<min(length, 18) {
            let first = engine(file, cutAt: cut)
            await #expect(throws: DownloadError.self) { try await fetch("\(cut)", with: first, retries: 0) }
            try await fetch("\(cut)", with: engine(file, cutAt: nil))
            #expect(try directory.read("\(cut)") == file)
        }
    }
}

import SegmentedDL
import TestSupport
import Testing

@testable import SegmentedDL

/// Each file's digest is known, so that requests are sent before earlier responses have arrived.
@Suite("Small files with known digests, over HTTP/1.1", .timeLimit(.minutes(10)))
struct PipelinedFilesTests {
    private static let count = 60
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func request(_ number: Int, _ url: String) throws -> DownloadRequest {
        var request = try DownloadRequest(url, to: .file(directory.filePath("\(number).bin")))
        let digest = Digest.sha256(PipelineServer.content(number))
        request.checksums = [try Checksum(.sha256, digest)]
        return request
    }

    private func download(
        _ url: (Int) -> String, _ change: (inout Configuration) -> Void = { _ in }
    ) async throws {
        var configuration = Configuration()
        configuration.retry.delay = .milliseconds(50)
        configuration.limits.activeFiles = .automatic
        change(&configuration)
        let downloader = try Downloader(configuration)
        let requests = try (0..<Self.count).map { try request($0, url($0)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for request in requests { group.addTask { _ = try await downloader.download(request) } }
            try await group.waitForAll()
        }
        await downloader.shutdown()
    }

    private func expectExact() throws {
        #expect(directory.names.count == Self.count)
        for number in 0..<Self.count {
            let bytes = try directory.read("\(number).bin")
            #expect(Array(bytes) == PipelineServer.content(number), "\(number)")
        }
    }

    @Test("are pipelined, each requested once", arguments: [PipelineServer.Mode.right, .partial])
    func ahead(mode: PipelineServer.Mode) async throws {
        let server = try await PipelineServer(mode)
        try await download { server.url($0) }
        try expectExact()
        let log = try await server.log()
        #expect(log.requests == Self.count)
        #expect(log.depth > 1)
    }

    @Test("are exact whatever a server does with such requests", arguments: PipelineServer.Mode.allCases)
    func disorder(mode: PipelineServer.Mode) async throws {
        let server = try await PipelineServer(mode)
        try await download { server.url($0) }
        try expectExact()
    }

    @Test(
        "of a list are exact whatever a server does with such requests",
        arguments: PipelineServer.Mode.allCases)
    func list(mode: PipelineServer.Mode) async throws {
        let server = try await PipelineServer(mode)
        let lines = (0..<Self.count).map { number in
            let digest = Digest.sha256(PipelineServer.content(number))
            return "\(server.url(number))\n out=\(number).bin\n checksum=sha-256=\(digest)"
        }
        let lists = try TemporaryDirectory()
        try lists.write(lines.joined(separator: "\n"), to: "list")
        let result = try await Segdl.run(
            ["fetch", "-i", "list", "-d", directory.path, "-j", "4", "--retry-delay", "0.05"], in: lists)
        #expect(result.status == 0, "\(result.errors)")
        try expectExact()
        let log = try await server.log()
        if mode == .right { #expect(log.requests == Self.count && log.depth > 1, "\(log)") }
    }

    @Test("are pipelined over several connections if the server allows twenty requests on one")
    func severalConnections() async throws {
        let server = try await PipelineServer(.closed)
        try await download { server.url($0) }
        try expectExact()
        let log = try await server.log()
        #expect(log.depth > 1 && log.connections > 2)
    }

    @Test("are not pipelined under a rate limit that counts each byte")
    func limited() async throws {
        let server = try await PipelineServer(.right)
        try await download({ server.url($0) }) { $0.limits.rate = 100_000_000 }
        try expectExact()
        #expect(try await server.log().depth == 1)
    }

    @Test("of which one has another digest: it fails and is set aside, and the others are exact")
    func wrongDigest() async throws {
        let server = try await PipelineServer(.right)
        var configuration = Configuration()
        configuration.limits.activeFiles = .automatic
        let downloader = try Downloader(configuration)
        var requests = try (0..<Self.count).map { try request($0, server.url($0)) }
        requests[7].checksums = requests[8].checksums
        let handles = requests.map { downloader.start($0) }
        for (number, handle) in handles.enumerated() where number != 7 { _ = try await handle.result }
        let error = await #expect(throws: DownloadError.self) { try await handles[7].result }
        #expect(error?.code == .checksumMismatch)
        await downloader.shutdown()
        #expect(try Array(directory.read("7.bin.rejected")) == PipelineServer.content(7))
        #expect(directory.names.count == Self.count && !directory.names.contains("7.bin"))
        for number in 0..<Self.count where number != 7 {
            #expect(try Array(directory.read("\(number).bin")) == PipelineServer.content(number))
        }
    }

    @Test("come from nginx with one request each")
    func nginx() async throws {
        let log = try TemporaryDirectory()
        let nginx = try await Nginx(
            http: "log_format numbers '$connection $connection_requests';",
            server: "access_log \(log.file("log")) numbers;")
        for number in 0..<Self.count {
            let content = String(decoding: PipelineServer.content(number), as: UTF8.self)
            try nginx.root.write(content, to: "\(number)")
        }
        try await download { nginx.url("\($0)") }
        try expectExact()
        let lines = try String(decoding: log.read("log"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count <= Self.count)
        #expect(Set(lines).count == lines.count)
    }
}

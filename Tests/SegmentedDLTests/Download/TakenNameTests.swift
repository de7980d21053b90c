import SystemPackage
import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// Another program gives a file the final name while the bytes arrive.
@Suite("A final name that another program has taken meanwhile")
struct TakenNameTests {
    private let content = TestContent(seed: 7).bytes(0..<3_000_000)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Downloads `content`, while another program stores other bytes as the same file.
    private func download(
        _ policy: ExistingFilePolicy, besides other: [UInt8], startsOver: Bool = false
    ) async throws -> DownloadResult {
        var configuration = Configuration()
        configuration.segments = .fixed(4)
        configuration.minimumSegmentSize = 64 * 1024
        configuration.durability = .process
        // The second request is sent after the name has been chosen.
        let engine = MemoryEngine { [content, path = directory.filePath("file")] request, number in
            if number == 2 {
                let file = try FileDescriptor.open(
                    path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
                try file.closeAfter { _ = try file.writeAll(other) }
            }
            return .honest(content, request.range)
        }
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        request.ifExists = policy
        request.startsOver = startsOver
        return try await Downloader(configuration: configuration, engine: engine).download(request)
    }

    @Test("completes the download if that file is the same", arguments: [ExistingFilePolicy.fail, .skip])
    func same(policy: ExistingFilePolicy) async throws {
        let result = try await download(policy, besides: content)
        #expect(result.outcome == .unchanged && result.length == 3_000_000)
        #expect(result.path == directory.filePath("file"))
        #expect(directory.names == ["file"])
    }

    @Test("is left to that file if the policy is to skip, and is an error otherwise")
    func different() async throws {
        let other = TestContent(seed: 8).bytes(0..<3_000_000)
        #expect(try await download(.skip, besides: other).outcome == .skipped)
        #expect(directory.names == ["file"])
        try directory.remove("file")
        let error = await #expect(throws: DownloadError.self) { try await download(.fail, besides: other) }
        #expect(error?.code == .fileExists && directory.exists("file.part"))
        #expect(try directory.read("file") == other)
    }

    @Test("is an error if that file has another length, also if the policy is to skip")
    func otherLength() async throws {
        let error = await #expect(throws: DownloadError.self) { try await download(.skip, besides: [1, 2]) }
        #expect(error?.code == .lengthMismatch && directory.exists("file.part"))
        #expect(try directory.read("file") == [1, 2])
    }

    @Test("is an error for a download that starts over")
    func startsOver() async throws {
        let error = await #expect(throws: DownloadError.self) {
            try await download(.fail, besides: content, startsOver: true)
        }
        #expect(error?.code == .fileExists)
    }

    @Test("is replaced by another name if the policy is to rename")
    func renames() async throws {
        #expect(try await download(.rename, besides: content).path == directory.filePath("file.1"))
        #expect(directory.names == ["file", "file.1"])
    }
}

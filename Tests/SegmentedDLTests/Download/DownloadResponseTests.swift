import SystemPackage
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("The server's response to a single download")
struct DownloadResponseTests {
    @Test("is on the result, and on the handle once received; an existing file has none")
    func result() async throws {
        let directory = try TemporaryDirectory()
        let engine = MemoryEngine { request, _ in .honest([1, 2, 3], request.range) }
        let downloader = Downloader(configuration: Configuration(), engine: engine)
        var request = try DownloadRequest("http://host/file", to: .directory(directory.filePath("f")))
        let handle = downloader.start(request)
        let result = try await handle.result
        #expect(result.response?.status == 206)
        #expect(result.response?.length == 3)
        #expect(handle.response == result.response)
        // The digest shows that the file exists: no request is sent.
        request.checksums = [
            try Checksum(.sha256, "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
        ]
        request.destination = .file(directory.filePath("f/file"))
        #expect(try await downloader.download(request).response == nil)
    }
}

import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("The request of a described file")
struct DownloadRequestItemTests {
    private func item(_ urls: String...) throws -> MirrorItem {
        MirrorItem(try urls.map { try Source($0) }, path: try RelativePath("sub/a.bin"), size: 5)
    }

    @Test(
        "has its sources, digests, length, types and fields, and a path below the directory, which is created"
    )
    func parts() throws {
        var item = try item("http://one/x", "http://two/y")
        item.checksums = [
            try Checksum(.md5, String(repeating: "1", count: 32)),
            try Checksum(.sha256, String(repeating: "2", count: 64)),
        ]
        item.expectedTypes = ["application/octet-stream"]
        item.headers = [HTTPHeader("X-A", "1")]
        let request = try DownloadRequest(item, in: "models")
        #expect(request.sources == item.sources)
        #expect(request.destination == .file("models/sub/a.bin"))
        #expect(request.checksums == item.checksums)
        #expect(request.expectedLength == 5 && request.makesDirectory)
        #expect(request.expectedTypes == item.expectedTypes && request.headers == item.headers)
        try request.validate()
    }

    @Test("an item without a source, or with two digests of one kind, is refused")
    func refused() throws {
        let sourceless = try item()
        #expect(throws: DownloadError.self) { try DownloadRequest(sourceless, in: "models") }
        var contradictory = try item("http://one/x")
        contradictory.checksums = try ["1", "2"].map {
            try Checksum(.md5, String(repeating: $0, count: 32))
        }
        let error = #expect(throws: DownloadError.self) {
            try DownloadRequest(contradictory, in: "models")
        }
        #expect(error?.code == .invalidSetting)
    }
}

import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLServer

@Suite("Downloads that are added to the daemon in one call") struct DownloadsTests {
    private func request(_ name: String, to path: String) throws -> DownloadRequest {
        DownloadRequest(try Source("http://h/\(name)"), to: .file(FilePath(path)))
    }

    @Test func areInTheirOrder() async throws {
        let fixture = try await ServiceFixture()
        let entries = try (0..<100).map {
            QueueEntry(try request("\($0)", to: "\($0)"), startsPaused: true)
        }
        let receipts = try await fixture.service.downloads.add(entries).map { try $0.get() }
        #expect(receipts.map(\.source.url) == (0..<100).map { "http://h/\($0)" })
        #expect(receipts.map(\.id) == receipts.map(\.id).sorted())
        #expect(await fixture.manager.receipts.map(\.id) == receipts.map(\.id))
        #expect(receipts.allSatisfy { $0.state == .paused })
        try await fixture.end()
    }

    @Test("fail one by one, and only those with another one's name are renamed")
    func failOneByOne() async throws {
        let fixture = try await ServiceFixture()
        var renamed = try request("b", to: "same")
        renamed.ifExists = .rename
        var secret = try request("c", to: "same")
        secret.headers = [HTTPHeader("X-Key", "k")]
        let requests = [
            try request("a", to: "same"), try request("out", to: "/elsewhere/out"), renamed, secret,
            try request("d", to: "other"),
        ]
        let results = try await fixture.service.downloads.add(requests.map { QueueEntry($0) })
        let names = results.map { result -> String? in
            guard case .success(let receipt) = result, case .file(let path) = receipt.destination else {
                return nil
            }
            return path.lastComponent?.string
        }
        #expect(names == ["same", nil, "same.1", nil, "other"])
        #expect(throws: DownloadError.self) { try results[1].get() }
        #expect(throws: DownloadError.self) { try results[3].get() }
        try await fixture.end()
    }
}

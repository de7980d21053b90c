import SegmentedDLQueue
import TestSupport
import Testing

@testable import SegmentedDLServer

@Suite struct AddingTests {
    @Test("a link that many callers add concurrently is one download")
    func sameLink() async throws {
        let fixture = try await ServiceFixture()
        let mirrors = try await Mirrors(
            downloader: fixture.manager.downloader, store: fixture.store,
            fence: fixture.service.downloads.fence)
        let interface = Interface(
            fixture.service.downloads, mirrors, settings: fixture.service.settings)
        let body: [String: JSONValue] = ["downloads": [["url": "http://h/a"]]]
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for _ in 0..<20 { group.addTask { try await interface.add(body) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let results = answers.compactMap { $0["results"]?.elements?.first }
        #expect(results.count == 20)
        #expect(Set(results.map { $0["download"]?["id"] }).count == 1)
        #expect(results.count { $0["isThere"] == .bool(true) } == 19)
        #expect(await fixture.manager.receipts.count == 1)
        await mirrors.close()
        try await fixture.end()
    }
}

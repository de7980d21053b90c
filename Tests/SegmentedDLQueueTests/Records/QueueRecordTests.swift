import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("What a queue stores of a request")
struct QueueRecordTests {
    /// A request of which every setting is another one than the default.
    private func request() throws -> DownloadRequest {
        var request = try DownloadRequest("http://h/a", to: .file(path: "/d/a"))
        request.mirrors = [try Source("http://m/a")]
        request.followsLinks = true
        request.headers = [HTTPHeader("A", "b")]
        request.credentials = Credentials(user: "me", password: "pw")
        request.checksums = [try Checksum(parsing: "md5=" + String(repeating: "1a", count: 16))]
        request.verifiesServerDigest = false
        request.expectedTypes = ["image/*"]
        request.naming = .finalURL
        request.segments = .fixed(3)
        request.order = .inOrder
        request.ifExists = .replace
        request.keepsRemoteDate = false
        request.takesOver = true
        request.ifEncoded = .decode
        request.rate = 4096
        request.priority = 3
        request.makesDirectory = true
        request.expectedLength = 5
        request.maximumLength = 7
        return request
    }

    /// Those that a queue refuses, and that are of the files of one run.
    private static let others: Set<String> = ["pieces", "mirrorAccess", "startsOver"]

    @Test("is all of its settings")
    func settings() throws {
        let request = try request()
        let usual = try DownloadRequest("http://h/other")
        for (one, other) in zip(
            Swift.Mirror(reflecting: request).children, Swift.Mirror(reflecting: usual).children)
        {
            let name = try #require(one.label)
            guard !Self.others.contains(name) else { continue }
            #expect("\(one.value)" != "\(other.value)", "\(name) is to have another value in this test")
        }
        let record = try QueueRecord(QueueEntry(request), id: Receipt.ID(rawValue: 1), now: Date())
        let stored = try JSONDecoder().decode(
            QueueRecord.Options.self, from: JSONEncoder().encode(record.options))
        #expect(stored == record.options)
        let authorization = Authorization(headers: request.headers, credentials: request.credentials)
        #expect(record.request(authorization) == request)
    }

    @Test("is not what it cannot keep, which is refused")
    func refused() throws {
        var request = try request()
        request.mirrorAccess = MirrorAccess(for: try Source("http://m/"))
        #expect(throws: DownloadError.self) {
            try QueueRecord(QueueEntry(request), id: Receipt.ID(rawValue: 1), now: Date())
        }
    }
}

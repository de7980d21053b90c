import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("The stored form of a request")
struct QueueRecordTests {
    /// A request in which every setting differs from the default.
    private func request() throws -> DownloadRequest {
        var request = try DownloadRequest("http://h/a", to: .file(path: "/d/a"))
        request.mirrors = [try Source("http://m/a")]
        request.followsLinks = true
        request.headers = [HTTPHeader("A", "b")]
        request.credentials = Credentials(user: "me", password: "pw")
        request.checksums = [try Checksum(parsing: "md5=" + String(repeating: "1a", count: 16))]
        request.checksumOrigin = .metalink
        request.verifiesServerDigest = false
        request.proofPolicy = .require(.otherHost)
        request.expectedTypes = ["image/*"]
        request.naming = .finalURL
        request.segments = .fixed(3)
        request.order = .inOrder
        request.ifExists = .replace
        request.keepsRemoteDate = false
        request.startsOver = true
        request.takesOver = true
        request.ifEncoded = .decode
        request.rate = 4096
        request.tries = FileTries(count: 2, wait: 9)
        request.priority = 3
        request.makesDirectory = true
        request.expectedLength = 5
        request.maximumLength = 7
        return request
    }

    /// Settings that a queue refuses.
    private static let others: Set<String> = ["pieces", "mirrorAccess"]

    @Test("has all of its settings")
    func settings() throws {
        let request = try request()
        let usual = try DownloadRequest("http://h/other", to: .directory("."))
        for (one, other) in zip(
            Swift.Mirror(reflecting: request).children, Swift.Mirror(reflecting: usual).children)
        {
            let name = try #require(one.label)
            guard !Self.others.contains(name) else { continue }
            #expect("\(one.value)" != "\(other.value)", "\(name) is to have another value in this test")
        }
        var record = try QueueRecord(QueueEntry(request), id: Receipt.ID(rawValue: 1), now: Date())
        // They have their own columns.
        record.bytesTotal = nil
        record.startsOver = false
        #expect(try stored(record) == record)
        let authorization = Authorization(headers: request.headers, credentials: request.credentials)
        #expect(record.request(authorization) == request)
    }

    /// Returns the record as read from the row to which it is written.
    private func stored(_ record: QueueRecord) throws -> QueueRecord {
        let plain = QueueRecord(
            id: record.id, source: record.source, destination: record.destination,
            priority: record.request.priority, added: record.added)
        return try JSONDecoder().decode(
            OptionsColumn.self, from: JSONEncoder().encode(OptionsColumn(record: record)),
            configuration: plain
        ).record
    }

    @Test("is read as 0.2.0 wrote it, with its member names")
    func earlier() throws {
        let digests = try [
            "md5=" + String(repeating: "1a", count: 16), "sha1=" + String(repeating: "2b", count: 20),
        ]
        .map { try Checksum(parsing: $0) }
        let plain = QueueRecord(
            id: Receipt.ID(rawValue: 1), source: try Source("http://h/a"), destination: .file(path: "/d/a"),
            added: .distantPast)
        let text = """
            {"checksum": "\(digests[0])", "moreChecksums": ["\(digests[1])"], "verifiesServerDigest": true,
             "ifExists": "rename", "naming": "server", "isAuthorized": true, "onComplete": "echo",
             "mirrors": ["http://m/a"], "isAddedAgain": true, "takesOver": true}
            """
        let record = try JSONDecoder().decode(OptionsColumn.self, from: Data(text.utf8), configuration: plain)
            .record
        #expect(record.request.checksums == digests)
        #expect(record.request.mirrors == [try Source("http://m/a")])
        #expect(record.request.ifExists == .rename && record.request.takesOver)
        #expect(record.isAuthorized && record.isAddedAgain && record.onComplete == "echo")
        // In reverse, 0.2.0 finds its required members in what is written today.
        let written = try JSONSerialization.jsonObject(
            with: JSONEncoder().encode(OptionsColumn(record: record)))
        let members = try #require(written as? [String: Any])
        #expect(members["checksum"] as? String == "\(digests[0])")
        #expect((members["moreChecksums"] as? [String])?.count == 1 && members["checksums"] == nil)
        for name in ["verifiesServerDigest", "ifExists", "naming", "isAuthorized"] {
            #expect(members[name] != nil, "\(name)")
        }
    }

    @Test("starts over until bytes of its own are on disk")
    func startsOver() throws {
        var record = try QueueRecord(QueueEntry(request()), id: Receipt.ID(rawValue: 1), now: Date())
        #expect(record.request(nil).startsOver)
        // The bytes of a failed download that it continues are dropped, too.
        record.part = DownloadPaths("/d/a")
        #expect(record.request(nil).startsOver)
        record.startsOver = false
        #expect(!record.request(nil).startsOver)
    }

    @Test("of a later version is refused")
    func later() throws {
        let later = Data(#"{"source": "http://h/a", "version": 2}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DownloadRequest.self, from: later) }
    }

    @Test("refuses what it cannot store")
    func refused() throws {
        var request = try request()
        request.mirrorAccess = MirrorAccess(for: try Source("http://m/"))
        #expect(throws: DownloadError.self) {
            try QueueRecord(QueueEntry(request), id: Receipt.ID(rawValue: 1), now: Date())
        }
    }
}

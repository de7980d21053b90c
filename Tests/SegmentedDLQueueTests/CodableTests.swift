import Foundation
import SegmentedDL
import SystemPackage
import Testing

@testable import SegmentedDLQueue

@Suite("Codable values")
struct CodableTests {
    private func coded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    /// A request with no setting at its default.
    private func request() throws -> DownloadRequest {
        var request = try DownloadRequest("https://host.example/file", to: .file("/srv/file"))
        request.mirrors = [try Source("https://mirror.example/file")]
        request.followsLinks = true
        request.checksums = [try Checksum(parsing: "md5=d41d8cd98f00b204e9800998ecf8427e")]
        request.checksumOrigin = .list
        request.pieces = try PieceHashes(length: 5, request.checksums)
        request.verifiesServerDigest = false
        request.naming = .urlMD5
        request.segments = .fixed(3)
        request.order = .inOrder
        request.ifExists = .rename
        request.keepsRemoteDate = false
        request.startsOver = true
        request.takesOver = true
        request.rate = 7
        request.priority = -2
        request.makesDirectory = true
        return request
    }

    @Test("a request round-trips with all its settings, but without headers and credentials")
    func requests() throws {
        let request = try request()
        #expect(try coded(request) == request)
        var secret = request
        secret.headers = [HTTPHeader("Authorization", "Bearer s3cret")]
        secret.credentials = Credentials(user: "u", password: "s3cret")
        secret.source = try Source("https://u:s3cret@host.example/file")
        #expect(secret != request)
        #expect(try !String(decoding: JSONEncoder().encode(secret), as: UTF8.self).contains("s3cret"))
        #expect(try coded(secret) == request)
        secret.destination = .descriptor(.standardOutput)
        #expect(throws: EncodingError.self) { try coded(secret) }
    }

    @Test("a missing member has its default")
    func defaults() throws {
        let json = Data(#"{"source": "https://host.example/file"}"#.utf8)
        let decoded = try JSONDecoder().decode(DownloadRequest.self, from: json)
        #expect(decoded == (try DownloadRequest("https://host.example/file", to: .directory("."))))
        #expect(try JSONDecoder().decode(Limits.self, from: Data("{}".utf8)) == Limits())
        let wrong = Data(#"{"source": "https://host.example/file", "rate": "x"}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DownloadRequest.self, from: wrong) }
        #expect(throws: DownloadError.self) {
            try JSONDecoder().decode(DownloadRequest.self, from: Data(#"{"source": "ftp://h/"}"#.utf8))
        }
    }

    @Test("an entry and caps round-trip")
    func others() throws {
        var entry = QueueEntry(try request(), key: "k", onComplete: "unpack")
        entry.startsPaused = true
        #expect(try coded(entry) == entry)
        var limits = Limits()
        limits.activeFiles = .fixed(3)
        limits.connections = 5
        limits.connectionsPerHost = 2
        limits.requestsPerHost = 9
        limits.queueOrder = .lifo
        limits.rate = 1000
        #expect(try coded(limits) == limits)
    }

    @Test("a queue stores each setting of a request that it does not refuse")
    func queued() throws {
        var request = try request()
        request.pieces = nil
        let record = try QueueRecord(QueueEntry(request), id: Receipt.ID(rawValue: 1), now: Date())
        #expect(record.request(nil) == request)
    }
}

import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import Testing

@testable import SegmentedDLServer

@Suite struct NewDownloadTests {
    /// A daemon that downloads to a directory, with two connections per file.
    private func usual(_ urls: [String]) throws(DownloadError) -> DownloadRequest {
        var request = try DownloadRequest(urls[0], to: .directory("usual"))
        for url in urls.dropFirst() { request.mirrors.append(try Source(url)) }
        request.segments = .fixed(2)
        request.rate = 7
        request.ifExists = .rename
        return request
    }

    private func read(_ value: JSONValue) throws -> QueueEntry {
        try Interface.newDownload(value, usual).get()
    }

    private func request(_ value: JSONValue) throws -> DownloadRequest { try read(value).request }

    private func hasOwnSettings(_ request: DownloadRequest) throws -> Bool {
        request.hasOwnSettings(beside: try usual(request.sources.map(\.url)))
    }

    @Test("members become a request, with the daemon's settings as defaults")
    func request() throws {
        let download = try read([
            "url": "http://h/a", "mirrors": ["http://m/a"], "directory": "/d", "name": "b",
            "segments": .integer(4), "paused": .bool(true), "ifExists": "replace",
            "headers": ["A: b", "Range: bytes=1-"], "bytesPerSecond": .null, "expectedTypes": ["image/*"],
        ])
        #expect(try download.startsPaused && hasOwnSettings(download.request))
        var wanted = try DownloadRequest("http://h/a", to: .file("/d/b"))
        wanted.mirrors = [try Source("http://m/a")]
        wanted.segments = .fixed(4)
        wanted.rate = 7
        wanted.ifExists = .replace
        wanted.headers = [HTTPHeader("A", "b")]
        wanted.expectedTypes = ["image/*"]
        #expect(download.request == wanted)
        let plain = try request(["url": "http://h/a"])
        #expect(try plain == usual(["http://h/a"]) && !hasOwnSettings(plain))
        let named = try request(["url": "http://h/a", "name": "x/b", "bytesPerSecond": .integer(0)])
        #expect(named.destination == .file("usual/x/b"))
        #expect(named.rate == nil)
    }

    @Test("an absolute name remains absolute, so that the directory check refuses it")
    func absoluteName() throws {
        let absolute = try request(["url": "http://h/a", "directory": "d", "name": "/etc/x"])
        #expect(absolute.destination == .file("/etc/x"))
    }

    @Test("a lone SHA-256 is accepted, and other strings are refused")
    func checksums() throws {
        let digest = String(repeating: "0f", count: 32)
        for given in [digest, "sha-256=" + digest] {
            let request = try request(["url": "http://h/a", "checksum": .string(given)])
            #expect(request.checksums.map(\.description) == ["sha256=" + digest])
        }
        let wrong = try Interface.newDownload(["url": "http://h/a", "checksum": "nonsense"], usual)
        #expect(throws: DownloadError.self) { try wrong.get() }
    }

    @Test(
        "members of another type, and unknown ones, are refused by name",
        arguments: [
            (["url": .integer(1)], "url"), (["url": "http://h/a", "paused": "true"], "paused"),
            (["url": "http://h/a", "segments": "4"], "segments"),
            (["url": "http://h/a", "segments": .integer(0)], "segments"),
            (["url": "http://h/a", "headers": "A: b"], "headers"),
            (["url": "http://h/a", "name": "a\nb"], "name"),
            (["url": "http://h/a", "expectedTypes": "image/*"], "expectedTypes"),
            (["url": "http://h/a", "ifExists": "maybe"], "ifExists"),
            (["url": "http://h/a", "dir": "/d"], "dir"), ("http://h/a", "url"),
        ] as [(JSONValue, String)])
    func wrong(value: JSONValue, name: String) throws {
        let error = try #require(throws: InterfaceError.self) { try read(value) }
        #expect(error.status == 400)
        #expect(error.message.contains("'\(name)'"))
    }

    @Test(
        "the origin of a digest is one of three",
        arguments: [("request", nil), ("list", .list), ("metalink", .metalink)]
            as [(String, ChecksumOrigin?)])
    func origins(text: String, origin: ChecksumOrigin?) throws {
        let download = try read(["url": "http://h/a", "checksumFrom": .string(text)])
        #expect(download.request.checksumOrigin == origin)
        #expect(try !hasOwnSettings(download.request))
    }

    @Test("an unknown origin is refused")
    func unknown() {
        #expect(throws: InterfaceError.self) {
            try read(["url": "http://h/a", "checksumFrom": "rumour"])
        }
    }
}

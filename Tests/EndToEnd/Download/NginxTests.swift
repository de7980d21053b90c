import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("A real nginx")
struct NginxTests {
    static let size: Int64 = 20_000_003

    private func served(by nginx: Nginx, name: String = "file.bin", size: Int64 = size) throws {
        try TestContent(seed: 1).write(to: nginx.root.file(name), length: size)
    }

    @Test("serves a file in segments", .timeLimit(.minutes(10)))
    func plain() async throws {
        let nginx = try await Nginx()
        try served(by: nginx)
        let fixture = try await DownloadFixture()
        _ = try await fixture.download(fixture.request(nginx.url("file.bin")), segments: 8)
        try fixture.expectExact(Self.size)
        // One request for each of eight segments, and more for idle connections; nginx logs a closed
        // connection a little later. The number of concurrent connections depends on the machine's speed.
        while nginx.accessLog.count < 8 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(nginx.accessLog.allSatisfy { $0.contains(" 206 ") })
    }

    @Test("serves an empty file and one of a single byte")
    func tiny() async throws {
        let nginx = try await Nginx()
        for size in [0, 1] as [Int64] {
            try served(by: nginx, size: size)
            let fixture = try await DownloadFixture()
            _ = try await fixture.download(fixture.request(nginx.url("file.bin")), segments: 8)
            try fixture.expectExact(size)
        }
    }

    @Test("with a per-connection rate limit is used over several connections", .timeLimit(.minutes(10)))
    func limitedPerConnection() async throws {
        // So slow that the first one is still active when a busy machine has opened others: their number
        // depends on the machine.
        let nginx = try await Nginx(server: "limit_rate 1m;")
        try served(by: nginx)
        let fixture = try await DownloadFixture()
        let result = try await fixture.download(fixture.request(nginx.url("file.bin")), segments: 8)
        try fixture.expectExact(Self.size)
        #expect((2...8).contains(result.connections), "\(result.connections)")
        while nginx.accessLog.count < 8 { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("that allows few connections per address is used over those", arguments: [503, 429])
    func limitedConnections(status: Int) async throws {
        let nginx = try await Nginx(
            http: "limit_conn_zone $binary_remote_addr zone=a:1m;",
            server: "limit_conn a 3; limit_conn_status \(status); limit_rate 4m;")
        try served(by: nginx)
        let fixture = try await DownloadFixture()
        _ = try await fixture.download(fixture.request(nginx.url("file.bin")), segments: 8)
        try fixture.expectExact(Self.size)
        let refused = nginx.accessLog.count { $0.contains(" \(status) ") }
        #expect((1..<20).contains(refused), "\(refused) refused")
    }
}

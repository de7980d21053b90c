import Foundation
import TestSupport
import Testing

@Suite("A slow disk", .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct SlowDiskTests {
    private struct Line: Decodable {
        var event: String
        var bottleneck: String?
        var message: String?
    }

    @Test("is reported as the bottleneck, in JSON and with --verbose")
    func isNamed() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let slow = Shim.Fault(kind: .slow(60), call: 1, only: ["pwrite"], file: ".part", isLasting: true)
        let environment = try await Shim.environment(watching: directory.path, log: "/dev/null", slow)
        let url = server.url("plain", 8_000_000, name: "f.bin")
        // On a busy machine the disk may have to wait for the server.
        var named = false
        for attempt in 1...4 where !named {
            let json = try await Segdl.run(
                ["fetch", "-v", "--progress", "json", "-o", "f\(attempt).bin", url], in: directory,
                environment: environment)
            #expect(json.status == 0, "\(json)")
            let lines = try json.output.split(separator: "\n").map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
            named = lines.last { $0.event == "completed" }?.bottleneck == "disk"
            let said = lines.contains { $0.message?.contains("he disk was slower") ?? false }
            #expect(said == named, "\(json)")
        }
        #expect(named)
    }
}

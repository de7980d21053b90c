import Foundation
import TestSupport
import Testing

@Suite("segdl mirror, killed repeatedly")
struct MirrorKillTests {
    @Test("200 files, 15 kills: exact, proved, and few bytes fetched twice", .timeLimit(.minutes(10)))
    func kills() async throws {
        // So slow that a run does not end before a busy machine kills it.
        let fixture = try await MirrorFixture(
            http: "limit_req_zone $server_port zone=slow:1m rate=60r/s;",
            server: "limit_req zone=slow burst=2000;")
        let files = 191
        for number in 0..<files {
            let place = "tree/d\(number % 10)"
            try fixture.nginx.root.makeDirectory(place)
            try fixture.nginx.root.write(
                String(repeating: "\(number) ", count: 500 + number), to: "\(place)/f\(number).bin")
        }
        var rounds = 0
        let started = fixture.nginx.accessLog.count
        for round in 1...15 {
            rounds = round
            // The kill happens at a random step within about this many more requests.
            let goal = fixture.nginx.accessLog.count + .random(in: 1...15)
            let process = try Segdl.start(
                ["mirror", "-j", "2", "--progress", "none", fixture.url, fixture.copy], in: fixture.directory)
            while process.isRunning, fixture.nginx.accessLog.count < goal {
                try await Task.sleep(for: .milliseconds(1))
            }
            process.send(SIGKILL)
            let end = await process.result()
            #expect(end.signal == SIGKILL || end.status == 0, "round \(round): \(end.errors)")
            // Every file with its final name is complete.
            for (path, content) in try MirroredTree.files(fixture.copy) where !path.contains(".part") {
                #expect(
                    try content == Data(fixture.nginx.root.read("tree/" + path)), "round \(round): \(path)")
            }
            if end.status == 0 { break }
        }
        let last = try await fixture.run()
        #expect(last.end.status == 0, "\(last.end.errors)")
        try fixture.expectExact()
        let lines = fixture.nginx.accessLog.dropFirst(started)
        let moved = lines.filter { $0.contains(" 206 ") || $0.contains("bin HTTP/1.1\" 200 ") }.count
        // With two concurrent files, each kill costs those and the two that were handed over.
        #expect(moved >= 200 && moved <= 200 + rounds * 4, "\(moved)")
        #expect(rounds >= 10)
        // Each kill costs the listing in flight. The source is listed again only once all listed files are
        // complete.
        let listings = lines.filter { $0.contains("/ HTTP/1.1\" 200 ") }.count
        let whole = lines.filter { $0.contains("/tree/ HTTP/1.1\" 200 ") }.count
        #expect(listings <= 13 * whole + rounds, "\(listings), \(whole)")
        let check = try await Segdl.run(["verify", fixture.copy + "/SHA256SUMS"])
        #expect(check.status == 0 && check.errors.contains("200 of 200"), "\(check.errors)")
        #expect(try TemporaryDirectory.names(of: fixture.copy).allSatisfy { !$0.contains(".part") })
    }
}

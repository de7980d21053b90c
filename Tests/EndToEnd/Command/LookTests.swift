import Foundation
import TestContent
import TestSupport
import Testing

@Suite("segdl fetch --dry-run")
struct LookTests {
    @Test("prints the server's answer, and creates no file")
    func says() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url(
            "redirect", 50_000_000, name: "latest",
            "to=/plain/50000000/x?case%3D\(server.token)%26disposition%3Dattachment;filename%3Ddisk.iso")
        let result = try await Segdl.run(["--dry-run", "-d", "new", url], in: directory)
        #expect(result.status == 0, "\(result)")
        let lines = Set(result.output.split(separator: "\n").map(String.init))
        for line in [
            "name:      disk.iso", "length:    50000000 bytes (47.7 MiB)", "resumable: yes",
            "date:      Wed, 01 Jan 2025 00:00:00 GMT", "etag:      \"1-50000000\"",
        ] { #expect(lines.contains(line), "\(result.output)") }
        #expect(result.output.contains("final url: \(server.base)/plain/50000000/x?"), "\(result.output)")
        #expect(directory.names.isEmpty)
        #expect(try await server.peak().requests == 2)
    }

    @Test("has the status of the download", arguments: [("404", 3), ("401", 3)] as [(String, Int32)])
    func refused(code: String, status: Int32) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["--spider", server.url("status", 100, "code=\(code)")], in: directory)
        #expect(result.status == status && result.errors.contains(code), "\(result)")
        #expect(result.output.isEmpty && directory.names.isEmpty)
    }

    @Test("prints nothing with -q, except failures and JSON")
    func quiet() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 100, name: "f")
        let silent = try await Segdl.run(["-q", "--spider", url], in: directory)
        #expect(silent.status == 0 && silent.output.isEmpty && silent.errors.isEmpty, "\(silent)")
        let events = try await Segdl.run(["-q", "--spider", "--progress", "json", url], in: directory)
        #expect(events.status == 0 && events.output.contains(#""event":"found""#), "\(events)")
        let failed = try await Segdl.run(
            ["-q", "--spider", server.url("status", 100, "code=404")], in: directory)
        #expect(failed.status == 3 && failed.output.isEmpty && failed.errors.contains("404"), "\(failed)")
    }

    @Test("answers for each file of a list in order, in JSON too, and fails if one fails")
    func list() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let urls = [
            server.url("plain", 300_000, name: "a", "delay=300"), server.url("chunked", 300_000, name: "b"),
            server.url("status", 10, name: "c", "code=404"), server.url("plain", 5, name: "d"),
        ]
        try directory.write(urls.joined(separator: "\n"), to: "list")
        let result = try await Segdl.run(["-I", "--progress", "json", "-i", "list"], in: directory)
        #expect(result.status == 1, "\(result)")
        let events = try result.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let found = events.filter { $0["event"] as? String == "found" }
        #expect(found.map { $0["name"] as? String } == ["a", "b", "d"])
        #expect(found.map { $0["total"] as? Int } == [300_000, nil, 5])
        #expect(found.map { $0["resumable"] as? Bool } == [true, false, true])
        #expect(events.contains { $0["event"] as? String == "failed" && $0["exit_status"] as? Int == 3 })
        #expect(directory.names == ["list"])
    }

    @Test("--log keeps the messages of -v and the outcome of each file across runs")
    func log() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("hang-up-before-head", 1000, name: "f")
        let quiet = ["-q", "--log", "log", "--retry-delay", "0.05"]
        #expect(try await Segdl.run(quiet + [url], in: directory).errors.isEmpty)
        let missing = server.url("status", 10, name: "g", "code=404")
        #expect(try await Segdl.run(quiet + [missing], in: directory).status == 3)
        let lines = try String(decoding: directory.read("log"), as: UTF8.self).split(separator: "\n")
        #expect(lines.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} .+/) != nil })
        #expect(lines.contains { $0.contains("trying again") }, "\(lines)")
        // A slow machine prints further messages.
        let ends = lines.filter { $0.contains(" done: ") || $0.contains(" failed: ") }
        #expect(ends.count == 2, "\(lines)")
        #expect(ends.first?.contains("done: f: 1000 B") == true && ends.last?.contains("failed: ") == true)
        let last = server.url("plain", 9, name: "h")
        let shown = try await Segdl.run(["-q", "--log", "-", last], in: directory)
        #expect(shown.errors.contains(" done: h: 9 B") && !directory.exists("-"), "\(shown)")
        let refused = try await Segdl.run(["--log", "no/log", url], in: directory)
        #expect(refused.status == 5 && refused.errors.contains("the log 'no/log'"), "\(refused)")
    }
}

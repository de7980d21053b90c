import Foundation
import SegmentedDL
import SegmentedDLMirror
import TestSupport
import Testing

@testable import segdl

@Suite("segdl bench")
struct BenchTests {
    private struct Line: Decodable {
        var contender: String
        var bytes: Int64
        var seconds: Double?
        var connections_opened: Int?
        var runs: Int
        var failures: [String]
    }

    @Test("measures each contender in turn, verifies the bytes, and leaves nothing behind")
    func measures() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            [
                "bench", "--segments", "1,2", "--against", "curl", "--runs", "2", "--json", "--report",
                "r.html",
                server.url("plain", 3_000_000, name: "f.bin"),
            ], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        let lines = try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.prefix(2).map(\.contender) == ["segdl 1", "segdl 2"])
        for line in lines {
            #expect(line.bytes == 3_000_000)
            #expect(line.runs == 2)
            #expect(line.failures == [])
            #expect((line.seconds ?? 0) > 0)
        }
        #expect(lines[0].connections_opened == 1)
        #expect(directory.names == ["r.html"])
        let page = String(decoding: try directory.read("r.html"), as: UTF8.self)
        #expect(page.contains("<polyline"))
        #expect(!page.contains("src=") && !page.contains("href="))
        for text in [
            "width=device-width", "color-scheme: light dark", "fastest run to the slowest",
            ">2.86 MiB</text>", BenchTable.legend,
        ] { #expect(page.contains(text), "\(text)") }
        let order = result.errors.split(separator: "\n").filter { $0.hasPrefix("run") }
        #expect(order.count == lines.count * 2)
        #expect(order.first == "run 1 of 2: segdl 1")
        #expect(order[lines.count] == "run 2 of 2: segdl 2")
    }

    @Test("sends one request before measuring, and checks that the report can be written")
    func looksFirst() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let missing = try await Segdl.run(
            ["bench", "--against", "none", server.url("status", 10, "code=404")], in: directory)
        #expect(missing.status == 3 && missing.errors.contains("404"), "\(missing)")
        #expect(try await server.requests().count == 1)
        let report = try await Segdl.run(
            ["bench", "--against", "none", "--report", "none/r.html", server.url("plain", 10)], in: directory)
        #expect(report.status == 5 && report.errors.contains("r.html"), "\(report)")
        #expect(try await server.requests().count == 1)
    }

    @Test("headers and credentials go to each contender")
    func credentials() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            [
                "bench", "-q", "--segments", "1", "--against", "curl", "--runs", "1", "-u", "me:secret", "-H",
                "X-A: b",
                server.url("auth", 100_000, name: "f", "u=me&p=secret"),
            ], in: directory)
        #expect(result.status == 0, "\(result)")
        let requests = try await server.requests()
        #expect(requests.count >= 3 && requests.allSatisfy { $0.headers["x-a"] == "b" }, "\(requests)")
    }

    @Test("a contender that receives other bytes fails, and so does the command")
    func wrongBytes() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        // It is requested once before the runs; from the second run on it is a different file.
        let url = server.url("changing", 100_000, name: "f.bin", "after=2&whole=1")
        let result = try await Segdl.run(
            ["bench", "--segments", "1", "--against", "none", "--runs", "2", "--json", url], in: directory)
        #expect(result.status == 1)
        #expect(result.output.contains(#""failures":["wrong bytes"]"#))
        let wrong = try await Segdl.run(
            [
                "bench", "-q", "--segments", "1", "--against", "none", "--runs", "1", "--checksum",
                "md5=00000000000000000000000000000000", server.url("plain", 1000),
            ], in: directory)
        #expect(wrong.status == 4)
        #expect(directory.names == [])
    }

    @Test(
        "reports invalid input",
        arguments: [["--segments", "0"], ["--segments", "x"], ["--against", "wget"], ["--runs", "0"]])
    func badInput(arguments: [String]) async throws {
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(["bench"] + arguments + ["http://127.0.0.1:1/x"], in: directory)
        #expect(result.status == 64)
    }

    @Test("a table has medians and bars, even if a contender failed")
    func table() {
        func result(_ kind: Contender.Kind, _ seconds: [Double], failures: [String] = []) -> BenchResult {
            var result = BenchResult(contender: Contender(kind: kind), length: 1 << 30)
            result.runs = seconds.map { .init(seconds: $0, cpu: $0 / 2, memory: 1 << 20) }
            result.failures = failures
            return result
        }
        #expect(result(.segdl(.automatic), [3, 1]).seconds == 2)
        let table = BenchTable(
            results: [
                result(.segdl(.fixed(4)), [2, 1, 4]), result(.segdl(.automatic), [1]),
                result(.tool(.curl, path: "", connections: 1), [], failures: ["exit status 7"]),
            ], unicode: false, columns: 61)
        let lines = table.text.split(separator: "\n")
        #expect(lines[1].hasPrefix("segdl 4        2.00  1.00-4.00   512 MiB/s       1.00  1.00 MiB"))
        #expect(lines[3].hasPrefix("curl         failed"))
        #expect(lines[4].filter { $0 == "#" }.count * 2 == lines[5].filter { $0 == "#" }.count)
        #expect(lines.last == "curl: exit status 7")
    }
}

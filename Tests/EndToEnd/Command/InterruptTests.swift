import Foundation
import TestContent
import TestSupport
import Testing

@Suite("An interrupted fetch")
struct InterruptTests {
    @Test("SIGQUIT ends it at once without a crash report, and the next run resumes")
    func quit() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let arguments = ["fetch", "-s", "4", "-o", "f", server.url("plain", 8_000_000, "rate=500000")]
        let process = try Segdl.start(arguments + ["--limit-rate", "400k"], in: directory)
        try await Segdl.waitUntilKept("f", atLeast: 1_000_000, in: directory)
        process.send(SIGQUIT)
        let result = await process.result()
        #expect(result.signal == SIGQUIT && !result.errors.contains("crashed"), "\(result)")
        #expect(try await Segdl.run(arguments, in: directory).status == 0)
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: 8_000_000) == nil)
    }

    @Test(
        "dies of SIGINT, exits with 143 on SIGTERM, says how to resume, and resumes",
        arguments: [(SIGINT, nil), (SIGTERM, 143)] as [(Int32, Int32?)])
    func signals(signal: Int32, status: Int32?) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size = 8_000_000
        let arguments = ["-s", "4", "-o", "f.bin", server.url("plain", Int64(size), "rate=500000")]
        // Slow, so that most bytes are still missing however late this process checks.
        let process = try Segdl.start(["fetch", "--limit-rate", "400k"] + arguments, in: directory)
        try await Segdl.waitUntilKept("f.bin", atLeast: 1_000_000, in: directory)
        process.send(signal)
        let result = await process.result()
        #expect(result.status == status && (result.signal == signal) == (status == nil), "\(result)")
        #expect(result.errors.contains("run it again to resume"))
        #expect(directory.names == ["f.bin.part", "f.bin.part.segdl"])

        let inspected = try await Segdl.run(["inspect", "--json", "f.bin"], in: directory)
        #expect(inspected.status == 0)
        let manifest = try #require(
            JSONSerialization.jsonObject(with: Data(inspected.output.utf8)) as? [String: Any])
        #expect(manifest["length"] as? Int == size)
        let written = try #require(manifest["written"] as? [[Int]])
        let kept = written.reduce(0) { $0 + $1[1] - $1[0] }
        #expect(kept >= 1_000_000)

        let before = try await server.peak().bytesSent
        let again = try await Segdl.run(["fetch", "--progress", "json"] + arguments, in: directory)
        #expect(again.status == 0, "\(again.errors)")
        #expect(directory.names == ["f.bin"])
        let mismatch = try TestContent(seed: 1).firstMismatch(
            inFile: directory.file("f.bin"), length: Int64(size))
        #expect(mismatch == nil)
        // No kept bytes are fetched again, whatever happened to single connections.
        let last = try #require(
            again.output.split(separator: "\n").last { $0.contains("\"event\":\"completed\"") })
        let completed = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
        #expect(completed?["bytes_written"] as? Int == size - kept)
        #expect(try await Int(server.peak().bytesSent - before) < size)
    }

    @Test("of a slow file below the minimum segment size is resumed, even after a kill")
    func smallKilled() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size: Int64 = 900_000
        // The tail is not sent before the kill.
        let arguments = ["fetch", "-q", "-o", "f.bin", server.url("plain", size, "hold-tail=300000")]
        let process = try Segdl.start(arguments, in: directory)
        try await Segdl.waitUntilKept("f.bin", atLeast: 600_000, in: directory)
        // The name is assigned right after the manifest.
        while process.isRunning, !directory.names.contains("f.bin.part") {
            try await Task.sleep(for: .milliseconds(10))
        }
        process.send(SIGKILL)
        #expect(await process.result().signal == SIGKILL)
        #expect(directory.names == ["f.bin.part", "f.bin.part.segdl"])
        try await server.release()
        let again = try await Segdl.run(arguments, in: directory)
        #expect(again.status == 0, "\(again)")
        #expect(directory.names == ["f.bin"])
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f.bin"), length: size) == nil)
        let last = try #require(try await server.requests().last)
        #expect(last.bytesSent <= 300_000, "\(last)")
    }
}

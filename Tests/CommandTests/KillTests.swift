import TestContent
import TestSupport
import Testing

@Suite("A killed fetch")
struct KillTests {
    @Test(
        "is gone on with until the file is exact, and hardly a byte is fetched twice", .timeLimit(.minutes(3))
    )
    func killedAgainAndAgain() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size: Int64 = 192 * 1024 * 1024
        // 4 connections of 4 MiB/s: twelve seconds without a kill.
        let arguments = [
            "fetch", "-q", "-s", "4", "-o", "big.bin", server.url("plain", size, "rate=4194304"),
        ]
        var rounds = 0
        while !directory.names.contains("big.bin") {
            let process = try Segdl.start(arguments, in: directory)
            // The only use of time here: the moment of the kill is meant to be random.
            try await Task.sleep(for: .milliseconds(.random(in: 20...650)))
            process.send(9)
            let result = await process.result()
            rounds += 1
            #expect(result.signal == 9 || result.status == 0, "\(result)")
            try #require(rounds < 200, "no progress: \(directory.names)")
        }
        let check = try await Segdl.run(arguments, in: directory)
        print("killed \(rounds) times")
        #expect(check.status == 0 || check.status == 5)
        #expect(directory.names == ["big.bin"])
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("big.bin"), length: size) == nil)
        let peak = try await server.peak()
        #expect(peak.bytesSent <= size * 110 / 100, "\(peak.bytesSent) of \(size) bytes sent")
        #expect(rounds >= 25)
    }

    @Test(
        "leaves with 130 and 143 on signals, says how to go on, and does", arguments: [(2, 130), (15, 143)])
    func signals(signal: Int32, status: Int32) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size: Int64 = 8_000_000
        let process = try Segdl.start(
            ["fetch", "-s", "4", "-o", "f.bin", server.url("plain", size, "rate=500000")], in: directory)
        try await Segdl.waitUntilKept("f.bin", atLeast: 1_000_000, in: directory)
        process.send(signal)
        let result = await process.result()
        #expect(result.status == status)
        #expect(result.errors.contains("run it again to go on"))
        #expect(directory.names == ["f.bin.part", "f.bin.part.segdl"])

        let inspected = try await Segdl.run(["inspect", "--json", "f.bin"], in: directory)
        #expect(inspected.status == 0)
        #expect(inspected.output.contains("\"length\" : \(size)"))

        let before = try await server.peak().bytesSent
        let again = try await Segdl.run(
            ["fetch", "-s", "4", "-o", "f.bin", server.url("plain", size, "rate=500000")], in: directory)
        #expect(again.status == 0, "\(again.errors)")
        #expect(directory.names == ["f.bin"])
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f.bin"), length: size) == nil)
        let after = try await server.peak().bytesSent
        #expect(after <= size + 400_000, "\(before) bytes before, \(after) after")
    }
}

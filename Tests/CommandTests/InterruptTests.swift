import TestContent
import TestSupport
import Testing

@Suite("An interrupted fetch")
struct InterruptTests {
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

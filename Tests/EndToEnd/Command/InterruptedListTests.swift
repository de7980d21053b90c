import Foundation
import TestContent
import TestSupport
import Testing

@Suite("A list that is interrupted at random, and run again until it is done", .timeLimit(.minutes(5)))
struct InterruptedListTests {
    private static let sizes: [Int64] = [1, 3_000_000, 40_000, 2_500_000, 700_000, 4_000_000, 0, 1_500_000]

    @Test("ends with 0, with exact files, and sends little twice", arguments: [1, 2, 3] as [UInt64])
    func rounds(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let urls = Self.sizes.enumerated().map { server.url("plain", $1, name: "f\($0)", "rate=1500000") }
        try directory.write(urls.joined(separator: "\n"), to: "list")
        let arguments = ["-q", "-j", "3", "-s", "2", "-i", "list"]
        let total = Self.sizes.reduce(0, +)
        for stop in 1...5 as ClosedRange<Int64> {
            let process = try Segdl.start(arguments, in: directory)
            let until = total * stop / 6 - Int64.random(in: 0..<total / 12, using: &random)
            while process.isRunning, try await server.peak().bytesSent < until {
                try await Task.sleep(for: .milliseconds(10))
            }
            let signal = [SIGINT, SIGTERM, SIGKILL].randomElement(using: &random) ?? SIGINT
            process.send(signal)
            let result = await process.result()
            // A run that has not begun to watch for signals dies of one.
            #expect(result.signal == signal || [0, 130, 143].contains(result.status), "\(result)")
        }
        for _ in 1...2 {
            let result = try await Segdl.run(arguments, in: directory)
            #expect(result.status == 0, "\(result)")
        }
        for (index, size) in Self.sizes.enumerated() {
            let file = directory.file("f\(index)")
            #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: size) == nil)
        }
        #expect(directory.names.count == Self.sizes.count + 1, "\(directory.names)")
        // A killed run loses what was in memory, and a file below the smallest segment begins again.
        #expect(try await server.peak().bytesSent < total * 125 / 100)
    }
}

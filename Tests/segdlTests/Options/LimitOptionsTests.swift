import ArgumentParser
import SegmentedDL
import SegmentedDLOptions
import Testing

@testable import segdl

@Suite("Options of caps")
struct LimitOptionsTests {
    private func configuration(_ arguments: [String]) throws -> Configuration {
        var configuration = Configuration()
        try Fetch.parse(arguments + ["http://host/a"]).limits.apply(to: &configuration)
        return configuration
    }

    @Test(
        "the number of segments raises unset caps, and may exceed a set one",
        arguments: [
            (["-s", "3"], 3, 16, 16),
            (["-s", "32"], 32, 32, 32),
            (["-s", "8", "-x", "4"], 8, 4, 4),
            (["-s", "8", "--max-connections-per-host", "2"], 8, 16, 2),
            (["-s", "2000", "-x", "2000"], 2000, 2000, 2000),
        ])
    func fixed(arguments: [String], segments: Int, connections: Int, perHost: Int) throws {
        let configuration = try configuration(arguments)
        #expect(configuration.segments == .fixed(segments))
        #expect(configuration.limits.connections == connections)
        #expect(configuration.limits.connectionsPerHost == perHost)
    }

    @Test("without a number of segments the caps are 16, and 8 per host")
    func automatic() throws {
        let configuration = try configuration([])
        #expect(configuration.segments == .automatic)
        #expect(configuration.limits.connections == 16)
        #expect(configuration.limits.connectionsPerHost == 8)
        let few = try self.configuration(["-x", "2"])
        #expect(few.limits.connections == 2 && few.limits.connectionsPerHost == 8)
    }

    @Test(
        "a number of segments that is meant as a speed is refused",
        arguments: [["-s", "500000"], ["-s", "1001", "-x", "16"]])
    func speed(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try self.configuration(arguments) }
        #expect(error.map { Fetch.message(for: $0).contains("--limit-rate") } == true)
    }
}

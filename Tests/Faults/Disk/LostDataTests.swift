import TestSupport
import Testing

@testable import SegmentedDL

/// After an I/O error in the background, Linux drops the data that it could not write and reports this once:
/// the next sync of the same file succeeds. A program that only retries would trust lost bytes.
@Suite("A sync that loses data", .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct LostDataTests {
    /// 4 connections of 250 kB/s: more than a second.
    private static let query = "rate=250000"

    private func sync(_ number: Int, after delay: Int = 0) -> Shim.Fault {
        Shim.Fault(kind: .lose(after: delay), call: number, only: ["fdatasync"], file: ".part")
    }

    @Test("is an error, and the lost bytes are fetched again", arguments: 1...6)
    func duringTheTransfer(number: Int) async throws {
        try await Rounds.one {
            let fixture = try await DiskFaultFixture(.fresh, query: Self.query)
            let run = try await fixture.run(sync(number))
            try #require(run.log.wasReached)
            #expect(run.result.status == 5, "\(run.result)")
            #expect(run.result.errors.contains("f.bin.part"), "\(run.result)")
            #expect(!fixture.hasFinalFile)
            try await fixture.expectRecovery("lost at sync \(number)")
        }
    }

    @Test("is an error even if the last byte arrives meanwhile")
    func atTheEnd() async throws {
        try await Rounds.one {
            let fixture = try await DiskFaultFixture(.fresh, query: Self.query)
            let run = try await fixture.run(sync(1, after: 2500))
            #expect(run.result.status == 5, "\(run.result)")
            try fixture.expectNoWrongFile("lost by a long sync")
            try await fixture.expectRecovery("lost by a long sync")
        }
    }

    @Test("is an error even if it is the last one, before the final name")
    func last() async throws {
        try await Rounds.one {
            // Too short for a sync during the transfer.
            let fixture = try await DiskFaultFixture(.fresh)
            let run = try await fixture.run(sync(1))
            #expect(run.result.status == 5, "\(run.result)")
            #expect(!fixture.hasFinalFile)
            let manifest = try #require(try fixture.manifest())
            #expect(manifest.written == manifest.durable)
            try await fixture.expectRecovery("lost by the last sync")
        }
    }

    @Test("of an earlier run's leftovers is an error, and all of them are fetched again")
    func resumed() async throws {
        try await Rounds.one {
            let fixture = try await DiskFaultFixture(.resumed)
            let run = try await fixture.run(
                Shim.Fault(kind: .failure(5), call: 1, only: ["fdatasync"], file: ".part"))
            #expect(run.result.status == 5, "\(run.result)")
            #expect(try fixture.manifest()?.written == fixture.manifest()?.durable)
            try await fixture.expectRecovery("lost by the first sync")
        }
    }
}

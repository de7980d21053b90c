import Foundation
import SegmentedDLSupport
import TestContent
import TestSupport
import Testing

/// SIGKILL in every phase of a download.
@Suite("A killed fetch", .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct KilledCallTests {
    @Test(
        "before each file system call in turn is resumed, at least 300 times over all phases"
    )
    func eachCall() async throws {
        var tally = Tally()
        for variant in DiskFaultFixture.Variant.allCases {
            // The disk is the same after a call and before the next one.
            let only = variant == .replacement ? DiskFaultFixture.lastCalls : []
            let phases = try await Rounds.untilDone { number -> Phase? in
                let fixture = try await DiskFaultFixture(variant)
                let run = try await fixture.run(Shim.Fault(kind: .killBefore, call: number, only: only))
                guard run.log.wasReached else { return nil }
                let call = run.log.calls.first(where: \.isFaulty)
                let what = "\(variant.rawValue), \(number): \(call?.name ?? "") \(call?.file ?? "")"
                #expect(run.result.signal == SIGKILL, "\(what): \(run.result)")
                try fixture.expectNoWrongFile(what)
                try await fixture.expectRecovery(what)
                return run.log.phase
            }
            for phase in phases { tally.add(phase) }
        }
        print("killed at a call: \(tally)")
        #expect(tally.missing == [])
        #expect(tally.total >= 300, "\(tally)")
    }

    @Test(
        "after the rename is recognized as complete, even after a reboot",
        arguments: [nil, "another"] as [String?])
    func behindTheRename(boot: String?) async throws {
        try await Rounds.one {
            // Long enough for a manifest that lists durable bytes.
            let fixture = try await DiskFaultFixture(.fresh, query: "rate=200000")
            let killed = try await fixture.run(Shim.Fault(kind: .killAfter, call: 1, only: ["renameat2"]))
            #expect(killed.result.signal == SIGKILL, "\(killed.result)")
            #expect(
                fixture.directory.names == [DiskFaultFixture.name, DiskFaultFixture.name + ".part.segdl"])
            let home = try TemporaryDirectory()
            try home.write("\(boot ?? "")\n", to: "boot")
            let again = try await fixture.run(boot: boot.map { _ in home.file("boot") })
            #expect(again.result.status == 0, "\(again.result)")
            #expect(again.log.calls.contains { $0.name == "fsync" }, "the name is not made durable")
            #expect(fixture.directory.names == [DiskFaultFixture.name])
            #expect(try fixture.mismatch() == nil)
        }
    }

    @Test("at random times, repeatedly, loses less than a second of progress each time")
    func randomTimes() async throws {
        let rate: Int64 = 500_000
        let size: Int64 = 6_000_000
        let sums = try await Rounds.run(Array(0..<4 * Rounds.factor)) {
            number -> (tally: Tally, again: Int64) in
            // Three seconds without a kill.
            let fixture = try await DiskFaultFixture(
                number % 2 == 0 ? .fresh : .replacement, size: size, query: "rate=\(rate)")
            var tally = Tally()
            while try !fixture.isDone() {
                try #require(tally.total < 200, "no progress: \(fixture.directory.names)")
                let sentBefore = try await fixture.server.peak().bytesSent
                let process = try await fixture.start()
                // Every fourth kill happens at any time, the others after the first bytes: on a busy machine
                // a process spends most of its time at its start, where a kill leaves no progress.
                while tally.total % 4 > 0, process.isRunning,
                    try await fixture.server.peak().bytesSent == sentBefore
                {
                    try await Task.sleep(for: .milliseconds(5))
                }
                // The only use of time here: the moment of the kill is intended to be random. It is delayed
                // more and more, for a machine that is busy in the transfer too.
                let latest = 600 + 10 * tally.total
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...latest)))
                process.send(SIGKILL)
                let result = await process.result()
                try #require(result.signal == SIGKILL || result.status == 0, "\(result)")
                try fixture.expectNoWrongFile("killed at random")
                if result.signal != nil { tally.add(fixture.log().phase) }
            }
            try await fixture.expectRecovery("killed \(tally.total) times")
            let sent = try await fixture.server.peak().bytesSent
            #expect(sent <= size + Int64(tally.total) * rate * 4, "\(sent) bytes sent, \(tally.total) kills")
            return (tally, sent - size)
        }
        let again = sums.map(\.again).reduce(0, +)
        let kills = sums.map(\.tally.total).reduce(0, +)
        print(
            "killed at random: \(sums.map(\.tally)); \(again) bytes of \(size * Int64(sums.count)) sent again"
        )
        #expect(kills >= 16)
        // Four connections receive 2 MB per second. Far less is lost: only bytes that were not yet written.
        #expect(again <= Int64(kills) * rate * 4 / 4, "\(again) bytes sent again, \(kills) kills")
    }
}

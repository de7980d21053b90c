import Foundation
import TestSupport
import Testing

@testable import SegmentedDL

/// Changes that people and other programs make to `NAME.part`.
@Suite("A part file", .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct PartFileFaultTests {
    private static let harms = [
        "truncate -s 0 f.bin.part", "truncate -s 700000 f.bin.part", "truncate -s +1M f.bin.part",
        "rm f.bin.part",
        "head -c 2000000 /dev/zero > other && mv other f.bin.part",
    ]

    /// Changes that keep the same file and its length. The manifest is backdated instead of waiting until the
    /// change is clearly later.
    private static let hidden = [
        "head -c $SIZE /dev/urandom | dd of=f.bin.part conv=notrunc status=none",
        "truncate -s 300000 f.bin.part && truncate -s $SIZE f.bin.part",
    ].map { "SIZE=$(stat -c %s f.bin.part) && \($0) && touch -d '1 hour ago' f.bin.part.segdl" }

    @Test(
        "that was truncated, extended, removed, replaced or overwritten between two runs does no harm",
        arguments: harms + hidden)
    func betweenRuns(harm: String) async throws {
        let fixture = try await DiskFaultFixture(.resumed)
        try await Disk.shell("cd '\(fixture.directory.path)' && \(harm)")
        let run = try await fixture.run()
        #expect(run.result.status == 0, "\(run.result)")
        #expect(try fixture.mismatch() == nil)
        #expect(try fixture.names() == [DiskFaultFixture.name])
    }

    @Test(
        "with something else in its place is an error that names it, and is left unchanged",
        arguments: ["mkdir f.bin.part", "mkfifo f.bin.part", "ln -s other f.bin.part"])
    func anotherKind(make: String) async throws {
        let fixture = try await DiskFaultFixture(.resumed)
        try await Disk.shell("cd '\(fixture.directory.path)' && rm f.bin.part && \(make)")
        let run = try await fixture.run()
        #expect(run.result.status == 5, "\(run.result)")
        #expect(run.result.errors.contains("'f.bin.part'"), "\(run.result)")
        #expect(run.result.errors.contains("choose another"), "\(run.result)")
        #expect(!fixture.hasFinalFile && !fixture.directory.names.contains("other"))
        try await Disk.shell("cd '\(fixture.directory.path)' && rm -r f.bin.part")
        try await fixture.expectRecovery(make)
    }

    @Test(
        "that was renamed to the final name is not taken for complete, and is left unchanged",
        arguments: [nil, "unfinished"], [3_000_000, 500_000] as [Int64])
    func named(incomplete: String?, size: Int64) async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.minimumSegmentSize = 1_000_000
        fixture.configuration.incompleteDirectory = incomplete.map { fixture.directory.filePath($0) }
        var request = try fixture.request(
            fixture.server.url("plain", size, "hold=\(DownloadFixture.interruption)"))
        try await fixture.interrupt(request)
        // From its start, a part file has the length of the whole file.
        let (directory, place) = (fixture.directory.path, incomplete ?? ".")
        try await Disk.shell(
            "cd '\(directory)' && mv \(place)/*.part file.bin && truncate -s \(size) file.bin")

        #expect(try await fixture.failure(request).code == .fileExists)
        #expect(fixture.directory.names.contains("file.bin"))
        request.ifExists = .replace
        _ = try await fixture.download(request)
        try fixture.expectBytes(size)
    }

    @Test(
        "that is truncated, extended, removed or replaced during the transfer never becomes a wrong file",
        arguments: harms,
        [300_000, 800_000] as [Int64])
    func whileWritten(harm: String, kept: Int64) async throws {
        try await Rounds.one {
            // Its end is held back until the change is made, however late on a busy machine.
            let fixture = try await DiskFaultFixture(.fresh, query: "rate=50000&hold-tail=2000")
            let process = try await fixture.start()
            while try fixture.manifest()?.written.reduce(0, { $0 + $1[1] - $1[0] }) ?? 0 < kept,
                process.isRunning
            {
                try await Task.sleep(for: .milliseconds(5))
            }
            try await Disk.shell("cd '\(fixture.directory.path)' && \(harm)")
            try await fixture.server.release()
            let result = await process.resultUnlessItHangs()
            #expect(result.status == 5, "\(result)")
            #expect(
                result.errors.contains("'f.bin.part' was replaced or truncated by another program"),
                "\(result)")
            #expect(result.errors.contains("run it again"), "\(result)")
            #expect(!fixture.hasFinalFile)
            try await fixture.expectRecovery(harm)
        }
    }

    @Test("that is truncated between the writes of its last bytes never becomes a wrong file")
    func cutNearTheEnd() async throws {
        // The last write restores the file's full length; only the moment before it reveals the cut.
        var last = 0
        while true {
            last += 1
            let counted = try await DiskFaultFixture(.stream)
            let run = try await counted.run(
                Shim.Fault(kind: .killBefore, call: last + 1, only: ["pwrite"]))
            if !run.log.wasReached { break }
        }
        var fixture = try await DiskFaultFixture(.stream)
        var process = try await fixture.startAndStop(afterWrite: max(1, last - 1))
        while !process.isStopped(), last > 2 {
            // The bytes arrived in larger pieces this time, so that it ended before that write.
            last -= 1
            fixture = try await DiskFaultFixture(.stream)
            process = try await fixture.startAndStop(afterWrite: max(1, last - 1))
        }
        try await Disk.shell("truncate -s 0 '\(fixture.directory.file("new/f.bin.part"))'")
        process.send(SIGCONT)
        let result = await process.resultUnlessItHangs()
        #expect(result.status == 5, "\(result)")
        #expect(result.errors.contains("truncated by another program"), "\(result)")
        #expect(!fixture.hasFinalFile)
        try await fixture.expectRecovery("cut before the last write")
    }
}

extension DiskFaultFixture {
    /// Starts the command; returns when it is stopped after a write, or has ended before.
    fileprivate func startAndStop(afterWrite write: Int) async throws -> ChildProcess {
        let process = try await start(Shim.Fault(kind: .stopAfter, call: write, only: ["pwrite"]))
        while !process.isStopped(), process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        return process
    }
}

extension ChildProcess {
    /// True if the process is stopped by SIGSTOP.
    func isStopped() -> Bool {
        // The file does not exist once the process has ended.
        let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return status?.contains(") T ") ?? false
    }
}

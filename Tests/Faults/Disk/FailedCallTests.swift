import Foundation
import TestSupport
import Testing

/// Each file system call of a download fails once, in turn: the k-th call of the k-th run.
@Suite("A failing file system call", .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct FailedCallTests {
    /// The calls that move bytes.
    static let moving = ["pwrite", "write", "pread", "read"]

    /// The calls that may need free space on the disk.
    static let growing = [
        "create", "pwrite", "write", "fallocate", "ftruncate", "fdatasync", "fsync", "rename", "renameat2",
        "mkdir",
    ]

    @Test(
        "is counted by the shim in each phase: none is missed",
        arguments: DiskFaultFixture.Variant.allCases)
    func nothingIsMissed(variant: DiskFaultFixture.Variant) async throws {
        let fixture = try await DiskFaultFixture(variant)
        let run = try await fixture.run()
        #expect(run.result.status == 0, "\(run.result)")
        let names = Set(run.log.calls.map(\.name))
        var wanted: Set = [
            "access", "stat", "lstat", "fstat", "create", "open", "flock", "ftruncate", "fallocate", "pwrite",
            "write",
            "fdatasync", "fsync", "close", "rename", "renameat2", "unlink",
        ]
        switch variant {
        case .fresh: break
        // Already reserved space is not changed.
        case .resumed: wanted = wanted.union(["read", "pread"]).subtracting(["ftruncate", "fallocate"])
        case .stream: wanted.insert("mkdir")
        case .replacement: wanted.remove("renameat2")
        case .small, .smallReplacement:
            wanted = wanted.union(["unnamed", "linkat"]).subtracting([
                "create", "flock", "write", "rename", "renameat2", "unlink",
            ])
            if variant.replaces { wanted.insert("rename") }
        }
        #expect(wanted.subtracting(names) == [])
        #expect(!run.log.wasReached)
        if variant.isSmall {
            let order = run.log.calls.map(\.name).filter {
                ["pwrite", "fdatasync", "linkat", "rename", "fsync"].contains($0)
            }
            // The name is taken: the file gets another one first, and is then renamed over the older file.
            let naming = variant.replaces ? ["linkat", "linkat", "rename"] : ["linkat"]
            // One write for each piece in which the response arrived.
            #expect(Array(order.drop { $0 == "pwrite" }) == ["fdatasync"] + naming + ["fsync"])
            #expect(order.first == "pwrite")
            return
        }
        // The rename to the final name follows the last write and its sync.
        let calls = run.log.calls.filter { $0.file.hasSuffix(".part") }.map(\.name)
        let sync = try #require(calls.lastIndex(of: "fdatasync"))
        #expect(try #require(calls.lastIndex(of: "pwrite")) < sync)
        #expect(sync < (try #require(calls.lastIndex { $0 == "renameat2" || $0 == "rename" })))
    }

    @Test(
        "with an I/O error ends with the exact file or an error that names it",
        arguments: DiskFaultFixture.Variant.allCases)
    func inputOutputError(variant: DiskFaultFixture.Variant) async throws {
        let only = variant == .replacement ? DiskFaultFixture.lastCalls : []
        try await eachFails(variant, with: .failure(EIO), only: only)
    }

    @Test(
        "for lack of space ends with the exact file or an error that names it", arguments: [ENOSPC, EDQUOT])
    func noRoom(number: Int32) async throws {
        try await eachFails(.fresh, with: .failure(number), only: Self.growing)
    }

    @Test("for lack of permission ends with an error that names the file", arguments: [EACCES, EROFS])
    func noPermission(number: Int32) async throws {
        try await eachFails(
            .fresh, with: .failure(number), only: ["create", "open", "access", "rename", "unlink"])
    }

    @Test("interrupted by a signal is repeated")
    func interrupted() async throws {
        let statuses = try await eachFails(.resumed, with: .failure(EINTR))
        #expect(statuses == [0])
    }

    @Test(
        "that writes only half of the bytes is continued with the rest",
        arguments: DiskFaultFixture.Variant.allCases)
    func short(variant: DiskFaultFixture.Variant) async throws {
        let statuses = try await eachFails(variant, with: .short, only: Self.moving)
        #expect(statuses == [0])
    }

    @Test(
        "that fails permanently ends with an error that names the file, and never hangs",
        arguments: [
            "access", "stat", "lstat", "fstat", "create", "open", "flock", "ftruncate", "fallocate", "pwrite",
            "write",
            "fdatasync", "fsync", "rename", "unlink", "read", "pread",
        ])
    func forGood(call: String) async throws {
        try await Rounds.one {
            let fixture = try await DiskFaultFixture(
                ["ftruncate", "fallocate"].contains(call) ? .fresh : .resumed)
            let run = try await fixture.run(
                Shim.Fault(kind: .failure(EIO), call: 1, only: [call], isLasting: true))
            #expect(run.log.wasReached)
            #expect(run.result.status == 5)
            expectClear(run.result, call)
            try fixture.expectNoWrongFile(call)
            try await fixture.expectRecovery(call)
        }
    }

    @Test(
        "for lack of links and of an exclusive rename is worked around",
        arguments: [DiskFaultFixture.Variant.fresh, .small])
    func plainRename(variant: DiskFaultFixture.Variant) async throws {
        let missing = Shim.Fault(
            kind: .failure(ENOSYS), call: 1, only: ["unnamed", "renameat2", "link"], isLasting: true)
        let fixture = try await DiskFaultFixture(variant)
        let run = try await fixture.run(missing)
        #expect(run.log.calls.contains { $0.name == "link" && $0.isFaulty })
        #expect(run.result.status == 0, "\(run.result)")
        #expect(try fixture.mismatch() == nil)
        #expect(try fixture.names() == [DiskFaultFixture.name])

        let late = try await DiskFaultFixture(.fresh, query: "rate=20000")
        let process = try await late.start(missing)
        try await late.directory.waitFor(DiskFaultFixture.name + ".part")
        try late.directory.write(DiskFaultFixture.old, to: DiskFaultFixture.name)
        let result = await process.resultUnlessItHangs()
        #expect(result.status == 5 && result.errors.contains("exists"), "\(result)")
        #expect(try late.directory.read(DiskFaultFixture.name) == Array(DiskFaultFixture.old.utf8))
    }

    /// - Returns: How the runs ended.
    @discardableResult
    private func eachFails(
        _ variant: DiskFaultFixture.Variant, with kind: Shim.Fault.Kind, only: [String] = []
    ) async throws -> Set<Int32> {
        let rounds = try await Rounds.untilDone { number -> (status: Int32, phase: Phase)? in
            let fixture = try await DiskFaultFixture(variant)
            let run = try await fixture.run(Shim.Fault(kind: kind, call: number, only: only))
            guard run.log.wasReached else {
                #expect(run.result.status == 0, "\(run.result)")
                return nil
            }
            let call = run.log.calls.first(where: \.isFaulty)
            let what = "\(variant.rawValue), \(kind) at \(number): \(call?.name ?? "") \(call?.file ?? "")"
            expectClear(run.result, what)
            try fixture.expectNoWrongFile(what)
            if run.result.status == 0 {
                #expect(try fixture.isDone() && fixture.mismatch() == nil, "not exact after: \(what)")
                #expect(try fixture.names() == [DiskFaultFixture.name], "left behind after: \(what)")
            } else {
                try await fixture.expectRecovery(what)
            }
            return (run.result.status ?? -1, run.log.phase)
        }
        var tally = Tally()
        for round in rounds { tally.add(round.phase) }
        print("calls that failed, \(variant.rawValue), \(kind): \(tally)")
        return Set(rounds.map(\.status))
    }

    /// Expects success, or an error of the disk that names the file and a remedy.
    private func expectClear(_ result: ChildProcess.Result, _ what: String) {
        if result.status == 0 { return }
        #expect(result.status == 5, "\(what): \(result)")
        #expect(
            result.errors.contains(DiskFaultFixture.name) || result.errors.contains("'.'")
                || result.errors.contains("'new'"),
            "\(what): \(result.errors)")
        let ways = ["run it again", "choose another", "remove it"]
        #expect(ways.contains { result.errors.contains($0) }, "\(what): \(result.errors)")
    }
}

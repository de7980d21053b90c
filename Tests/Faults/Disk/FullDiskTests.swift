import Foundation
import TestContent
import TestSupport
import Testing

/// File systems that are really full, and a process with a limit on what it may write.
@Suite("A full disk")
struct FullDiskTests {
    private static let size: Int64 = 6_000_000

    private func arguments(_ server: TestServerProcess.Scenario, _ behaviour: String = "plain") -> [String] {
        let url = server.url(behaviour, Self.size, name: "f.bin")
        return ["fetch", "--progress", "none", "-s", "4", "--min-segment-size", "256k", "-o", "f.bin", url]
    }

    private func run(_ arguments: [String], in directory: String) async throws -> ChildProcess.Result {
        try await ChildProcess(Segdl.path, arguments, directory: directory).resultUnlessItHangs()
    }

    private func mismatch(in directory: String) throws -> Int64? {
        try TestContent(seed: 1).firstMismatch(inFile: directory + "/f.bin", length: Self.size)
    }

    @Test(
        "is reported before the transfer if blocks can be reserved, and leaves nothing",
        .enabled(if: Disk.isAvailable, Comment(rawValue: Disk.reason)))
    func reserved() async throws {
        let server = try await SharedServer.scenario()
        try await Disk.with(.ext4, megabytes: 8) { disk in
            try await Disk.shell("fallocate -l 2M '\(disk.path)/filler'")
            let result = try await run(arguments(server), in: disk.path)
            #expect(result.status == 5, "\(result)")
            #expect(result.errors.contains("reserve \(Self.size) bytes for 'f.bin.part'"), "\(result)")
            #expect(result.errors.contains("make room and run it again"), "\(result)")
            #expect(try TemporaryDirectory.names(of: disk.path).sorted() == ["filler", "lost+found"])
            // One request, whose body the command did not read.
            #expect(try await server.peak().requests == 1)

            try await Disk.shell("rm '\(disk.path)/filler'")
            let again = try await run(arguments(server), in: disk.path)
            #expect(again.status == 0, "\(again)")
            #expect(try mismatch(in: disk.path) == nil)
        }
    }

    @Test(
        "without inodes for further files is reported as such",
        .enabled(if: Disk.isAvailable, Comment(rawValue: Disk.reason)))
    func inodes() async throws {
        let server = try await SharedServer.scenario()
        try await Disk.with(.ext4, megabytes: 16) { disk in
            try await Disk.shell(
                "mkdir '\(disk.path)/d' && (cd '\(disk.path)/d' && seq 20000 | xargs touch) 2>/dev/null || true"
            )
            let result = try await run(arguments(server), in: disk.path)
            #expect(result.status == 5, "\(result)")
            #expect(result.errors.contains("no room for more files (inodes)"), "\(result)")

            try await Disk.shell("rm -r '\(disk.path)/d'")
            let again = try await run(arguments(server), in: disk.path)
            #expect(again.status == 0, "\(again)")
            #expect(try mismatch(in: disk.path) == nil)
        }
    }

    @Test(
        "that fills up during the transfer is reported, and with more space the same command resumes",
        .enabled(if: Disk.isAvailable, Comment(rawValue: Disk.reason)))
    func notReserved() async throws {
        let server = try await SharedServer.scenario()
        try await Disk.with(.ext2, megabytes: 8) { disk in
            try await Disk.shell("head -c 4M /dev/zero > '\(disk.path)/filler'")
            let result = try await run(arguments(server), in: disk.path)
            #expect(result.status == 5, "\(result)")
            #expect(result.errors.contains("f.bin.part"), "\(result)")
            #expect(result.errors.contains("make room and run it again to resume"), "\(result)")
            #expect(!FileManager.default.fileExists(atPath: disk.file("f.bin")))
            let sent = try await server.peak().bytesSent

            try await Disk.shell("rm '\(disk.path)/filler'")
            let again = try await run(arguments(server), in: disk.path)
            #expect(again.status == 0, "\(again)")
            #expect(try mismatch(in: disk.path) == nil)
            #expect(try TemporaryDirectory.names(of: disk.path).sorted() == ["f.bin", "lost+found"])
            #expect(try await server.peak().bytesSent > sent)
        }
    }

    @Test(
        "by a process limit (ulimit -f) is an error and not a crash",
        arguments: ["plain", "no-length", "no-ranges"])
    func limit(behaviour: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        // The process that runs the tests may ignore the signal, and this would be inherited.
        let limited = try await ChildProcess(
            "/usr/bin/env",
            ["--default-signal=XFSZ", "sh", "-c", "ulimit -f 4000; exec \"$0\" \"$@\"", Segdl.path]
                + arguments(server, behaviour), directory: directory.path
        ).resultUnlessItHangs()
        #expect(limited.status == 5, "\(limited)")
        #expect(limited.errors.contains("f.bin.part"), "\(limited)")
        #expect(limited.errors.contains("ulimit -f"), "\(limited)")
        let startsOver = limited.errors.contains("it starts from the beginning")
        #expect(startsOver == (behaviour != "plain"), "\(limited)")
        #expect(limited.errors.contains("nothing is kept") == startsOver, "\(limited)")
        #expect(!directory.names.contains("f.bin"))
        let again = try await run(arguments(server, behaviour), in: directory.path)
        #expect(again.status == 0, "\(again)")
        #expect(directory.names == ["f.bin"])
        #expect(try mismatch(in: directory.path) == nil)
    }

    @Test("by a process limit fails the file of a queue, which does not wait for another limit")
    func limitOfQueue() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", Self.size, name: "f.bin")
        let queue = ["--queue", "queue.sqlite"]
        _ = try await run(["queue", "add"] + queue + [url], in: directory.path)
        let limited = try await ChildProcess(
            "/usr/bin/env",
            [
                "--default-signal=XFSZ", "sh", "-c", "ulimit -f 4000; exec \"$0\" \"$@\"", Segdl.path,
                "queue",
                "start", "--until-idle", "--progress", "plain",
            ] + queue, directory: directory.path
        ).resultUnlessItHangs()
        #expect(limited.status == 1, "\(limited)")
        #expect(limited.errors.contains("f.bin.part': file too large"), "\(limited)")
        #expect(limited.errors.contains("raise the limit (ulimit -f)"), "\(limited)")
        let again = try await run(["queue", "start", "--until-idle", "all"] + queue, in: directory.path)
        #expect(again.status == 0, "\(again)")
        #expect(try mismatch(in: directory.path) == nil)
    }
}

import Foundation
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A directory")
struct DirectoryTests {
    private static let size: Int64 = 2_000_000

    private func mismatch(_ file: String) throws -> Int64? {
        try TestContent(seed: 1).firstMismatch(inFile: file, length: Self.size)
    }

    @Test(
        "of a read-only file system is reported as such, and its content is resumed later",
        .enabled(if: Disk.isAvailable, Comment(rawValue: Disk.reason)))
    func readOnly() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("plain", Self.size, name: "f.bin", "rate=500000")
        try await Disk.with(.ext4, megabytes: 16) { disk in
            let arguments = ["fetch", "--progress", "none", "-s", "4", "-d", disk.path, url]
            let killed = try Segdl.start(arguments)
            while ((try? DiskFaultFixture.manifest(disk.file("f.bin")))??.written.isEmpty ?? true),
                killed.isRunning
            {
                try await Task.sleep(for: .milliseconds(10))
            }
            killed.send(SIGKILL)
            #expect(await killed.result().signal == SIGKILL)

            try await disk.remount("ro")
            for more in [[], ["--restart"], ["-o", disk.file("new")]] {
                let target = more.first == "-o" ? ["fetch"] + more + [url] : arguments + more
                let result = try await Segdl.run(target)
                #expect(result.status == 5, "\(result)")
                #expect(result.errors.contains(disk.path), "\(result)")
                #expect(result.errors.contains("choose another directory"), "\(result)")
            }
            try await disk.remount("rw")
            let again = try await Segdl.run(arguments)
            #expect(again.status == 0, "\(again)")
            #expect(try mismatch(disk.file("f.bin")) == nil)
        }
    }

    @Test(
        "that vanishes during a download ends it with an error, and no file appears elsewhere",
        arguments: ["rm -r", "mv"])
    func vanishes(how: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try await Disk.shell("mkdir '\(directory.file("there"))'")
        let arguments = [
            "fetch", "--progress", "none", "-s", "4", "-o", directory.file("there/f.bin"),
            server.url("plain", Self.size, name: "f.bin", "rate=300000"),
        ]
        let process = try Segdl.start(arguments)
        try await directory.waitFor("there/f.bin.part.segdl")
        let moved = how == "mv" ? directory.file("elsewhere") : ""
        // The program may store a file between the steps of `rm`.
        let command = "\(how) '\(directory.file("there"))' \(moved)"
        try await Disk.shell(how == "mv" ? command : "\(command) || \(command)")
        let result = await process.resultUnlessItHangs()
        #expect(result.status == 5, "\(result)")
        #expect(result.errors.contains(directory.file("there/f.bin.part")), "\(result)")
        #expect(
            result.errors.contains("choose another") || result.errors.contains("run it again"), "\(result)")
        #expect(directory.names == (how == "mv" ? ["elsewhere"] : []))

        try await Disk.shell("mkdir '\(directory.file("there"))'")
        let again = try await Segdl.run(arguments)
        #expect(again.status == 0, "\(again)")
        #expect(try mismatch(directory.file("there/f.bin")) == nil)
    }
}

import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

/// The real command on file systems that people mount. If the machine cannot mount one, the reason is
/// printed.
@Suite("On a real file system of another type")
struct RealFileSystemTests {
    private static let odd = "lm=Wed,%2001%20Jan%202025%2000:00:01%20GMT"

    private func run(_ arguments: [String], in directory: TemporaryDirectory) async throws
        -> ChildProcess.Result
    {
        try await Segdl.start(arguments, in: directory).resultUnlessItHangs()
    }

    private func expectExact(
        _ name: String, _ size: Int64, seed: UInt64 = 1, in directory: TemporaryDirectory
    )
        throws
    {
        #expect(
            try TestContent(seed: seed).firstMismatch(inFile: directory.file(name), length: size) == nil,
            "\(name)")
    }

    @Test(
        "a segmented file and a small one are exact, recognized again, and replaced",
        arguments: MountedDirectory.allCases)
    func fetch(kind: MountedDirectory) async throws {
        let server = try await SharedServer.scenario()
        try await kind.with { directory in
            for size: Int64 in [1_200_000, 5_000] {
                let name = "f\(size).bin"
                let url = server.url("plain", size, name: name, Self.odd)
                let fetch = ["fetch", "--progress", "plain", "-s", "4", "--min-segment-size", "256k"]
                let first = try await run(fetch + ["-o", name, url], in: directory)
                #expect(first.status == 0, "\(kind), \(size): \(first)")
                try expectExact(name, size, in: directory)
                let before = try await server.requests().count
                let again = try await run(fetch + ["-o", name, url], in: directory)
                #expect(again.status == 0, "\(kind), \(size), again: \(again)")
                let more = try await server.requests().count - before
                #expect(more <= 1, "\(kind), \(size)")
                let other = server.url("plain", size, name: name, "seed=2&" + Self.odd)
                let replaced = try await run(
                    fetch + ["--if-exists", "replace", "--no-resume-check", "-o", name, other + "&x=1"],
                    in: directory)
                #expect(replaced.status == 0, "\(kind), \(size), replaced: \(replaced)")
            }
            #expect(directory.names == ["f1200000.bin", "f5000.bin"], "\(kind)")
        }
    }

    @Test(
        "a refused name is escaped if a server chose it",
        arguments: [MountedDirectory.ntfs, .exfat, .rclone, .sshfs])
    func names(kind: MountedDirectory) async throws {
        let server = try await SharedServer.scenario()
        try await kind.with { directory in
            let url = server.url("plain", 5_000, name: "a%3Ab.bin", "")
            let result = try await run(["fetch", "--progress", "plain", url], in: directory)
            #expect(result.status == 0, "\(kind): \(result)")
            #expect(directory.names == [kind.refusesColons ? "a%3Ab.bin" : "a:b.bin"], "\(kind)")
            #expect(result.errors.contains("refuses the name 'a:b.bin'") == kind.refusesColons, "\(kind)")

            let typed = try await run(["fetch", "--progress", "plain", "-o", "c:d.bin", url], in: directory)
            #expect(typed.status == (kind.refusesColons ? 5 : 0), "\(kind): \(typed)")
            #expect(typed.errors.contains("may refuse names with ':'") == kind.refusesColons, "\(typed)")

            let line = #"{"url": "\#(url)", "path": "dir/e:f.bin"}"#
            try directory.write(line + "\n", to: "list.jsonl")
            for run in ["first", "second"] {
                let mirror = try await self.run(
                    ["mirror", "--progress", "plain", "list.jsonl", "tree"], in: directory)
                #expect(mirror.status == 0, "\(kind), \(run): \(mirror)")
            }
            try expectExact(
                kind.refusesColons ? "tree/dir/e%3Af.bin" : "tree/dir/e:f.bin", 5_000, in: directory)
        }
    }

    @Test(
        "of two equivalent names, the second fails, the first is kept, and the proof is correct",
        arguments: [MountedDirectory.lowntfs, .exfat])
    func letters(kind: MountedDirectory) async throws {
        let server = try await SharedServer.scenario()
        try await kind.with { directory in
            let urls = [("Makefile", 1), ("makefile", 2)].map {
                server.url("plain", 5_000, name: $0, "seed=\($1)")
            }
            for jobs in ["1", "2"] {
                let fetch = try await run(
                    ["fetch", "--progress", "none", "-j", jobs, "--if-exists", "replace"] + urls,
                    in: directory)
                #expect(fetch.status != 0, "\(kind), \(jobs): \(fetch)")
                #expect(fetch.errors.contains("is the same file as"), "\(kind), \(jobs): \(fetch)")
                try expectExact("Makefile", 5_000, in: directory)
            }
            for jobs in ["1", "2"] {
                let numbered = try await run(
                    ["fetch", "--progress", "none", "-j", jobs, "--if-exists", "rename", "-d", "n" + jobs]
                        + urls, in: directory)
                #expect(numbered.status == 0, "\(kind): \(numbered)")
                try expectExact("n\(jobs)/Makefile", 5_000, in: directory)
                try expectExact("n\(jobs)/makefile.1", 5_000, seed: 2, in: directory)
            }

            let list = zip(urls, ["dir/Makefile", "dir/makefile"]).map {
                #"{"url": "\#($0)", "path": "\#($1)"}"#
            }
            try directory.write(list.joined(separator: "\n") + "\n", to: "list.jsonl")
            for attempt in ["first", "second", "third"] {
                let mirror = try await run(
                    ["mirror", "--progress", "none", "--proof", "proof", "list.jsonl", "tree"], in: directory)
                #expect(mirror.status == 1, "\(kind), \(attempt): \(mirror)")
                try expectExact("tree/dir/Makefile", 5_000, in: directory)
                let sums = String(decoding: try directory.read("proof/SHA256SUMS"), as: UTF8.self)
                #expect(
                    sums.contains("dir/Makefile") && !sums.contains("dir/makefile"), "\(attempt): \(sums)")
            }
            try directory.write(list[0] + "\n", to: "list.jsonl")
            let one = try await run(
                ["mirror", "--progress", "none", "--delete", "list.jsonl", "tree"], in: directory)
            #expect(one.status == 0, "\(kind): \(one)")
            try expectExact("tree/dir/Makefile", 5_000, in: directory)
        }
    }

    @Test("of two mirrored names that differ in the case of a letter outside of ASCII, the second fails")
    func foreignLetters() async throws {
        let server = try await SharedServer.scenario()
        try await MountedDirectory.lowntfs.with { directory in
            let (first, second) = ("\u{c4}pfel", "\u{e4}pfel")
            let list = [(first, 1), (second, 2)].map {
                let url = server.url("plain", 5_000, name: "f\($1).bin", "seed=\($1)&" + Self.odd)
                return #"{"url": "\#(url)", "path": "\#($0)"}"#
            }
            try directory.write(list.joined(separator: "\n") + "\n", to: "list.jsonl")
            // A file of the same size and date, by the other name, must not be adopted either.
            for more in [[], [], ["--adopt"], ["--restart"]] {
                let mirror = try await run(
                    ["mirror", "--progress", "none", "--proof", "proof", "list.jsonl", "tree"] + more,
                    in: directory)
                #expect(mirror.status == 1 && mirror.errors.contains("is the same file as"), "\(mirror)")
                try expectExact("tree/" + first, 5_000, in: directory)
                let sums = String(decoding: try directory.read("proof/SHA256SUMS"), as: UTF8.self)
                #expect(sums.contains(first) && !sums.contains(second), "\(more): \(sums)")
            }
        }
    }

    // Not rclone, whose cache may lose a page of memory that SQLite shares through a file.
    @Test(
        "a mirror's later proof takes the place of the earlier one",
        arguments: [MountedDirectory.ntfs, .lowntfs, .exfat, .sshfs])
    func proof(kind: MountedDirectory) async throws {
        let server = try await SharedServer.scenario()
        try await kind.with { directory in
            let lines = (1...3).map { number in
                let name = "f\(number).bin"
                let url = server.url("plain", 5_000, name: name, Self.odd)
                return #"{"url": "\#(url)", "path": "\#(name)"}"#
            }
            for count in 1...3 {
                try directory.write(lines.prefix(count).joined(separator: "\n") + "\n", to: "list.jsonl")
                let mirror = try await run(
                    ["mirror", "--progress", "none", "list.jsonl", "tree"], in: directory)
                #expect(mirror.status == 0, "\(kind), \(count): \(mirror)")
                let sums = String(decoding: try directory.read("tree/SHA256SUMS"), as: UTF8.self)
                #expect(sums.split(separator: "\n").count == count, "\(kind): \(sums)")
                #expect(!directory.exists("tree/SHA256SUMS.segdl"), "\(kind), \(count)")
            }
        }
    }

    // Not rclone, which reports an error for a file that is removed while it is uploaded.
    @Test(
        "the name of a Windows device is escaped where it is refused",
        arguments: [MountedDirectory.ntfs, .lowntfs, .exfat, .sshfs])
    func devices(kind: MountedDirectory) async throws {
        let server = try await SharedServer.scenario()
        let refuses = [MountedDirectory.ntfs, .lowntfs].contains(kind)
        let names = [("con", "co%6E"), ("nul.txt", "nu%6C.txt"), ("aux", "au%78"), ("com1.x", "com%31.x")]
        try await kind.with { directory in
            let lines = names.map { name, _ in
                let url = server.url("plain", 5_000, name: "f.bin", Self.odd)
                return #"{"url": "\#(url)", "path": "\#(name)/\#(name)"}"#
            }
            try directory.write(lines.joined(separator: "\n") + "\n", to: "list.jsonl")
            for attempt in ["first", "second"] {
                let mirror = try await run(
                    ["mirror", "--progress", "none", "--delete-all", "list.jsonl", "tree"], in: directory)
                #expect(mirror.status == 0, "\(kind), \(attempt): \(mirror)")
                for (plain, escaped) in names {
                    let name = refuses ? escaped : plain
                    try expectExact("tree/\(name)/\(name)", 5_000, in: directory)
                }
            }
        }
    }

    @Test("a mirror to a mount without a cache says what is missing, in each run, and leaves no database")
    func withoutDatabases() async throws {
        let server = try await SharedServer.scenario()
        try await MountedDirectory.rcloneWithoutCache.with { directory in
            let home = try TemporaryDirectory()
            let url = server.url("plain", 5_000, name: "f.bin", Self.odd)
            try home.write(#"{"url": "\#(url)", "path": "f.bin"}"# + "\n", to: "list.jsonl")
            let tree = directory.file("tree")
            for attempt in ["first", "second"] {
                let mirror = try await run(
                    ["mirror", "--progress", "none", home.file("list.jsonl"), tree], in: home)
                #expect(mirror.status != 0, "\(attempt): \(mirror)")
                #expect(mirror.errors.contains("--vfs-cache-mode writes"), "\(attempt): \(mirror)")
                #expect(!directory.exists("tree/.segdl-mirror.sqlite"), "\(attempt)")
            }
            let doctor = try await run(["doctor", directory.path], in: home)
            #expect(doctor.output.contains("no databases"), "\(doctor)")
        }
    }
}

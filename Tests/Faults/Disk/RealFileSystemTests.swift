import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

/// The real command on file systems that people mount. What the machine cannot mount is printed with the
/// reason.
@Suite("On a real file system of another kind")
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
        "a file in segments and a small one are exact, known again, and replaced",
        arguments: [MountedDirectory.ntfs, .lowntfs, .rclone])
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
        "a name that it refuses is escaped if a server chose it",
        arguments: [MountedDirectory.ntfs, .exfat, .rclone])
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
}

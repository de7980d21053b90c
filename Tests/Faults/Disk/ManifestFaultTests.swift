import Foundation
import TestContent
import TestSupport
import Testing

/// Faults of `NAME.part.segdl`. The codec's tests try every truncation and every flipped bit; here the real
/// command reads some of them.
@Suite("A manifest", .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct ManifestFaultTests {
    private static let manifest = "f.bin.part.segdl"

    /// Fetches a file whose manifest was changed by `harm`.
    private func fetch(_ what: String, _ harm: (inout [UInt8]) -> Void) async throws -> ChildProcess.Result {
        let fixture = try await DiskFaultFixture(.resumed, options: ["--progress", "plain"])
        var bytes = try fixture.directory.read(Self.manifest)
        harm(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: fixture.directory.file(Self.manifest)))
        let run = try await fixture.run()
        #expect(run.result.status == 0, "\(what): \(run.result)")
        let mismatch = try fixture.mismatch()
        #expect(mismatch == nil, "wrong from byte \(mismatch ?? -1): \(what)")
        #expect(try fixture.names() == [DiskFaultFixture.name], "\(what)")
        return run.result
    }

    @Test("truncated at any length, or empty, does no harm")
    func cutOff() async throws {
        _ = try await Rounds.run(Array(0...12)) { step in
            try await fetch("cut to \(step)/12") { $0.removeLast($0.count - $0.count * step / 12) }
        }
    }

    @Test("with a flipped bit does no harm")
    func flippedBits() async throws {
        _ = try await Rounds.run(Array(0..<16)) { step in
            try await fetch("bit flipped, \(step)") { bytes in
                let flipped: UInt8 = 1 << UInt8(step % 8)
                bytes[(bytes.count - 1) * step / 15] ^= flipped
            }
        }
    }

    @Test(
        "of an impossible or foreign format is reported, and the file starts over",
        arguments: ["version", "junk"])
    func foreign(what: String) async throws {
        let result = try await fetch(what) { bytes in
            if what == "junk" {
                bytes = Array("not a manifest\n".utf8)
            } else if let digit = bytes.firstIndex(of: UInt8(ascii: "1")) {
                bytes[digit] = UInt8(ascii: "0")
            }
        }
        #expect(result.errors.contains("starting over, because its manifest is damaged"), "\(result.errors)")
    }

    @Test("of a newer version is refused, and its bytes are kept")
    func newer() async throws {
        let fixture = try await DiskFaultFixture(.resumed)
        var bytes = try fixture.directory.read(Self.manifest)
        let digit = try #require(bytes.firstIndex(of: UInt8(ascii: "1")))
        bytes[digit] = UInt8(ascii: "2")
        try Data(bytes).write(to: URL(fileURLWithPath: fixture.directory.file(Self.manifest)))
        let part = try fixture.directory.read("f.bin.part")
        let run = try await fixture.run()
        #expect(run.result.status == 5, "\(run.result)")
        #expect(run.result.errors.contains("newer version (format 2)"), "\(run.result)")
        #expect(run.result.errors.contains("--restart"), "\(run.result)")
        #expect(try fixture.directory.read(Self.manifest) == bytes)
        #expect(try fixture.directory.read("f.bin.part") == part)
    }

    @Test(
        "of another URL is used only if the bytes are the same, and otherwise kept",
        arguments: ["seed=1", "seed=2"])
    func anotherURL(seed: String) async throws {
        let directory = try TemporaryDirectory()
        let server = try await SharedServer.scenario()
        let killed = try Segdl.start(
            [
                "fetch", "-s", "4", "-o", "f.bin",
                server.url("plain", DiskFaultFixture.size, name: "a", "\(seed)&rate=100000"),
            ],
            in: directory)
        try await Segdl.waitUntilKept("f.bin", atLeast: 200_000, in: directory)
        killed.send(SIGKILL)
        #expect(await killed.result().signal == SIGKILL)
        // The server sends the same for both: no validator distinguishes them.
        let arguments = [
            "fetch", "-s", "4", "-o", "f.bin",
            server.url("plain", DiskFaultFixture.size, name: "b", "etag=\"x\""),
        ]
        var result = try await Segdl.run(arguments, in: directory)
        if seed == "seed=2" {
            #expect(result.status == 5, "\(result)")
            #expect(result.errors.contains("its bytes differ"), "\(result)")
            #expect(result.errors.contains("--restart"), "\(result)")
            // A kill during a checkpoint leaves the new manifest under its temporary name.
            #expect(
                directory.names.filter { !$0.hasSuffix(".new") } == ["f.bin.part", "f.bin.part.segdl"])
            result = try await Segdl.run(arguments + ["--restart"], in: directory)
        }
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["f.bin"])
        let mismatch = try TestContent(seed: 1).firstMismatch(
            inFile: directory.file("f.bin"), length: DiskFaultFixture.size)
        #expect(mismatch == nil, "wrong from byte \(mismatch ?? -1)")
    }

    @Test(
        "with something else in its place is an error that names it, or is replaced",
        arguments: [("mkdir", 5), ("mkfifo", 0), ("ln -s other", 5)] as [(String, Int32)])
    func anotherKind(make: String, status: Int32) async throws {
        let fixture = try await DiskFaultFixture(.resumed)
        try await Disk.shell(
            "cd '\(fixture.directory.path)' && rm \(Self.manifest) && \(make) \(Self.manifest)")
        let run = try await fixture.run()
        #expect(run.result.status == status, "\(run.result)")
        guard status != 0 else {
            #expect(try fixture.mismatch() == nil)
            return
        }
        #expect(run.result.errors.contains(Self.manifest), "\(run.result)")
        #expect(run.result.errors.contains("choose another path"), "\(run.result)")
        #expect(!fixture.hasFinalFile && !fixture.directory.names.contains("other"))
    }
}

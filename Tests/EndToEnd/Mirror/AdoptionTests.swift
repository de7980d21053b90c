import Foundation
import TestSupport
import Testing

/// Trees made by another program or fetched from another URL, and copies whose bytes have changed.
@Suite("A mirror of existing files")
struct AdoptionTests {
    /// Copies the server's tree like rsync and rclone, with its dates.
    private func copyTree(of fixture: MirrorFixture) throws {
        try FileManager.default.copyItem(atPath: fixture.nginx.root.file("tree"), toPath: fixture.copy)
        for path in try MirroredTree.files(fixture.copy).keys {
            try setDate(of: path, in: fixture, from: fixture.nginx.root.file("tree/" + path))
        }
    }

    private func setDate(
        of path: String, in fixture: MirrorFixture, from model: String, plus seconds: Double = 0
    ) throws {
        let date = try #require(try MirrorFixture.modified(model)).addingTimeInterval(seconds)
        try FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: fixture.copy + "/" + path)
    }

    private func bodies(_ run: MirrorFixture.Run) -> Int { run.files.count { $0.status < 300 } }

    @Test("adopts files of the server's size and date, and fetches the others")
    func adopts() async throws {
        let fixture = try await MirrorFixture()
        try copyTree(of: fixture)
        let model = fixture.nginx.root.file("tree/a.bin")
        // Within and beyond the tolerance for dates of file systems; another size.
        try setDate(of: "a.bin", in: fixture, from: model, plus: 1.5)
        try setDate(of: "b c.bin", in: fixture, from: model, plus: -3600)
        try fixture.directory.write("short", to: "copy/one/a.bin")
        try setDate(of: "one/a.bin", in: fixture, from: fixture.nginx.root.file("tree/one/a.bin"))

        let dry = try await fixture.run("--adopt", "--dry-run")
        #expect(
            dry.end.output.split(separator: "\n").sorted() == ["replace b c.bin", "replace one/a.bin"],
            "\(dry.end)")
        #expect(dry.end.errors.contains("fetch 2, keep 7"), "\(dry.end)")
        let first = try await fixture.run("--adopt")
        #expect(first.end.status == 0 && first.end.errors.contains("2 fetched"), "\(first.end.errors)")
        #expect(first.end.errors.contains("7 kept") && !first.end.errors.contains("--adopt"))
        try fixture.expectExact()
        let proof = try await Segdl.run(["verify", fixture.copy + "/SHA256SUMS"])
        #expect(proof.status == 0 && proof.errors.contains("9 of 9"), "\(proof.errors)")

        // From now on they are known.
        let second = try await fixture.run()
        #expect(second.end.status == 0 && second.end.errors.contains("9 kept"), "\(second.end.errors)")
        #expect(second.files.count == 9 && bodies(second) == 0, "\(second.files)")
    }

    @Test("reports how many files were not fetched from this source, and how to avoid fetching them again")
    func told() async throws {
        let fixture = try await MirrorFixture()
        try copyTree(of: fixture)
        let dry = try await fixture.run("--dry-run")
        #expect(dry.end.errors.contains("9 local files were not fetched from this source"), "\(dry.end)")
        #expect(dry.end.errors.contains("--adopt"), "\(dry.end)")
        let first = try await fixture.run()
        #expect(first.end.status == 0 && first.end.errors.contains("9 fetched"), "\(first.end.errors)")
        #expect(first.end.errors.contains("9 local files were not fetched from this source"))
        let second = try await fixture.run()
        #expect(!second.end.errors.contains("--adopt"), "\(second.end.errors)")
    }

    @Test("adopts its own files when the source has another host name or path")
    func moved() async throws {
        let fixture = try await MirrorFixture()
        #expect(try await fixture.run().end.status == 0)
        let host = fixture.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        let other = try await fixture.run("--adopt", source: host)
        #expect(other.end.status == 0 && other.end.errors.contains("9 kept"), "\(other.end.errors)")
        try FileManager.default.moveItem(
            atPath: fixture.nginx.root.file("tree"), toPath: fixture.nginx.root.file("pub"))
        let path = fixture.nginx.url("pub/")
        let dry = try await fixture.run("--dry-run", source: path)
        #expect(dry.end.errors.contains("9 local files were not fetched"), "\(dry.end)")
        let moved = try await fixture.run("--adopt", "--delete", source: path)
        #expect(moved.end.status == 0 && moved.end.errors.contains("9 kept"), "\(moved.end.errors)")
        let again = try await fixture.run(source: path)
        #expect(bodies(again) == 0 && again.end.errors.contains("9 kept"), "\(again.end.errors)")
    }

    @Test(
        "with --verify finds changed bytes of the same size and date, and fetches those files",
        arguments: [[], ["--adopt"]])
    func verifies(options: [String]) async throws {
        let fixture = try await MirrorFixture()
        #expect(try await fixture.run().end.status == 0)
        let good = try fixture.read("one/a.bin")
        let place = fixture.copy + "/one/a.bin"
        let date = try #require(try MirrorFixture.modified(place))
        let handle = try #require(FileHandle(forUpdatingAtPath: place))
        try handle.write(contentsOf: Data("rot".utf8))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: place)
        #expect(try await fixture.run().end.errors.contains("9 kept"))
        let check = try await Segdl.run(["verify", fixture.copy + "/SHA256SUMS"])
        #expect(check.status != 0 && check.errors.contains("segdl mirror --verify"), "\(check.errors)")

        let dry = try await fixture.run("--verify", "--dry-run")
        #expect(dry.end.output == "replace one/a.bin\n", "\(dry.end)")
        let arguments = ["mirror", "--verify"] + options + [fixture.url, fixture.copy]
        let run = try await Segdl.run(arguments, in: fixture.directory)
        #expect(run.status == 0 && run.errors.contains("1 fetched"), "\(run.errors)")
        #expect(run.errors.contains("8 kept") && run.errors.contains("one/a.bin' does not have the digest"))
        #expect(try fixture.read("one/a.bin") == good)
        try fixture.expectExact()
        #expect(try await Segdl.run(["verify", fixture.copy + "/SHA256SUMS"]).status == 0)
        #expect(try await fixture.run("--verify").end.errors.contains("9 kept"))
    }
}

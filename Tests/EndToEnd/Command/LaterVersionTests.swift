import SegmentedDLDatabase
import TestSupport
import Testing

/// Files changed as by a later version, made from those that the current version leaves (`Tests/Earlier`).
@Suite("A file of a later version is refused with a message and left unchanged")
struct LaterVersionTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try EarlierFiles.copy(EarlierFiles.latest)
    }

    /// Changes a database as a later version would.
    private func update(_ name: String) throws {
        let database = try Database(directory.filePath(name), .readWrite)
        try database.run(
            "ALTER TABLE grdb_migrations ADD COLUMN later; INSERT INTO grdb_migrations VALUES ('99', 1)")
        database.close()
    }

    /// Runs the command, which must refuse the file without changing it.
    private func refuse(
        _ name: String, _ arguments: [String],
        words: String = "was created by a newer version; open it with that version",
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try directory.read(name)
        let result = try await Segdl.run(arguments, in: directory)
        #expect(result.status == 5, "\(arguments): \(result)", sourceLocation: location)
        #expect(result.errors.contains(words), "\(arguments): \(result)", sourceLocation: location)
        #expect(result.errors.contains(name), "\(arguments): \(result)", sourceLocation: location)
        #expect(try directory.read(name) == before, "\(arguments)", sourceLocation: location)
    }

    @Test(
        "a queue",
        arguments: [
            ["list"], ["start"], ["add", "http://127.0.0.1:1/x"], ["pause", "all"], ["remove", "all"],
        ])
    func queue(verb: [String]) async throws {
        try update("queue.sqlite")
        try await refuse("queue.sqlite", ["queue", verb[0], "--queue", "queue.sqlite"] + verb.dropFirst())
    }

    @Test("the queue, or the store, of a daemon", arguments: ["daemon.sqlite", "daemon.sqlite.jobs"])
    func daemon(name: String) async throws {
        try update(name)
        try await refuse(
            name, ["serve", "-d", ".", "--queue", "daemon.sqlite", "--listen", "127.0.0.1:1", "-q"])
    }

    @Test("the state of a mirror", arguments: [[], ["--restart"], ["--dry-run"]])
    func mirror(options: [String]) async throws {
        try directory.makeDirectory("copy")
        for ending in ["", "-wal"] {
            try directory.rename("mirror.sqlite" + ending, to: "copy/.segdl-mirror.sqlite" + ending)
        }
        try update("copy/.segdl-mirror.sqlite")
        try await refuse("copy/.segdl-mirror.sqlite", ["mirror"] + options + ["http://127.0.0.1:1/", "copy"])
        #expect(
            try TemporaryDirectory.names(of: directory.file("copy")).allSatisfy {
                $0.hasPrefix(".segdl-mirror.")
            })
    }

    @Test("the manifest of an unfinished file", arguments: [["inspect"], ["inspect", "--json"]])
    func manifest(arguments: [String]) async throws {
        let text = String(decoding: try directory.read("manifest.segdl"), as: UTF8.self)
        try directory.write(
            text.replacing("segdl-manifest 1 ", with: "segdl-manifest 2 "), to: "f.part.segdl")
        try await refuse(
            "f.part.segdl", arguments + ["f"],
            words: "was written by another version (format 2); use that one")
    }

    @Test("but a proof with unknown members is read")
    func proof() async throws {
        let text = String(decoding: try directory.read("proof.jsonl"), as: UTF8.self)
        let later = text.replacing("{", with: "{\"a_later_member\":{\"x\":[1]},")
        try directory.write(later, to: "later.jsonl")
        try directory.makeDirectory("sub")
        for (name, content) in [("one.txt", "one\n"), ("two.txt", "two\n"), ("sub/drei é.txt", "drei é\n")] {
            try directory.write(content, to: name)
        }
        let result = try await Segdl.run(["verify", "later.jsonl"], in: directory)
        #expect(result.status == 0, "\(result)")
        try directory.write("two?", to: "two.txt")
        let damaged = try await Segdl.run(["verify", "later.jsonl"], in: directory)
        #expect(damaged.status == 1 && damaged.errors.contains("two.txt"), "\(damaged)")
    }
}

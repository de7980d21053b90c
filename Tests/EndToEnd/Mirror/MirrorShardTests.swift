import Foundation
import TestSupport
import Testing

@Suite("segdl mirror --shard")
struct MirrorShardTests {
    private static let proofs = ["segdl-mirror.jsonl", "SHA256SUMS"]

    /// The files that shards leave next to the mirrored ones.
    private func files(_ rig: MirrorFixture) throws -> [String: Data] {
        try MirroredTree.files(rig.copy).filter {
            !$0.key.hasPrefix(".segdl-mirror.") && !$0.key.contains("-of-")
        }
    }

    private func expectExact(_ rig: MirrorFixture, location: SourceLocation = #_sourceLocation) throws {
        #expect(
            try files(rig) == MirroredTree.files(rig.nginx.root.file("tree")), sourceLocation: location)
    }

    private func report(_ rig: MirrorFixture, _ arguments: String..., from places: [String] = ["copy"])
        async throws -> ChildProcess.Result
    {
        try await Segdl.run(["mirror", "report"] + arguments + places, in: rig.directory)
    }

    /// Returns a tree of 59 files, and the proof of a single run over it.
    private func rig() async throws -> MirrorFixture {
        let rig = try await MirrorFixture()
        for number in 0..<50 {
            let place = "tree/d\(number % 5)"
            try rig.nginx.root.makeDirectory(place)
            try rig.nginx.root.write("\(number)", to: "\(place)/f\(number).bin")
        }
        let whole = try await Segdl.run(
            ["mirror", "--proof", "whole", rig.url, "single"], in: rig.directory)
        #expect(whole.status == 0, "\(whole.errors)")
        return rig
    }

    private func expectProved(_ rig: MirrorFixture, location: SourceLocation = #_sourceLocation) throws {
        for name in Self.proofs {
            #expect(
                try rig.directory.read("merged/" + name) == rig.directory.read("whole/" + name),
                sourceLocation: location)
        }
    }

    @Test("four into one directory: the tree is exact, and the merged proof equals that of a single run")
    func four() async throws {
        let rig = try await rig()
        try rig.directory.makeDirectory("merged")
        try await withThrowingTaskGroup(of: MirrorFixture.Run.self) { group in
            for index in 1...4 {
                group.addTask { try await rig.run("--shard", "\(index)/4", "--delete-all") }
            }
            for try await run in group { #expect(run.end.status == 0, "\(run.end.errors)") }
        }
        try expectExact(rig)
        let end = try await report(
            rig, "--proof", "merged/segdl-mirror.jsonl", "--sums", "merged/SHA256SUMS")
        #expect(end.status == 0 && end.output.contains("59 files, "), "\(end.output) \(end.errors)")
        try expectProved(rig)
        // Next to the files it is kept, too.
        #expect(try await report(rig, "--sums", "copy/SHA256SUMS").status == 0)
        // Once more, with deletion: every file is requested once, and no shard removes another one's files.
        try rig.nginx.root.remove("tree/d1")
        try rig.directory.write("mine", to: "copy/mine.txt")
        for index in 1...4 {
            let run = try await rig.run("--shard", "\(index)/4", "--delete-all")
            #expect(run.end.status == 0, "\(run.end.errors)")
            #expect(run.files.allSatisfy { $0.status == 304 })
        }
        try expectExact(rig)
        #expect(try rig.directory.read("copy/SHA256SUMS") == rig.directory.read("whole/SHA256SUMS"))
    }

    @Test("each into its own; a missing one is named, and nothing is written")
    func missing() async throws {
        let rig = try await rig()
        try rig.directory.makeDirectory("merged")
        for index in [1, 2, 4] {
            let end = try await Segdl.run(
                ["mirror", "--shard", "\(index)/4", rig.url, "copy\(index)"], in: rig.directory)
            #expect(end.status == 0, "\(end.errors)")
        }
        let places = ["copy1", "copy2", "copy4"]
        let end = try await report(rig, "--sums", "merged/SHA256SUMS", from: places)
        #expect(end.status == 1 && end.output.contains("shard 3/4: missing"), "\(end.output)")
        #expect(end.errors.contains("no merged proof was written"))
        #expect(!rig.directory.exists("merged/SHA256SUMS"))
        let json = try await report(rig, "--json", from: places)
        let events = try json.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(json.status == 1 && events.count == 5)
        #expect(events[2]["state"] as? String == "missing")
        #expect(events.last?["complete"] as? Bool == false)
        #expect(try await report(rig, from: ["single"]).status == 64)
    }

    @Test("failures are named, and the merged proof equals that of a single run without them")
    func failed() async throws {
        let rig = try await MirrorFixture(
            server: "location = /tree/a.bin { if (-f $document_root/off) { return 404; } }")
        try rig.nginx.root.write("", to: "off")
        try rig.directory.makeDirectory("merged")
        _ = try await Segdl.run(["mirror", "--proof", "whole", rig.url, "single"], in: rig.directory)
        var statuses: [Int32?] = []
        for index in 1...3 { statuses.append(try await rig.run("--shard", "\(index)/3").end.status) }
        #expect(statuses.filter { $0 == 1 }.count == 1)
        let end = try await report(
            rig, "--proof", "merged/segdl-mirror.jsonl", "--sums", "merged/SHA256SUMS")
        #expect(end.status == 1 && end.output.contains("  a.bin: "), "\(end.output)")
        try expectProved(rig)
    }

    @Test("killed, it counts as unfinished, and resumes when rerun", .timeLimit(.minutes(10)))
    func killed() async throws {
        let rig = try await rig()
        try rig.directory.makeDirectory("merged")
        #expect(try await rig.run("--shard", "1/2").end.status == 0)
        var before: ChildProcess.Result
        // A busy machine may be too late for the kill. Another run, which asks about all files again, serves
        // as well.
        repeat {
            let goal = rig.nginx.accessLog.count + 18
            let process = try Segdl.start(
                ["mirror", "-j", "1", "--shard", "2/2", rig.url, rig.copy], in: rig.directory)
            while process.isRunning, rig.nginx.accessLog.count < goal {
                try await Task.sleep(for: .milliseconds(1))
            }
            process.send(SIGKILL)
            _ = await process.result()
            before = try await report(rig)
        } while before.status == 0
        #expect(before.output.contains("shard 2/2: its last run did not finish"), "\(before.output)")
        let again = try await rig.run("--shard", "2/2")
        #expect(again.end.status == 0, "\(again.end.errors)")
        let end = try await report(
            rig, "--proof", "merged/segdl-mirror.jsonl", "--sums", "merged/SHA256SUMS")
        #expect(end.status == 0, "\(end.output)")
        try expectExact(rig)
        try expectProved(rig)
    }

    @Test("with another number of shards, only the new shard's files are fetched")
    func anotherNumber() async throws {
        let rig = try await rig()
        for index in 1...2 { _ = try await rig.run("--shard", "\(index)/2") }
        var moved = 0
        for index in 1...3 {
            let run = try await rig.run("--shard", "\(index)/3", "--delete")
            #expect(run.end.status == 0, "\(run.end.errors)")
            let fetched = run.files.filter { $0.status != 304 }.count
            #expect(index == 3 || fetched == 0)
            moved += fetched
        }
        #expect((10...30).contains(moved), "\(moved)")
        try expectExact(rig)
        // The files written by the first two with the other number of shards are removed.
        #expect(try await report(rig).status == 0)
    }

    @Test("auto is the index from the scheduler")
    func auto() async throws {
        let rig = try await MirrorFixture()
        for index in 0..<2 {
            let run = try await Segdl.run(
                ["mirror", "--shard", "auto/2", rig.url, rig.copy], in: rig.directory,
                environment: ["JOB_COMPLETION_INDEX": "\(index)"])
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try await report(rig).status == 0)
        try expectExact(rig)
        let none = try await rig.run("--shard", "auto/2")
        #expect(none.end.status == 64 && none.end.errors.contains("JOB_COMPLETION_INDEX"))
    }

    @Test("refuses files with the names of shards' own files, and reports them once")
    func reserved() async throws {
        let rig = try await MirrorFixture()
        try rig.nginx.root.write("theirs", to: "tree/SHA256SUMS.1-of-2")
        var complaints = 0
        for index in 1...2 {
            let run = try await rig.run("--shard", "\(index)/2")
            complaints +=
                run.end.errors.contains("'SHA256SUMS.1-of-2' is the path of the mirror's own") ? 1 : 0
        }
        #expect(complaints == 1)
        #expect(try !rig.read("SHA256SUMS.1-of-2").contains("theirs"))
        #expect(try await report(rig).output.contains("  SHA256SUMS.1-of-2: "))
    }

    @Test("deletes files of other shards, but not where no shard has one")
    func deletes() async throws {
        let rig = try await MirrorFixture()
        // Most of 500 shards have none of nine files.
        let run = try await rig.run("--shard", "1/500", "--delete-all")
        #expect(run.end.status == 0 && run.files.isEmpty, "\(run.end.errors)")
        let none = try await rig.run("--shard", "1/500", "--delete-all", "--include", "*.none")
        #expect(none.end.status == 1 && none.end.errors.contains("lists no files that the filter accepts"))
    }

    @Test("two processes on one shard, and impossible shards, are errors")
    func errors() async throws {
        let rig = try await MirrorFixture(server: "limit_rate 1;")
        let process = try Segdl.start(["mirror", "--shard", "1/2", rig.url, rig.copy], in: rig.directory)
        while process.isRunning, !rig.directory.exists("copy/segdl-mirror.1-of-2.json") {
            try await Task.sleep(for: .milliseconds(5))
        }
        let second = try await rig.run("--shard", "1/2")
        #expect(second.end.status == 6, "\(second.end.errors)")
        process.send(SIGKILL)
        _ = await process.result()
        #expect(try await rig.run("--shard", "0/2").end.status == 64)
        #expect(try await rig.run("--shard", "3/2").end.status == 64)
        #expect(try await rig.run("--shard", "2").end.status == 64)
    }
}

import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The proofs of shards")
struct ProofMergeTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func line(_ path: String, _ digit: String = "0") -> String {
        #"{"extra":1,"path":"\#(path)","sha256":"\#(String(repeating: digit, count: 64))","size":7}"# + "\n"
    }

    private func write(
        _ shard: Shard, _ lines: [String], in place: String = ".", files: Int? = nil, failed: Int = 0,
        ending: MirrorReport.Ending? = .finished
    ) throws {
        var summary = ShardSummary(shard)
        (summary.ending, summary.files, summary.failed) = (ending, files ?? lines.count, failed)
        try directory.makeDirectory(place)
        try directory.write(
            String(decoding: JSONText.line(summary), as: UTF8.self), to: "\(place)/\(shard.summaryName)")
        try directory.write(lines.joined(), to: "\(place)/\(shard.proofName)")
    }

    private func merge(_ places: String..., shards: Int? = nil, proof: String = "out/proof") async throws
        -> MergeReport
    {
        try directory.makeDirectory("out")
        var merge = ProofMerge(of: places.map { directory.filePath($0) })
        merge.shards = shards
        merge.proof = directory.filePath(proof)
        merge.sums = directory.filePath("out/sums")
        return try await merge.run()
    }

    private func read(_ name: String) throws -> String {
        String(decoding: try directory.read(name), as: UTF8.self)
    }

    @Test("are merged in the order of the paths, byte for byte")
    func merges() async throws {
        let paths = ["a", "a/b", "aé", "b", "é", "z"]
        try write(Shard(1, of: 3), [paths[0], paths[3]].map { Self.line($0) }, in: "one")
        try write(Shard(2, of: 3), [], in: "one")
        try write(Shard(3, of: 3), [1, 2, 5, 4].map { Self.line(paths[$0]) }, in: "two", failed: 1)
        let report = try await merge("one", "two")
        #expect(report.isSound && report.isWritten && !report.isComplete)
        #expect(report.files == 6 && report.bytes == 42)
        #expect(report.parts.map(\.state) == [.complete, .complete, .failed])
        let order = paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try read("out/proof") == order.map { Self.line($0) }.joined())
        #expect(
            try read("out/sums")
                == order.map { String(repeating: "0", count: 64) + "  \($0)\n" }.joined())
    }

    @Test("are not merged while a shard is missing or unfinished")
    func incomplete() async throws {
        try write(Shard(1, of: 4), [Self.line("a")])
        try write(Shard(2, of: 4), [Self.line("b")], ending: nil)
        try write(Shard(3, of: 4), [Self.line("c")], ending: .stopped)
        let report = try await merge(".")
        #expect(report.parts.map(\.state) == [.complete, .unfinished, .unfinished, .missing])
        #expect(!report.isSound && !report.isWritten && report.files == 1)
        #expect(!directory.exists("out/proof") && !directory.exists("out/sums"))
    }

    @Test("may be in several directories, of which a finished one counts")
    func twice() async throws {
        try write(Shard(1, of: 2), [Self.line("a"), Self.line("old")], in: "one", ending: nil)
        try write(Shard(1, of: 2), [Self.line("a")], in: "two")
        try write(Shard(1, of: 2), [Self.line("a")], in: "three")
        try write(Shard(2, of: 2), [Self.line("b")], in: "one")
        let report = try await merge("one", "two", "three")
        #expect(report.isComplete && report.files == 2 && report.parts[0].files == 1)
        #expect(try read("out/proof") == Self.line("a") + Self.line("b"))
    }

    @Test("that contradict each other are reported")
    func conflicts() async throws {
        try write(Shard(1, of: 2), [Self.line("a"), Self.line("b")])
        try write(Shard(2, of: 2), [Self.line("b", "1"), Self.line("c")])
        let report = try await merge(".")
        #expect(report.conflicting == 1 && report.conflicts.map(\.text) == ["b"])
        #expect(!report.isComplete && !report.isWritten && !directory.exists("out/proof"))
    }

    @Test("that are truncated, out of order or invalid are reported")
    func damaged() async throws {
        try write(Shard(1, of: 1), [Self.line("a")], files: 2)
        #expect(try await merge(".").parts[0].state == .damaged)
        #expect(!directory.exists("out/proof"))
        for lines in [[Self.line("b"), Self.line("a")], [Self.line("a"), Self.line("a")], ["{}\n"]] {
            try write(Shard(1, of: 1), lines)
            await #expect(throws: DownloadError.self) { try await merge(".") }
        }
        try directory.write("{}", to: Shard(1, of: 1).summaryName)
        await #expect(throws: DownloadError.self) { try await merge(".") }
    }

    @Test("of several numbers of shards are distinguished")
    func numbers() async throws {
        await #expect(throws: DownloadError.self) { try await merge(".") }
        try write(Shard(1, of: 2), [Self.line("a")])
        try write(Shard(1, of: 1), [Self.line("b")])
        await #expect(throws: DownloadError.self) { try await merge(".") }
        #expect(try await merge(".", shards: 1).isComplete)
        #expect(try await merge(".", shards: 2).parts.map(\.state) == [.complete, .missing])
    }

    @Test("do not replace a file of the mirror")
    func ownFile() async throws {
        try directory.write("theirs", to: "SHA256SUMS")
        try write(Shard(1, of: 1), [Self.line("SHA256SUMS")])
        await #expect(throws: DownloadError.self) { try await merge(".", proof: "SHA256SUMS") }
        #expect(try read("SHA256SUMS") == "theirs")
    }
}

import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("A shard")
struct ShardTests {
    private func shard(of path: String, _ count: Int) throws -> Int {
        let owners = try (1...count).filter { try Shard($0, of: count).owns(RelativePath(path)) }
        // Every path belongs to exactly one shard.
        try #require(owners.count == 1)
        return owners[0]
    }

    @Test(
        "owns a stable set of files, as docs/mirror-shards.md computes it",
        arguments: [
            ("a", [1, 2, 2, 2, 2]), ("a.bin", [1, 1, 3, 3, 24]), ("one/two dirs/b c.bin", [1, 2, 2, 5, 89]),
            ("größe/ä.txt", [1, 2, 2, 2, 63]), ("images/0000001.jpg", [1, 1, 1, 5, 14]),
        ])
    func known(path: String, shards: [Int]) throws {
        #expect(try [1, 2, 4, 5, 100].map { try shard(of: path, $0) } == shards)
    }

    @Test("has about as many files as any other, and a new one takes only its part")
    func even() throws {
        let paths = (0..<20_000).map { "d\($0 % 10)/f\($0).bin" }
        var sizes = Array(repeating: 0, count: 5)
        var moved = 0
        for path in paths {
            let (before, after) = (try shard(of: path, 4), try shard(of: path, 5))
            sizes[before] += 1
            if before != after {
                moved += 1
                #expect(after == 5)
            }
        }
        #expect(sizes.dropFirst().allSatisfy { (4800...5200).contains($0) }, "\(sizes)")
        #expect((3800...4200).contains(moved), "\(moved)")
    }

    @Test("counts from 1 to N", arguments: [(0, 4), (5, 4), (1, 0), (-1, 1), (1, 10_001)])
    func range(index: Int, count: Int) {
        #expect(throws: DownloadError.self) { try Shard(index, of: count) }
    }

    @Test("of an array task comes from the scheduler")
    func arrays() throws {
        func shard(_ environment: [String: String], _ count: Int? = nil) throws -> String {
            "\(try Shard(ofTaskIn: environment, count: count))"
        }
        var slurm = ["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "1"]
        slurm["SLURM_ARRAY_TASK_COUNT"] = "4"
        #expect(try shard(slurm) == "3/4")
        #expect(try shard(slurm, 4) == "3/4")
        #expect(throws: DownloadError.self) { try shard(slurm, 5) }
        slurm["SLURM_ARRAY_TASK_MIN"] = "0"
        #expect(try shard(slurm) == "4/4")
        // --array=3-9:2
        slurm = ["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_STEP": "2"]
        slurm["SLURM_ARRAY_TASK_COUNT"] = "4"
        #expect(try shard(slurm) == "3/4")
        // --array=1,2,9
        slurm = ["SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "3"]
        #expect(throws: DownloadError.self) { try shard(slurm) }
        #expect(try shard(["JOB_COMPLETION_INDEX": "0"], 4) == "1/4")
        #expect(throws: DownloadError.self) { try shard(["JOB_COMPLETION_INDEX": "0"]) }
        #expect(throws: DownloadError.self) { try shard(["JOB_COMPLETION_INDEX": "4"], 4) }
        #expect(throws: DownloadError.self) { try shard(["JOB_COMPLETION_INDEX": "x"], 4) }
        let batch = ["AWS_BATCH_JOB_ARRAY_INDEX": "2", "AWS_BATCH_JOB_ARRAY_SIZE": "3"]
        #expect(try shard(batch) == "3/3")
        #expect(throws: DownloadError.self) { try shard([:], 4) }
        let both = batch.merging(["JOB_COMPLETION_INDEX": "0"]) { one, _ in one }
        #expect(throws: DownloadError.self) { try shard(both, 3) }
    }

    @Test(
        "knows the names of its files",
        arguments: [
            ("segdl-mirror.2-of-4.jsonl", "2/4"), ("segdl-mirror.2-of-4.json", "2/4"),
            ("SHA256SUMS.2-of-4", "2/4"), ("SHA256SUMS.2-of-4.segdl-new", "2/4"), ("SHA256SUMS", nil),
            ("segdl-mirror.jsonl", nil), ("segdl-mirror.5-of-4.jsonl", nil),
            ("segdl-mirror.02-of-4.jsonl", nil), ("a/SHA256SUMS.2-of-4", nil),
            ("SHA256SUMS.2-of-4-of-4", nil),
        ] as [(String, String?)])
    func names(name: String, shard: String?) {
        #expect(Shard(fileName: name)?.description == shard)
    }
}

internal import SegmentedDL
internal import SystemPackage

/// The outcome of a shard's last run, stored next to its proof, which does not itself show whether a later
/// run was killed.
struct ShardSummary: Codable, Equatable, Sendable {
    var shard: Int
    var shards: Int
    /// How the run ended; `nil` while it runs, and after a kill.
    var ending: MirrorReport.Ending?
    /// The number of files in the proof; -1 if the proof belongs to another run.
    var files = 0
    var failed = 0
    var failures: [MirrorReport.Failure] = []

    init(_ shard: Shard) {
        (self.shard, shards) = (shard.index, shard.count)
    }
}

extension MirrorSession {
    /// Records next to a shard's proof that its run has begun, or how it ended. Removes files that this
    /// mirror wrote there with another number of shards, so that they are not taken for results of those
    /// shards.
    ///
    /// - Parameter report: The report, if the run has ended.
    func writeSummary(of report: MirrorReport? = nil) async throws {
        guard let shard = job.shard, let directory = job.proof, !job.isDryRun else { return }
        try await DiskThread.run { [store, run] in
            var summary = ShardSummary(shard)
            try DestinationChoice.makeDirectory(directory)
            let directory = SystemCalls.resolved(directory)
            if let report {
                let proof = try store.proof(at: directory.appending(shard.proofName).string)
                summary.ending = report.ending
                summary.files = proof?.run == run.id ? try store.done(in: run).files : -1
                (summary.failed, summary.failures) = (report.failed, report.failures)
            }
            for old in try store.proofs() {
                let path = FilePath(old)
                guard path.directory == directory, let name = path.lastComponent?.string,
                    let other = Shard(fileName: name), other != shard,
                    let proof = try store.proof(at: old), proof.identity.isAt(path)
                else { continue }
                try storageCall("remove", path) { try SystemCalls.remove(path) }
            }
            let path = directory.appending(shard.summaryName)
            let file = try ListFile(path)
            try file.add(JSONText.line(summary))
            try file.finish { try store.note(WrittenProof(identity: $0), at: path.string) }
        }
    }
}

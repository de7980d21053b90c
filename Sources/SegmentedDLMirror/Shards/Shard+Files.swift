internal import SegmentedDL

extension Shard {
    /// The shard as part of file names.
    private var label: String { "\(index)-of-\(count)" }

    /// The name of the proof as JSON lines.
    var proofName: String { "segdl-mirror.\(label).jsonl" }
    /// The name of the proof in the format of `sha256sum`.
    var sumsName: String { "SHA256SUMS.\(label)" }
    /// The name of the summary of the last run (`ShardSummary`).
    var summaryName: String { "segdl-mirror.\(label).json" }

    /// Returns the shard that a file name is reserved for; `nil` if it is not reserved.
    init?(fileName name: some StringProtocol) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, ["segdl-mirror", "SHA256SUMS"].contains(parts[0]) else { return nil }
        let numbers = parts[1].split(separator: "-of-", omittingEmptySubsequences: false)
        guard numbers.count == 2, let index = Int(numbers[0]), let count = Int(numbers[1]),
            let shard = try? Shard(index, of: count), shard.label == parts[1]
        else { return nil }
        self = shard
    }
}

extension MirrorJob {
    /// Returns true if a file belongs to this job.
    ///
    /// - Parameter path: The bytes of the path.
    func isOwn(_ path: String) -> Bool { shard?.owns(path.utf8) ?? true }

    /// True if a file of the source has the name of a file that the mirror itself writes.
    func isReserved(_ path: RelativePath) -> Bool {
        guard state != nil else { return false }
        return path.text.utf8.starts(with: Self.statePrefix.utf8)
            || (shard != nil && Self.isShardsOwn(path))
    }

    /// Returns true if a shard writes a file with this name in the root.
    private static func isShardsOwn(_ path: RelativePath) -> Bool { Shard(fileName: path.text) != nil }

    /// Returns true if a file that the source does not list may be a proof: that of any shard or, for a
    /// mirror with shards, the merged one.
    func mayBeProof(_ path: RelativePath) -> Bool {
        Self.isShardsOwn(path)
            || (shard != nil && ["segdl-mirror.jsonl", "SHA256SUMS"].contains(path.text))
    }
}

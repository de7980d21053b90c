internal import SegmentedDL

extension Shard {
    /// As it stands in names of files.
    private var label: String { "\(index)-of-\(count)" }

    /// Its proof as JSON lines.
    var proofName: String { "segdl-mirror.\(label).jsonl" }
    /// Its proof as `sha256sum` writes it.
    var sumsName: String { "SHA256SUMS.\(label)" }
    /// How its last run went (`ShardSummary`).
    var summaryName: String { "segdl-mirror.\(label).json" }

    /// The shard that a name is reserved for; `nil` if it is nothing that a shard writes.
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
    /// Whether a file is one that this job is about.
    ///
    /// - Parameter path: Its bytes.
    func isOwn(_ path: String) -> Bool { shard?.owns(path.utf8) ?? true }

    /// True if a file of the source would have a name that the mirror itself writes to.
    func isReserved(_ path: RelativePath) -> Bool {
        guard state != nil else { return false }
        return path.text.utf8.starts(with: Self.statePrefix.utf8)
            || (shard != nil && Self.isShardsOwn(path))
    }

    /// Whether a shard writes a file of this name in the root.
    private static func isShardsOwn(_ path: RelativePath) -> Bool { Shard(fileName: path.text) != nil }

    /// Whether a file that no source has may be a proof: of any shard, or where there are shards, of all of them.
    func mayBeProof(_ path: RelativePath) -> Bool {
        Self.isShardsOwn(path)
            || (shard != nil && ["segdl-mirror.jsonl", "SHA256SUMS"].contains(path.text))
    }
}

internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The files of a mirror's shards in some directories. Every call blocks.
struct ShardInventory {
    /// The files of one shard in one directory.
    struct Copy {
        var summary: ShardSummary
        var proof: FilePath
    }

    /// The number of shards.
    let count: Int
    /// The copies by shard number; a shard may be in several directories.
    let copies: [Int: [Copy]]

    /// Searches the directories.
    ///
    /// - Parameter count: The number of shards; `nil` if all proofs in the directories have the same number.
    /// - Throws: `DownloadError` with code `notFound` if the directories contain no shard, `invalidSetting`
    ///   if the numbers of shards differ, or an error of the disk.
    init(of directories: [FilePath], count wanted: Int?) throws {
        var names: [(Shard, FilePath)] = []
        for directory in directories {
            try storageCall("read the directory", directory) {
                let descriptor = try FileDescriptor.open(
                    directory, .readOnly, options: [.directory, .closeOnExec])
                defer { try? descriptor.close() }
                try SystemCalls.forEachName(in: descriptor) { name in
                    if let name, let shard = Shard(fileName: name), name == shard.summaryName {
                        names.append((shard, directory))
                    }
                }
            }
        }
        let counts = Set(names.map(\.0.count)).sorted()
        let places = directories.map { "'\($0)'" }.joined(separator: ", ")
        guard let first = counts.first else {
            throw DownloadError(
                .notFound, "No proof of a shard in \(places); sharded mirrors write one each."
            ).remedied(by: .shard)
        }
        guard wanted != nil || counts.count == 1 else {
            throw DownloadError(
                .invalidSetting,
                "Proofs of \(counts.map { "\($0)" }.joined(separator: " and of ")) shards in \(places); choose one number."
            ).remedied(by: .shardCount)
        }
        count = wanted ?? first
        var copies: [Int: [Copy]] = [:]
        for (shard, directory) in names where shard.count == count {
            copies[shard.index, default: []].append(
                Copy(
                    summary: try Self.summary(of: shard, in: directory),
                    proof: directory.appending(shard.proofName)))
        }
        self.copies = copies
    }

    private static func summary(of shard: Shard, in directory: FilePath) throws -> ShardSummary {
        let path = directory.appending(shard.summaryName)
        let summary: ShardSummary?
        do {
            summary = try JSONDecoder().decode(
                ShardSummary.self, from: Data(contentsOf: URL(fileURLWithPath: path.string)))
        } catch {
            summary = nil
        }
        guard let summary, summary.shard == shard.index, summary.shards == shard.count else {
            throw DownloadError(
                .badStore, "'\(path)' was not written by a shard; mirror shard \(shard) again."
            ).remedied(by: .shard)
        }
        return summary
    }
}

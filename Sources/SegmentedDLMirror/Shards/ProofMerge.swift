internal import HeapModule
public import SegmentedDL
public import SystemPackage

/// Merges the proofs of a mirror's shards.
///
///     var merge = ProofMerge(of: ["copy"])
///     merge.proof = "copy/segdl-mirror.jsonl"
///     print(try await merge.run().isComplete)
///
/// Proofs are read in parallel, line by line, and never held in memory, so the number of files does not
/// matter.
public struct ProofMerge: Sendable {
    /// The directories of the shards' proofs; one directory may contain those of several shards.
    public var directories: [FilePath]

    /// The number of shards, for directories that contain proofs of different numbers of shards; `nil` if all
    /// proofs have the same number.
    public var shards: Int?

    /// The file for the merged proof as JSON lines, which replaces an existing file; `nil` for none. It is
    /// byte-for-byte identical to the proof of a single run over the same files.
    public var proof: FilePath?

    /// The file for the merged proof in the format of `sha256sum`; `nil` for none.
    public var sums: FilePath?

    /// Creates a merge of the proofs in some directories.
    public init(of directories: [FilePath]) {
        self.directories = directories
    }

    /// Reads the proofs, and writes the merged one if all shards read the whole source.
    ///
    /// - Returns: The parts of the mirror, with what is missing or contradictory.
    /// - Throws: `DownloadError` with code `notFound` if the directories contain no shard, `invalidSetting`
    ///   if it is ambiguous which shards are meant, `badStore` if a proof is damaged, `fileExists` if the
    ///   merged one would replace a file of the mirror, or a disk error.
    public func run() async throws -> MergeReport {
        do {
            return try await DiskThread.run { try merge() }
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }

    private func merge() throws -> MergeReport {
        if let shards { _ = try Shard(1, of: shards) }
        let inventory = try ShardInventory(of: directories, count: shards)
        var report = MergeReport(
            parts: try (1...inventory.count).map { .init(shard: try Shard($0, of: inventory.count)) })
        var heap = Heap<Head>()
        for index in report.parts.indices {
            for reader in try report.parts[index].readers(of: inventory.copies[index + 1] ?? []) {
                if let line = try reader.next() { heap.insert(Head(line: line, reader: reader, part: index)) }
            }
        }
        let output = try Output(self, isWanted: report.isSound)
        var last: ProofReader.Line?
        while let head = heap.popMin() {
            report.parts[head.part].lines += 1
            if let next = try head.reader.next() {
                heap.insert(Head(line: next, reader: head.reader, part: head.part))
            }
            if let last, last.path == head.line.path {
                if last.sha256 != head.line.sha256 { report.addConflict(head.line.path) }
                continue
            }
            last = head.line
            report.add(head.line.size, of: head.part)
            try output.add(head.line)
        }
        for index in report.parts.indices { report.parts[index].check(inventory.copies[index + 1] ?? []) }
        if report.isSound { report.isWritten = try output.finish() }
        return report
    }

    /// The next line of one of the proofs.
    private struct Head: Comparable {
        let line: ProofReader.Line
        let reader: ProofReader
        let part: Int

        static func == (one: Head, other: Head) -> Bool { one.line.path == other.line.path }
        static func < (one: Head, other: Head) -> Bool { one.line.path < other.line.path }
    }

    /// The output files.
    private struct Output {
        private let proof: ListFile?
        private let sums: ListFile?
        /// The output files by their paths below a mirror's root.
        private let own: [String: FilePath]

        init(_ merge: ProofMerge, isWanted: Bool) throws {
            let paths = isWanted ? [merge.proof, merge.sums].compactMap { $0 } : []
            proof = isWanted ? try merge.proof.map { try ListFile($0) } : nil
            sums = isWanted ? try merge.sums.map { try ListFile($0) } : nil
            var own: [String: FilePath] = [:]
            for path in paths {
                var place = SystemCalls.resolved(path)
                for directory in merge.directories
                where place.removePrefix(SystemCalls.resolved(directory)) {
                    own[place.string] = path
                }
            }
            self.own = own
        }

        func add(_ line: ProofReader.Line) throws {
            if let path = own[line.path.text] {
                throw DownloadError(
                    .fileExists,
                    "'\(path)' is a file of the mirror; choose another name for the merged proof.")
            }
            try proof?.add(line.bytes + [UInt8(ascii: "\n")])
            let entry = ChecksumList.Entry(name: line.path.text, checksum: line.sha256)
            try sums?.add("\(entry)\n".utf8)
        }

        /// - Returns: True if a file was written.
        func finish() throws -> Bool {
            try proof?.finish()
            try sums?.finish()
            return proof != nil || sums != nil
        }
    }
}

extension MergeReport.Part {
    /// Returns the copies whose run read the whole source.
    private static func finished(_ copies: [ShardInventory.Copy]) -> [ShardInventory.Copy] {
        copies.filter { $0.summary.ending == .finished }
    }

    /// Adds the results of a shard's runs.
    ///
    /// - Returns: The proofs of the shard.
    fileprivate mutating func readers(of copies: [ShardInventory.Copy]) throws -> [ProofReader] {
        let finished = Self.finished(copies)
        let summaries = (finished.isEmpty ? copies : finished).map(\.summary)
        if let best = summaries.min(by: { $0.failed < $1.failed }) {
            state = finished.isEmpty ? .unfinished : best.failed == 0 ? .complete : .failed
            (failed, failures) = (best.failed, best.failures)
        }
        return try finished.map { try ProofReader($0.proof) }
    }

    /// Checks that the number of files in the proofs is that reported by the runs that wrote them.
    fileprivate mutating func check(_ copies: [ShardInventory.Copy]) {
        if lines != Self.finished(copies).reduce(0, { $0 + $1.summary.files }) { state = .damaged }
    }
}

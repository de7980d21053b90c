internal import Logging

/// The transfer of one file's bytes to its part file, with checkpoints, and its verification.
struct FileTransfer: Sendable {
    let download: FileDownload
    let retry: RetryPolicy
    let file: IncompleteFile
    let template: ManifestTemplate
    let plan: SharedPlan
    /// Records the fingerprints of the file's bytes; `nil` without a length, or if the settings disable it.
    let extents: ExtentRecorder?
    let sources: SourceSet
    /// The file's piece digests.
    let pieces: PieceHashes?
    /// Checks the pieces as they arrive; `nil` if the digests or the length are unknown.
    let pieceCheck: PieceCheck?
    var expectations: Expectations
    /// A search for another digest that runs in parallel; `nil` for none.
    let search: ProofSearch?

    private var configuration: Configuration { download.configuration }

    /// Fetches the missing bytes, and returns the facts about the complete file.
    ///
    /// - Parameter first: The first response, whose body is the first segment.
    func run(_ first: FirstResponse) async throws -> VerifiedContent {
        let frontier = try file.frontier(expectations, mayGrow: search != nil)
        do {
            let finding = try await download.searching(
                search, found: { frontier?.add($0.checksum.algorithm) }
            ) {
                try await fetch(frontier, first, resumed: resumed)
            }
            var checked = self
            checked.expectations.published = finding?.digest
            return try await checked.content(frontier, finding)
        } catch {
            // The part file is about to be closed.
            await frontier?.stop()
            // The file may have been complete and waiting for a proof.
            if error is CancellationError {
                try? await keepOrDiscard(try await DiskThread.run(lastCheckpointer))
            }
            throw error
        }
    }

    /// Checks the complete file, and returns the facts about it.
    private func content(
        _ frontier: DigestFrontier?, _ finding: ProofFinding?
    ) async throws -> VerifiedContent {
        let length = plan.snapshot.total ?? 0
        try download.checkLength(length)
        if pieceCheck == nil { try await confirmPieces(length) }
        let (digests, proofs) = try await verify(frontier, length)
        if let lack = download.lack(
            of: proofs, file.part.destination, finding, kept: "its bytes are kept")
        {
            try await keepOrDiscard(try await DiskThread.run(lastCheckpointer))
            throw lack
        }
        return VerifiedContent(
            length: length, written: length - download.tracker.writtenBefore, digests: digests,
            proofs: proofs, validators: template.resource.validators, source: template.validatorSource)
    }

    /// Fetches the missing bytes, and hashes them as they arrive. On failure, the fetched bytes are kept.
    private func fetch(
        _ frontier: DigestFrontier?, _ first: FirstResponse?, resumed: [ResumedExtent] = []
    ) async throws {
        let writer = PartWriter(
            part: file.part, plan: plan, checkpointer: try await DiskThread.run(checkpointer),
            frontier: frontier, isVerified: expectations.areAny, pieces: pieceCheck,
            limit: template.resource.length == nil ? download.request.lengthLimit : nil,
            counters: download.client.counters)
        var configuration = configuration
        configuration.retry = retry
        let transfer = Transfer(
            from: sources, to: writer, configuration, segments, download.tracker, resumed: resumed,
            isSearching: search != nil)
        do {
            try await transfer.run(first: first)
        } catch {
            // Report the first error.
            try? await keepOrDiscard(
                try await DiskThread.run {
                    try writer.checkpointer.flatMap { $0.keeps ? $0 : nil } ?? lastCheckpointer()
                })
            throw error
        }
    }

    /// A file system that cannot set a file's length may misplace bytes written beyond the end, as fusefat
    /// does.
    private var segments: SegmentCount {
        guard file.part.lackedFeatures[.lengths] == nil else { return .fixed(1) }
        return download.request.segments ?? configuration.segments
    }

    /// The bytes of an earlier run to compare with their fingerprints. None if piece digests, a stronger
    /// proof, are known.
    private var resumed: [ResumedExtent] {
        guard pieceCheck == nil, let extents else { return [] }
        return ResumedExtent.list(extents.list, trusted: plan.snapshot.written)
    }

    // MARK: Checkpoints

    /// Returns the checkpointer of the transfer; `nil` where a manifest is not worthwhile: for a stream of
    /// unknown length, which cannot be resumed, and for a small file from a server without ranges. Blocks.
    private func checkpointer() throws -> Checkpointer? {
        let resource = template.resource
        guard let length = resource.length else { return nil }
        let isSmall = length < configuration.minimumSegmentSize && plan.snapshot.written.isEmpty
        guard !isSmall || resource.acceptsRanges else { return nil }
        return try makeCheckpointer(waits: isSmall)
    }

    /// Writes a last checkpoint after a failed transfer, even of a small file. An unnamed file is named only
    /// after the checkpoint, because a part file without a manifest would be taken for another program's.
    /// Bytes that cannot be resumed are removed.
    ///
    /// - Parameter last: The checkpointer; `nil` if the bytes cannot be resumed.
    private func keepOrDiscard(_ last: Checkpointer?) async throws {
        guard let last else { return try await DiskThread.run { try file.discard() } }
        try await last.checkpoint()
        try await DiskThread.run { try file.part.giveName() }
    }

    private func lastCheckpointer() throws -> Checkpointer? {
        let resource = template.resource
        guard resource.length != nil, resource.acceptsRanges, !plan.snapshot.written.isEmpty else {
            return nil
        }
        return try makeCheckpointer()
    }

    private func makeCheckpointer(waits: Bool = false) throws -> Checkpointer {
        // The resume trusted these bytes, because they were durable or are still in this boot's page cache.
        try extents?.cover(plan.snapshot.written, of: file.part)
        let inode = try file.part.status().inode
        return Checkpointer(
            part: file.part, store: file.store, plan: plan, template: template.manifest(inode: inode),
            durability: configuration.durability, extents: extents, waits: waits)
    }

    // MARK: Digests

    /// Checks the pieces of a file whose length was unknown until its end.
    ///
    /// - Throws: `TransferFailure.other` with code `checksumMismatch`; the file is then removed.
    private func confirmPieces(_ length: Int64) async throws {
        guard let pieces else { return }
        do {
            let check = try PieceCheck(file.part, pieces, total: length)
            check.wrote(0..<length)
            if let mismatch = try await check.mismatch() { throw TransferFailure.other(mismatch) }
        } catch {
            try? await DiskThread.run { try file.discard() }
            throw error
        }
    }

    /// Returns the digests of the complete file, and those that were expected. While they are wrong, excludes
    /// the sources one by one, and fetches their bytes again.
    ///
    /// - Throws: `DownloadError` with code `checksumMismatch` if that does not help.
    private func verify(
        _ frontier: DigestFrontier?, _ length: Int64
    ) async throws -> (digests: [Checksum], proofs: [DigestProof]) {
        guard var frontier, frontier.isHashing else { return ([], []) }
        var expectations = expectations
        var (isRepeated, isRenewed) = (false, false)
        while true {
            await download.enter(.verifying)
            let digests = try await frontier.finish(at: length)
            if !isRenewed {
                isRenewed = try await download.searchAgain(search, &expectations, digests) != nil
            }
            expectations = try await file.corrected(expectations, by: digests)
            guard let mismatch = expectations.mismatch(digests) else {
                if isRepeated { sources.suspicionWasRight() }
                let composite = [frontier.compositeProof()].compactMap(\.self)
                return (digests, expectations.proofs(digests) + composite)
            }
            guard let suspect = sources.nextSuspect(), let next = try file.frontier(expectations) else {
                try await file.reject(mismatch)
            }
            configuration.logger.notice(
                "\(file.part.destination.shown): \(mismatch); fetching the bytes from \(suspect.name) again")
            plan.withLock { plan, _ in for range in suspect.ranges.ranges { plan.unwrite(range) } }
            isRepeated = true
            frontier = next
            await download.enter(.downloading)
            do {
                try await fetch(next, nil)
            } catch {
                await next.stop()
                throw error
            }
        }
    }
}

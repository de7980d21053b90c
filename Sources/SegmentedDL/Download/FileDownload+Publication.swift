internal import Logging
internal import SystemPackage

/// The facts about a file whose bytes are all on disk and correct.
struct VerifiedContent: Sendable {
    /// Bytes.
    var length: Int64
    /// The bytes that this run wrote.
    var written: Int64 = 0
    /// The computed digests.
    var digests: [Checksum]
    /// The computed digests that were expected.
    var proofs: [DigestProof]
    var validators: Validators
    /// The source of the validators; `nil` for the first one.
    var source: Source?
}

extension FileDownload {
    /// Ends a download that needs no bytes from the network.
    func conclude(_ ending: Ending) async throws -> DownloadResult {
        switch ending {
        case .leftAlone(let path, let length):
            if !task.isRecorded { try checkLength(ofKept: path, length) }
            slot.needsNoConnection()
            tracker.named(path.lastComponent?.string ?? path.string)
            return result(.skipped, path, length: length)
        case .alreadyRight(let copy):
            slot.needsNoConnection()
            tracker.named(copy.path.lastComponent?.string ?? copy.path.string)
            var result = result(
                .unchanged, copy.path, length: copy.size, proofs: copy.proofs(request.checksums))
            result.isYounger = copy.isYounger
            return result
        case .named(let path, let length):
            try checkLength(length)
            try await claimComplete(path)
            return result(.downloaded, path, length: length)
        case .complete(let file, let manifest):
            defer { file.close() }
            try await claimComplete(file.part.destination)
            return try await publish(file, try await verify(file, manifest))
        }
    }

    /// Takes over a file that an earlier run completed.
    private func claimComplete(_ path: FilePath) async throws {
        guard try await claim(path) else { throw claimedError(path) }
        tracker.named(path.lastComponent?.string ?? path.string)
        slot.needsNoConnection()
    }

    // MARK: Without a transfer

    /// Checks a file that an earlier run completed.
    private func verify(_ file: IncompleteFile, _ manifest: Manifest) async throws -> VerifiedContent {
        var expectations = expectations(request.verifiesServerDigest ? manifest.serverDigest : nil)
        var finding = try await requiredFinding(from: client, expectations, hasEarlierBytes: true)
        expectations.published = finding?.digest
        let frontier = try file.frontier(expectations)
        try checkLength(manifest.total)
        var digests: [Checksum] = []
        if let frontier {
            await enter(.verifying)
            digests = try await frontier.finish(at: manifest.total)
            let search = proofSearch(length: nil, from: client, expectations, hasEarlierBytes: true)
            finding = try await searchAgain(search, &expectations, digests) ?? finding
            expectations = try await file.corrected(expectations, by: digests)
            if let mismatch = expectations.mismatch(digests) { try await file.reject(mismatch) }
        }
        let proofs = expectations.proofs(digests)
        if let lack = lack(of: proofs, file.part.destination, finding, kept: "its bytes are kept") {
            throw lack
        }
        // An ETag is meaningless for sources other than the one that sent it.
        let etag = manifest.validatorsOf == nil ? manifest.etag : nil
        return VerifiedContent(
            length: manifest.total, digests: digests, proofs: proofs,
            validators: Validators(etag: etag, lastModified: manifest.lastModified))
    }

    /// Checks a file that was received with the head of its response, and is already on disk.
    func verify(
        _ bytes: [UInt8], in file: IncompleteFile, _ primary: PrimarySource, _ attempt: Attempt
    ) async throws -> VerifiedContent {
        let length = Int64(bytes.count)
        tracker.noteConnections(1)
        tracker.follows(
            SharedPlan(SegmentPlan(total: length, written: ByteRangeSet(0..<length))), writtenBefore: 0)
        await enter(.downloading)
        try checkLength(length)
        var expectations = expectations(for: primary)
        var finding = try await requiredFinding(
            from: primary.client, expectations, hasEarlierBytes: false)
        expectations.published = finding?.digest
        let digests = try expectations.digests(of: bytes)
        if !digests.isEmpty { await enter(.verifying) }
        let search = proofSearch(
            length: length, from: primary.client, expectations, hasEarlierBytes: false)
        finding = try await searchAgain(search, &expectations, digests) ?? finding
        if let mismatch = expectations.mismatch(digests) {
            let response = primary.first.response
            guard response.isPipelined || response.isOverKeptConnection && attempt.mayPipeline else {
                try await file.reject(mismatch)
            }
            try await DiskThread.run { try file.discard() }
            throw primary.first.mixedUp()
        }
        let proofs = expectations.proofs(digests, of: bytes)
        if let lack = lack(of: proofs, file.part.destination, finding, kept: "nothing was stored") {
            try await DiskThread.run { try file.discard() }
            throw lack
        }
        // The next file can start while this one waits for the disk.
        if commits.hasRoom { slot.release() }
        return VerifiedContent(
            length: length, written: length, digests: digests, proofs: proofs,
            validators: primary.first.resource.validators, source: primary.client.source)
    }

    // MARK: The final name

    /// Renames a verified file to its final name.
    func publish(_ file: IncompleteFile, _ content: VerifiedContent) async throws -> DownloadResult {
        await enter(.finalizing)
        let date = request.keepsRemoteDate ? content.validators.lastModified.flatMap(HTTPDate.seconds) : nil
        let commit = Commit(
            part: file.part, paths: file.paths, manifest: file.store, length: content.length, modified: date,
            origin: task.origin(content.validators, from: content.source), policy: request.ifExists,
            durability: configuration.durability,
            record: task.hooks.recorder(
                content.digests, content.validators, from: content.source, proofs: content.proofs,
                server: tracker.response?.finalSource))
        let paths = file.paths
        // Do this before the name appears: a kill in between would leave a complete file that counts as
        // unfinished.
        if request.takesOver { await removeControlFile(for: paths.destination) }
        let replacesLink = await replacesLink(paths.destination)
        let path: FilePath
        do {
            path = try await Publication(commit: commit, commits: commits).run(task.hooks.willFinalize)
        } catch let error as DownloadError where error.code == .fileExists {
            return try await result(of: file, content, behind: error)
        }
        if replacesLink {
            configuration.logger.notice(
                "'\(path.shown)' was a symbolic link; the link was replaced, and its target is unchanged.")
        }
        if task.replacesFile { await removeControlFile(for: path) }
        return result(
            .downloaded, path, length: content.length, written: content.written, proofs: content.proofs)
    }

    private func replacesLink(_ path: FilePath) async -> Bool {
        guard !task.isRecorded, request.ifExists.replaces else { return false }
        return await DiskThread.run { (try? SystemCalls.status(path))?.kind == .symbolicLink }
    }

    private func removeControlFile(for path: FilePath) async {
        await DiskThread.run { [logger = configuration.logger] in
            ControlFile.removeUseless(for: path, logger)
        }
    }
}

extension DownloadTask {
    /// True if a file that another program has not finished may be replaced; a mirror knows its own files.
    var replacesFile: Bool { !isRecorded && !request.takesOver && request.ifExists.replaces }

    /// Returns the record by which a later run recognizes the file; `nil` for a mirror, which has its own
    /// records.
    ///
    /// - Parameter source: The source of the validators; `nil` for the first one.
    func origin(_ validators: Validators, from source: Source?) -> OriginMark.Origin? {
        guard !isRecorded else { return nil }
        return OriginMark.Origin(source ?? request.source, validators, hasPendingAction: hasPendingAction)
    }
}

extension DownloadHooks {
    /// Returns the closure that records a complete file; `nil` if nothing records it.
    ///
    /// - Parameters:
    ///   - source: The source of the validators; `nil` for the first one.
    ///   - proofs: The computed digests that were expected.
    ///   - server: The server that sent the first bytes; `nil` if unknown.
    func recorder(
        _ digests: [Checksum], _ validators: Validators, from source: Source?, proofs: [DigestProof],
        server: Source?
    ) -> Commit.Record? {
        guard let record else { return nil }
        return { identity in
            record(
                CompleteCopy(
                    identity: identity, digests: digests, validators: validators, source: source,
                    proofs: proofs, server: server))
        }
    }
}

extension OriginMark.Origin {
    /// The version of a source's file with these validators.
    init(_ source: Source, _ validators: Validators, hasPendingAction: Bool) {
        self.init(
            urlDigest: source.digest, etag: validators.etag, lastModified: validators.lastModified,
            unsignedDigest: source.unsignedDigest, hasPendingAction: hasPendingAction)
    }
}

extension ControlFile {
    /// Removes aria2's control file, because the file that it describes no longer exists: aria2 and this
    /// program would treat the complete file as unfinished. Blocks.
    static func removeUseless(for file: FilePath, _ logger: Logger) {
        guard remove(for: file) else { return }
        logger.notice("'\(path(for: file))' is no longer needed and was removed.")
    }
}

import Locks
internal import SystemPackage

/// One file of a mirror that remembers.
struct StoredItemDownload: Sendable {
    /// What was on the disk when it was looked up.
    struct Found: Sendable {
        /// What has the file's name.
        let identity: FileIdentity?
        /// Whether there is a manifest of an unfinished download.
        let isUnfinished: Bool

        /// Blocks.
        init(at place: PartPlace) {
            identity = .ofFile(at: place.destination)
            isUnfinished = (try? SystemCalls.statusIfThere(place.manifest) != nil) ?? true
        }
    }

    let file: WaitingFile
    let found: Found
    let work: StoredMirror.Work

    private var item: MirrorItem { file.item }
    private var job: MirrorJob { work.job }
    private var path: FilePath { job.root.appending(item.path.text) }

    func carryOut() async {
        let decision = CopyDecision(
            for: item, file.record, found: found.identity, run: work.run.id, boot: BootIdentity.current)
        do {
            if job.isDryRun {
                let action = try await plan(decision)
                await work.mirror.channel.send(.planned(item.path, action))
                return
            }
            let result =
                if case .keep = decision { try await kept() } else { try await download(decision) }
            work.writer.submit(.done(id: file.id, run: work.run.id))
            work.mirror.tally.add(result)
            await work.mirror.channel.send(.completed(item, result))
        } catch is CancellationError {
            return
        } catch {
            await work.mirror.fail(MirrorReport.Failure(error, of: item))
        }
    }

    private func kept() async throws -> DownloadResult {
        guard try await isStillThere() else { return try await download(.fetch) }
        let known = item.strongestChecksum
        return DownloadResult(
            outcome: .skipped, path: path, length: file.record?.identity.size ?? 0, bytesWritten: 0,
            duration: .zero, connections: 0, verified: known.map { [$0] } ?? [])
    }

    /// Whether the file is still what it was when it was looked up, which may be long ago. What an earlier run has left beside
    /// it is of another version, or of a kill right after the file got its name: it is cleared away.
    private func isStillThere() async throws -> Bool {
        let place = work.mirror.downloader.place(for: path)
        do {
            return try await DiskThread.run { [found] in
                guard found.identity?.isAt(place.destination) == true else { return false }
                if found.isUnfinished { try place.removeUnfinished() }
                return true
            }
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }

    private func plan(_ decision: CopyDecision) async throws -> MirrorAction {
        guard case .fetch = decision, item.strongestChecksum == nil else {
            if case .keep = decision { return .keep }
            let result = try await download(decision, onlyAsks: true)
            return result.outcome == .unchanged || !result.verified.isEmpty ? .keep : .fetch
        }
        return .fetch
    }

    private func download(_ decision: CopyDecision, onlyAsks: Bool = false) async throws -> DownloadResult {
        let isRecorded = Mutex(false)
        var one = ItemDownload(item: item, job: job, downloader: work.mirror.downloader) { handle in
            await work.mirror.channel.send(.started(item, handle))
        }
        one.keeping = .init(
            known: known(decision), onlyAsks: onlyAsks, isUnfinished: found.isUnfinished, ledger: work.writer
        ) { copy, source in
            work.writer.submit(.record(id: file.id, record(copy, source)))
            isRecorded.withLock { $0 = true }
        }
        let result = try await one.run()
        if result.outcome == .unchanged, !onlyAsks, try await !isStillThere() {
            return try await download(.fetch)
        }
        let isKnown = result.outcome == .unchanged || isRecorded.withLock { $0 }
        // A file that was left as it is by the job's policy is not known to be the source's.
        if !isKnown, !onlyAsks, result.outcome == .downloaded || !result.verified.isEmpty {
            try await record(result)
        }
        return result
    }

    private func known(_ decision: CopyDecision) -> (copy: CopyTerms.Known, url: String)? {
        guard case .ask(let condition) = decision, let record = file.record else { return nil }
        return (.init(condition: condition, length: record.identity.size), record.url)
    }

    private func record(_ copy: CompleteCopy, _ source: Source) -> CopyRecord {
        CopyRecord(
            url: source.url, identity: copy.identity,
            sha256: copy.digests.first { $0.algorithm == .sha256 }?.hexadecimal ?? "",
            digest: copy.digests.first { $0.algorithm != .sha256 }, etag: copy.validators.etag,
            lastModified: copy.validators.lastModified, boot: boot, checked: work.run.id)
    }

    /// What was there already, or was completed by a run that nobody has heard of.
    private func record(_ result: DownloadResult) async throws {
        var digests = result.verified
        let before = await DiskThread.run { [path] in FileIdentity.ofFile(at: path) }
        if !digests.contains(where: { $0.algorithm == .sha256 }) {
            digests += try await FileDigest.compute([.sha256], of: path)
        }
        guard let before, await DiskThread.run({ [path] in before.isAt(path) }),
            let source = item.sources.first
        else { throw StorageError.cut(path).asDownloadError }
        let copy = CompleteCopy(
            identity: before, digests: digests, validators: Validators(etag: nil, lastModified: nil))
        try await work.writer.store(.record(id: file.id, record(copy, source)))
    }

    /// A file that was not synced is not to be trusted after a reboot.
    private var boot: String? {
        work.mirror.downloader.durability == .power ? nil : BootIdentity.current
    }
}

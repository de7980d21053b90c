internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// One file of a mirror that remembers.
///
/// A class, as it goes from hand to hand with others.
final class StoredItemDownload: Sendable {
    let file: WaitingFile
    let work: StoredMirror.Work
    let decision: CopyDecision
    /// What had the file's name when it was looked up.
    private let found: FileIdentity?
    /// Whether there was a manifest of an unfinished download then.
    private let isUnfinished: Bool
    /// Whether what is known of the complete file has been noted.
    private let isRecorded = Lock(false)

    /// Blocks.
    init(_ file: WaitingFile, _ work: StoredMirror.Work) {
        self.file = file
        self.work = work
        let place = work.place(of: file.item)
        found = .ofFile(at: place.destination)
        decision = CopyDecision(
            for: file.item, file.record, found: found, run: work.run.id, boot: BootIdentity.current)
        isUnfinished = (try? SystemCalls.statusIfThere(place.manifest) != nil) ?? true
    }

    private var item: MirrorItem { file.item }
    private var job: MirrorJob { work.job }
    private var path: FilePath { job.root.appending(item.path.text) }

    /// Downloads the file, or asks about the copy that is there; in a dry run it only finds out what there is to do.
    ///
    /// - Parameter doneIf: What is to be found out for the file to be done.
    func carryOut(doneIf: CopyDecision? = nil) async {
        do {
            if let recognised = await recognised() {
                if recognised.decision == doneIf, try await DiskThread.run({ try recognised.isStillThere() })
                {
                    await recognised.complete(recognised.kept)
                } else {
                    await recognised.carryOut()
                }
            } else if job.isDryRun {
                await work.mirror.channel.send(.planned(item.path, try await plan()))
            } else {
                await complete(try await download())
            }
        } catch is CancellationError {
            work.mirror.tally.fileWasCancelled()
        } catch {
            await fail(error)
        }
    }

    /// The same with what is there in the known copy's place, if it has the same bytes.
    private func recognised() async -> StoredItemDownload? {
        guard decision == .compare, let record = file.record, let found,
            // What cannot be read is fetched.
            (try? await FileDigest.compute([.sha256], of: path))?.first?.hexadecimal == record.sha256,
            await DiskThread.run({ [path] in found.isAt(path) })
        else { return nil }
        var file = file
        file.record?.identity = found
        // Whoever put it there may not have synced it.
        file.record?.boot = BootIdentity.current
        if !job.isDryRun, let record = file.record { work.writer.submit(.record(id: file.id, record)) }
        return await DiskThread.run { [file, work] in StoredItemDownload(file, work) }
    }

    /// What the copy that is there is for the file.
    var kept: DownloadResult {
        let isAsked = decision != .keep
        let known = isAsked ? nil : item.strongestChecksum
        return DownloadResult(
            outcome: isAsked ? .unchanged : .skipped, path: path, length: file.record?.identity.size ?? 0,
            bytesWritten: 0, duration: .zero, connections: 0, verified: known.map { [$0] } ?? [])
    }

    func fail(_ error: any Error) async {
        await work.mirror.fail(MirrorReport.Failure(error, of: item))
    }

    private func complete(_ result: DownloadResult) async {
        await Self.complete([(self, result)], work)
    }

    /// The files are there. Together, as most of a mirror's files may have nothing else to say.
    static func complete(
        _ files: [(file: StoredItemDownload, result: DownloadResult)], _ work: StoredMirror.Work
    ) async {
        work.writer.submit(.done(ids: files.map(\.file.file.id), run: work.run.id))
        work.mirror.tally.add(files.map(\.result))
        await work.mirror.channel.send(files.map { .completed($0.file.item, $0.result) })
    }

    /// Whether what was found is there still, which may be long ago; what lies beside it is cleared away then. Blocks.
    ///
    /// - Throws: `DownloadError`.
    private func isStillThere() throws -> Bool {
        guard found?.isAt(work.place(of: item).destination) == true else { return false }
        try clearAway()
        return true
    }

    /// Removes what an earlier run has left beside the complete file: it is of another version, or of a kill right after the file got
    /// its name. Blocks.
    ///
    /// - Throws: `DownloadError`.
    func clearAway() throws {
        guard isUnfinished else { return }
        do {
            try work.place(of: item).removeUnfinished()
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }

    private func plan() async throws -> MirrorAction {
        switch decision {
        case .keep: return .keep
        case .fetch where item.strongestChecksum == nil, .compare: return .fetch
        case .ask, .fetch:
            let result = try await download(onlyAsks: true)
            return result.outcome == .unchanged || !result.verified.isEmpty ? .keep : .fetch
        }
    }

    private func download(
        asks: Bool = true, onlyAsks: Bool = false
    ) async throws -> DownloadResult {
        let result = try await itemDownload(asks: asks, onlyAsks: onlyAsks).run()
        if result.outcome == .unchanged, !onlyAsks, try await !DiskThread.run({ try self.isStillThere() }) {
            return try await download(asks: false)
        }
        let isKnown = result.outcome == .unchanged || isRecorded.withLock { $0 }
        if !isKnown, !onlyAsks {
            if result.outcome == .downloaded || !result.verified.isEmpty {
                try await record(result)
            } else if let record = file.record, record.identity != found {
                // A file that was left as it is by the job's policy is not the one that is known.
                work.writer.submit(.unknown(id: file.id))
            }
        }
        return result
    }

    private func itemDownload(asks: Bool = true, onlyAsks: Bool = false) -> ItemDownload {
        var one = ItemDownload(item: item, job: job, downloader: work.mirror.downloader) { [self] handle in
            await work.mirror.channel.send(.started(item, handle))
        }
        one.keeping = .init(
            known: asks ? known : nil, onlyAsks: onlyAsks, isUnfinished: isUnfinished,
            journal: work.writer
        ) { [self] copy, source in
            work.writer.submit(.record(id: file.id, record(copy, source)))
            isRecorded.withLock { $0 = true }
        }
        return one
    }

    private var known: (copy: Revalidation.Existing, url: String)? {
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

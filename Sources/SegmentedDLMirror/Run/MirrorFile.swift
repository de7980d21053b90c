internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// One file of a mirror, from its row in the database to the complete file, or to its failure.
///
/// 1. The disk is inspected. `CopyCheck` decides what the result means for the copy recorded by an earlier
///    run.
/// 2. `run` compares the copy's bytes, keeps it, or starts a download, which first asks the server about the
///    copy.
/// 3. The download records the file before the file is renamed to its final name, so that nothing is lost if
///    the process is killed in between.
/// 4. `complete` marks the file as done in this run.
///
/// Copies that need no download usually pass through these steps in batches (`MirrorStep`), and missing small
/// files through steps 3 and 4 (`MirrorBatch`).
///
/// A class, so that batches can share it without copying.
final class MirrorFile: Sendable {
    /// The purpose of a download of the file.
    enum Mode {
        /// Fetch the file.
        case fetch
        /// Ask the server about the copy, and fetch the file if it has changed.
        case revalidate
        /// Only ask the server about the copy.
        case checkOnly
    }

    let check: CopyCheck
    let file: WaitingFile
    let session: MirrorSession
    /// The condition confirmed by the server. The copy for which it was created is current.
    private let confirmed: Condition?
    /// The file that had the name when the disk was inspected.
    let found: FileIdentity?
    /// True if the copy was read and does not have the recorded digest.
    let isDamaged: Bool
    /// True if a manifest of an unfinished download existed at that time.
    let isUnfinished: Bool
    /// True once the complete file is recorded.
    private let isRecorded = Lock(false)

    // MARK: The disk

    /// Inspects the disk. Blocks.
    init(
        _ file: WaitingFile, confirmed: Condition? = nil, isDamaged: Bool = false, in session: MirrorSession
    ) {
        self.file = file
        self.isDamaged = isDamaged
        self.session = session
        self.confirmed = confirmed
        let place = session.place(of: file.item)
        found = .ofFile(at: place.destination)
        let check = CopyCheck(
            of: file.item, file.record, found: found, run: session.run.id, boot: BootIdentity.current)
        self.check = isDamaged ? .fetch : check
        isUnfinished = (try? SystemCalls.statusIfThere(place.manifest) != nil) ?? true
    }

    var item: MirrorItem { file.item }
    var job: MirrorJob { session.job }
    var path: FilePath { session.path(of: item) }
    /// The path in messages.
    private var shownName: String { item.pathAtSource?.text ?? path.string }

    /// True if the copy was current when the disk was inspected, because no request is needed or the server
    /// has confirmed it.
    var isCurrent: Bool {
        switch check {
        case .keep: true
        case .ask(let condition): condition == confirmed
        case .compare, .fetch: false
        }
    }

    /// Removes the unfinished files next to a complete file. They belong to another version, or to a run that
    /// was killed right after the file was renamed. Blocks.
    ///
    /// - Throws: `StorageError`.
    func clearAway() throws {
        if isUnfinished { try session.place(of: item).removeUnfinished() }
    }

    /// Returns true if the file that was found still exists, possibly much later. If so, removes the
    /// unfinished files next to it. Blocks.
    ///
    /// - Throws: `StorageError`.
    private func isStillThere() throws -> Bool {
        guard found?.isAt(path) == true else { return false }
        try clearAway()
        return true
    }

    // MARK: The file's steps

    /// Processes the file until it is complete or has failed. A dry run only determines the action.
    func run() async {
        do {
            if let same = await comparedCopy() {
                await same.take()
            } else if let damaged = try await damagedCopy() {
                session.downloader.note(
                    "'\(shownName)' does not have the digest recorded for it; \(job.isDryRun ? "it would be" : "it is") fetched again"
                )
                await damaged.take()
            } else {
                await take()
            }
        } catch {
            await end(after: error)
        }
    }

    /// Processes the file after its bytes were compared, if necessary.
    private func take() async {
        do {
            try await checkSpelling()
            if job.isDryRun {
                await session.reporter.send(.planned(item.shownPath, try await plannedAction()))
                await isBlocked()
            } else if isCurrent, try await DiskThread.run({ try self.isStillThere() }) {
                await Self.complete([(self, kept)], in: session)
            } else {
                var result = try await download(.revalidate)
                result.isReplacement = result.outcome == .downloaded && found != nil
                await Self.complete([(self, result)], in: session)
            }
        } catch {
            await end(after: error)
        }
    }

    func end(after error: any Error) async {
        if error is CancellationError {
            session.reporter.fileWasCancelled()
        } else if let error = error as? DownloadError, error.code == .shutDown {
            await session.reporter.downloaderWasShutDown(error)
        } else {
            await listOrFail(error)
        }
    }

    /// Adds a file that the server has shown to be a directory to the directories to list, or fails it.
    private func listOrFail(_ error: any Error) async {
        guard case .directory(let place)? = (error as? DownloadError)?.cause as? TransferFailure,
            let first = item.sources.first
        else { return await fail(error) }
        let directory = ListingWalk.Directory(source: place.with(credentialsOf: first), path: item.path)
        do {
            try await session.writer.store(.directory(id: file.id, directory))
            if !session.listing.found(directory) { await fail(error) }
        } catch {
            await fail(error)
        }
    }

    /// Compares the bytes of a local file that may be the recorded copy.
    ///
    /// - Returns: The file with this copy as the recorded one; `nil` if the bytes differ, or no comparison is
    ///   needed.
    private func comparedCopy() async -> MirrorFile? {
        guard check == .compare, let record = file.record, let found,
            // An unreadable copy is fetched again.
            (try? await FileDigest.compute([.sha256], of: path))?.first?.hexadecimal == record.sha256,
            await DiskThread.run({ [path] in found.isAt(path) })
        else { return nil }
        var file = file
        file.record?.identity = found
        // The program that wrote the copy may not have synced it.
        file.record?.boot = await DiskThread.run { [self] in isSynced() } ? nil : BootIdentity.current
        if !job.isDryRun, let record = file.record { session.writer.submit(.record(id: file.id, record)) }
        return await DiskThread.run { [file, confirmed, session] in
            MirrorFile(file, confirmed: confirmed, in: session)
        }
    }

    /// Reads the recorded copy if the job requires it.
    ///
    /// - Returns: The file, marked so that this copy is replaced; `nil` if the copy has the recorded digest,
    ///   or is fetched in any case.
    /// - Throws: `CancellationError`.
    private func damagedCopy() async throws -> MirrorFile? {
        guard job.verifiesCopies, !isDamaged, check != .fetch, check != .compare, let record = file.record,
            !record.sha256.isEmpty
        else { return nil }
        do {
            let digests = try await FileDigest.compute([.sha256], of: path)
            guard digests.first?.hexadecimal != record.sha256 else { return nil }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // An unreadable copy is fetched again.
        }
        return await DiskThread.run { [file, session] in
            MirrorFile(file, isDamaged: true, in: session)
        }
    }

    /// Syncs the file, and returns true if it is now durable. Blocks.
    private func isSynced() -> Bool {
        guard session.downloader.durability == .power, !job.isDryRun else { return false }
        return (try? SystemCalls.synchronize(at: path)) != nil
    }

    private func plannedAction() async throws -> MirrorAction {
        let fetch = found == nil ? MirrorAction.fetch : .replace
        switch check {
        case .keep: return .keep
        case .ask where isForeign, .fetch where item.strongestChecksum == nil, .compare:
            return try await adoptedCopy(.checkOnly) == nil ? fetch : .keep
        case .ask, .fetch:
            let result = try await download(.checkOnly)
            return result.outcome == .unchanged || !result.verified.isEmpty ? .keep : fetch
        }
    }

    private func download(_ mode: Mode) async throws -> DownloadResult {
        if let check = job.pathCheck { try await DiskThread.run { [path] in try check.run(path) } }
        if let present = try await presentFile() {
            if mode != .checkOnly { try await record(present) }
            return present
        }
        if let adopted = try await adoptedCopy(mode) { return adopted }
        let result = try await finish(task(mode, from: item.firstSource()))
        if mode == .checkOnly { return result }
        guard result.outcome == .unchanged else {
            try await record(result)
            return result
        }
        // The copy may have been removed while the server was being asked.
        let isThere = try await DiskThread.run { try self.isStillThere() }
        return isThere ? result : try await download(.fetch)
    }

    // MARK: Files of another source

    /// True if a file exists that no run has fetched from this source.
    private var isForeign: Bool { found != nil && !isDamaged && file.isUnknownHere }

    /// Asks the server about a file that no run has fetched from this source. Records the file if it has the
    /// server's size and date and the job adopts such files.
    ///
    /// - Returns: `nil` if the file must be fetched.
    private func adoptedCopy(_ mode: Mode) async throws -> DownloadResult? {
        guard isForeign, session.isRemembered, let found, let first = item.sources.first else { return nil }
        guard job.adoptsFiles else {
            session.foundForeign(item.shownPath)
            return nil
        }
        let remote = try await session.downloader.inspect(job.request(for: item, from: first)).response
        guard Adoption.isSame(found, size: remote.length, lastModified: remote.lastModified) else {
            return nil
        }
        let result = DownloadResult(
            outcome: .unchanged, path: path, length: found.size, bytesWritten: 0, duration: .zero,
            connections: 1)
        if mode == .checkOnly { return result }
        let digests = try await FileDigest.compute([.sha256], of: path)
        guard await DiskThread.run({ [path] in found.isAt(path) }) else { return nil }
        let copy = CompleteCopy(
            identity: found, digests: digests,
            validators: Validators(etag: remote.etag, lastModified: remote.lastModified))
        var record = CopyRecord(copy, of: item, from: first, in: session)
        // The program that wrote the file may not have synced it.
        record.boot = await DiskThread.run { [self] in isSynced() } ? nil : BootIdentity.current
        try await session.writer.store(.record(id: file.id, record))
        return result
    }

    /// Downloads the file. If the download does not complete, counts the bytes that were received.
    private func finish(_ task: DownloadTask) async throws -> DownloadResult {
        let before = await DiskThread.run { [self] in keptBytes() }
        let handle = session.downloader.start(task)
        await session.reporter.send(.started(item, handle))
        do {
            return try await handle.finish()
        } catch {
            session.reporter.receive(max(0, handle.currentProgress.bytesCompleted - before))
            throw error
        }
    }

    /// The number of bytes kept from an earlier download. Blocks.
    private func keptBytes() -> Int64 {
        guard isUnfinished, case .manifest(let left)? = try? ManifestStore(session.place(of: item)).load()
        else { return 0 }
        return left.trusted(boot: BootIdentity.current).byteCount
    }

    /// Returns the existing file if it has the required digest.
    private func presentFile() async throws -> DownloadResult? {
        guard let checksum = item.strongestChecksum else { return nil }
        let status = await DiskThread.run { [path] in try? SystemCalls.status(path) }
        guard let status, status.kind == .file, item.size ?? status.size == status.size,
            try await FileDigest.compute([checksum.algorithm], of: path) == [checksum]
        else { return nil }
        return DownloadResult(
            outcome: .skipped, path: path, length: status.size, bytesWritten: 0, duration: .zero,
            connections: 0, verified: [checksum])
    }

    // MARK: The request

    func task(_ mode: Mode, from first: Source) -> DownloadTask {
        var request = job.request(for: item, from: first)
        request.startsOver = mode == .checkOnly
        // A copy of this mirror that has changed is a different file, not an unfinished one.
        if !isForeign { request.takesOver = false }
        var task = DownloadTask(request)
        task.refusesDirectories = session.mayHideDirectories
        task.hooks.takeName = { [session, file] _ in session.firstSpelling(of: file).map { .spelling($0) } }
        guard session.isRemembered else { return task }
        task.revalidatedCopy = mode == .fetch ? nil : revalidatedCopy
        task.isCheckOnly = mode == .checkOnly
        task.mayBeUnfinished = isUnfinished
        task.refusesOtherURL = false
        task.hooks.record = { [self] copy in
            let record = CopyRecord(copy, of: item, from: copy.source ?? first, in: session)
            session.writer.submit(.record(id: file.id, record))
            isRecorded.withLock { $0 = true }
            return session.writer
        }
        return task
    }

    /// The copy about which to ask a server. Only the recorded source is asked, because a validator has a
    /// meaning only for the server that sent it.
    private var revalidatedCopy: RevalidatedCopy? {
        guard case .ask(let condition) = check, let record = file.record,
            let source = item.source(of: record.url)
        else { return nil }
        return RevalidatedCopy(condition: condition, length: record.identity.size, source: source)
    }

    // MARK: The record

    /// Records a file that the download has not recorded, because the file already existed, or because an
    /// earlier run completed it and was killed before reporting it.
    private func record(_ result: DownloadResult) async throws {
        guard session.isRemembered, !isRecorded.withLock({ $0 }) else { return }
        guard result.outcome == .downloaded || !result.verified.isEmpty else {
            // A file that was left unchanged by the job's policy may differ from the recorded one.
            if let record = file.record, record.identity != found {
                session.writer.submit(.unknown(id: file.id))
            }
            return
        }
        var digests = result.verified
        let before = await DiskThread.run { [path] in FileIdentity.ofFile(at: path) }
        if !digests.contains(where: { $0.algorithm == .sha256 }) {
            digests += try await FileDigest.compute([.sha256], of: path)
        }
        guard let before, await DiskThread.run({ [path] in before.isAt(path) }),
            let source = item.sources.first
        else { throw StorageError.cut(path).asDownloadError }
        let copy = CompleteCopy(
            identity: before, digests: digests, validators: Validators(etag: nil, lastModified: nil),
            proofs: result.proofs)
        let record = CopyRecord(copy, of: item, from: source, in: session)
        try await session.writer.store(.record(id: file.id, record))
    }

    // MARK: The end

    /// The result for a kept copy.
    private var kept: DownloadResult {
        let isAsked = check != .keep
        let known = isAsked ? nil : item.strongestChecksum
        return DownloadResult(
            outcome: isAsked ? .unchanged : .skipped, path: path, length: file.record?.identity.size ?? 0,
            bytesWritten: 0, duration: .zero, connections: 0, verified: known.map { [$0] } ?? [])
    }

    /// Completes kept copies in one batch, because most of a mirror's files may need nothing else.
    static func complete(kept files: [MirrorFile], in session: MirrorSession) async {
        guard !files.isEmpty else { return }
        await complete(files.map { ($0, $0.kept) }, in: session)
    }

    static func complete(
        _ files: [(file: MirrorFile, result: DownloadResult)], in session: MirrorSession
    ) async {
        session.writer.submit(.done(ids: files.map(\.file.file.id), run: session.run.id))
        await session.reporter.complete(
            files.map { file, result in
                let result = result.counted(for: file.item)
                return (file.item, session.source?.attributed(result, of: file.item) ?? result)
            })
    }

    func fail(_ error: any Error) async {
        await session.reporter.fail(MirrorReport.Failure(await namingClash(explained(error)), of: item))
    }
}

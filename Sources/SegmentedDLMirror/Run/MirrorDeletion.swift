internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// Removes what a mirror's source no longer has.
struct MirrorDeletion: Sendable {
    private static let batch = 256

    let work: StoredMirror.Work
    let entries: MirrorEntries?

    /// - Throws: `DownloadError` or `StorageError` if the database or the root cannot be read; `CancellationError` if it was cut
    ///   short.
    func carryOut() async throws {
        guard work.listing.isSound else { return }
        // A server that has lost its disk may well list nothing, and mean it as little.
        guard !work.listing.isEmpty else {
            return await work.mirror.fail(
                MirrorReport.Failure(
                    place: "\(work.job.root)", code: .badResponse,
                    message:
                        "The source names no file at all, so nothing is removed; empty '\(work.job.root)' yourself if that is right."
                ))
        }
        guard await DiskThread.run({ [work] in FilePath.isDirectory(work.job.root) }) else { return }
        // A dry run leaves everything where it is, so that all of it is found by going through the tree.
        if !work.job.isDryRun || work.job.deletion == .mirrored { try await mirrored() }
        if work.job.deletion == .everything { try await foreign() }
        try Task.checkCancellation()
    }

    /// What earlier runs have put there.
    private func mirrored() async throws {
        var last = ""
        while !Task.isCancelled {
            let files = try await DiskThread.run { [work, last] in
                try work.store.gone(in: work.run, after: last, atMost: Self.batch)
            }
            guard let end = files.last else { break }
            last = end.path.text
            for file in files where isWanted(file.path) { try await remove(file) }
        }
        try await work.writer.flush()
    }

    private func remove(_ file: KeptFile) async throws {
        let job = work.job
        // Any other file of that name goes with the foreign ones, if at all.
        let removal = try await DiskThread.run {
            guard !job.isDryRun else {
                return file.record.identity.isAt(job.root.appending(file.path.text))
                    ? Tree.Removal.removed : .missing
            }
            return try Tree(job.root).remove(file.path, file.record.identity)
        }
        switch removal {
        case .removed: await deleted(file.path)
        case .missing: break
        case .changed:
            if job.deletion != .everything {
                await work.mirror.channel.send(
                    .left(
                        file.path, "'\(file.path)' is gone from the source, but was changed here; it stays."))
            }
        }
        if !job.isDryRun { work.writer.submit(.forget(id: file.id)) }
    }

    /// Whatever else is there.
    private func foreign() async throws {
        let (names, continuation) = AsyncStream.makeStream(of: Foreign.self)
        let isCut = Lock(false)
        try await withTaskCancellationHandler {
            let walk = Task {
                defer { continuation.finish() }
                try await DiskThread.run {
                    try find(until: { isCut.withLock { $0 } }) { continuation.yield($0) }
                }
            }
            // Not a child: what was removed is told of, also after a cancellation.
            let told = Task {
                for await name in names {
                    switch name {
                    case .removed(let path): await deleted(path)
                    case .left(let reason): work.mirror.downloader.note(reason)
                    }
                }
            }
            await told.value
            try await walk.value
        } onCancel: {
            isCut.withLock { $0 = true }
        }
    }

    private enum Foreign: Sendable {
        case removed(RelativePath)
        case left(String)
    }

    private func find(until isCut: () -> Bool, _ tell: (Foreign) -> Void) throws {
        let (job, store) = (work.job, work.store)
        let tree = try Tree(job.root)
        var ours = try store.proofs()
        if let missing = job.missing { ours.insert(SystemCalls.resolved(missing).string) }
        let root = SystemCalls.resolved(job.root)
        try tree.forEachFile { found in
            if isCut() { throw CancellationError() }
            let path: RelativePath
            switch found {
            case .success(let good): path = good
            case .failure(let error): return tell(.left(error.message))
            }
            guard isWanted(path), !job.isReserved(path), !job.mayBeProof(path),
                !ours.contains(root.appending(path.text).string),
                try !store.lists(path.withoutOurEnding, in: work.run)
            else { return }
            if try job.isDryRun || tree.remove(path, nil) == .removed { tell(.removed(path)) }
        }
    }

    /// Whether the run's shard, filter and depth speak of a path: what they leave out is none of its business.
    private func isWanted(_ path: RelativePath) -> Bool {
        // What is unfinished belongs to whom it will.
        guard work.job.isOwn(path.withoutOurEnding) else { return false }
        guard let entries else { return true }
        return entries.filter.accepts(path)
            && path.components.count - 1 <= entries.options.depth ?? RelativePath.deepest
    }

    private func deleted(_ path: RelativePath) async {
        guard !work.job.isDryRun else {
            return await work.mirror.channel.send(.planned(path, .delete))
        }
        work.mirror.tally.addDeleted()
        await work.mirror.channel.send(.deleted(path))
    }
}

extension FilePath {
    fileprivate static func isDirectory(_ path: FilePath) -> Bool {
        (try? SystemCalls.statusFollowingLinks(path))?.kind == .directory
    }
}

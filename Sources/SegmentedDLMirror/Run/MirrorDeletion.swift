internal import SegmentedDL
internal import SystemPackage

/// Removes the files that a mirror's source no longer has.
struct MirrorDeletion: Sendable {
    private static let batchSize = 256

    let session: MirrorSession
    /// The entries of a source; `nil` for a caller's own entries.
    let entries: MirrorEntries?

    private var job: MirrorJob { session.job }

    /// Removes files according to the job. If any part of the listing failed, it removes nothing and reports
    /// the reason.
    ///
    /// - Returns: False if nothing was done.
    /// - Throws: `DownloadError` or `StorageError` if the database or the root cannot be read;
    ///   `CancellationError` if the task is cancelled.
    func run() async throws -> Bool {
        if let reason = obstacle {
            session.downloader.note("nothing is deleted: \(reason)")
            return false
        }
        let hasRoot = await DiskThread.run { [root = job.root] in
            (try? SystemCalls.statusFollowingLinks(root))?.kind == .directory
        }
        guard hasRoot else { return true }
        // A dry run does not remove the mirror's own files, so `removeForeign` finds them too.
        if !job.isDryRun || job.deletion == .mirrored { try await removeMirrored() }
        if job.deletion == .everything { try await removeForeign() }
        try Task.checkCancellation()
        return true
    }

    /// The reason why it is uncertain which files the source no longer has.
    private var obstacle: String? {
        let failed = session.listing.failures
        if failed > 0 {
            return failed == 1
                ? "an entry of the source failed, and may have listed local files"
                : "\(failed) entries of the source failed, and may have listed local files"
        }
        guard session.listing.mayMissDirectories else { return nil }
        return
            "the source's listings do not mark directories, and excluded names may be directories"
    }

    /// True if the root is an image layout or the cache of a hub, which may have files of other images or
    /// revisions. Both change the entries of a source. Blocks.
    private var isShared: Bool {
        entries == nil && (job.source != nil || ImageLayout.exists(at: job.root))
    }

    /// Counts the files that the source no longer has; `nil` if the listing is not reliable, or if the root
    /// may also have files of other sources.
    ///
    /// - Throws: `DownloadError` if the database cannot be read; `CancellationError` if the task is
    ///   cancelled.
    func count() async throws -> Int? {
        guard session.listing.isThrough, !session.listing.mayMissDirectories, !session.listing.isEmpty,
            let unknown = session.listing.unknown
        else { return nil }
        return try await DiskThread.run { [self] () throws -> Int? in
            guard !isShared else { return nil }
            var (place, count) = ("", 0)
            while true {
                let files = try session.store.gone(in: session.run, after: place, atMost: Self.batchSize)
                guard let end = files.last else { return count }
                place = end.path.text
                count += try files.count {
                    try isOwnAndWanted($0.path) && !isBelow(unknown, $0.path) && !isBelowListed($0.path)
                        && $0.record?.identity.isAt(job.root.appending($0.path.text)) ?? false
                }
            }
        }
    }

    // MARK: The mirror's own files

    private func removeMirrored() async throws {
        var last = ""
        while !Task.isCancelled {
            let files = try await DiskThread.run { [session, last] in
                try session.store.gone(in: session.run, after: last, atMost: Self.batchSize)
            }
            guard let end = files.last else { break }
            last = end.path.text
            for file in files where isOwnAndWanted(file.path) { try await remove(file) }
        }
        try await session.writer.flush()
    }

    private func remove(_ file: GoneFile) async throws {
        let removal: Tree.Removal? = try await DiskThread.run { [self] in
            guard try !isBelowListed(file.path) else { return nil }
            guard job.isDryRun else {
                try removeUnfinished(file.path)
                return try file.record.map { try Tree(job.root).remove(file.path, $0.identity) } ?? .missing
            }
            let isThere = file.record?.identity.isAt(job.root.appending(file.path.text)) ?? false
            return isThere ? Tree.Removal.removed : .missing
        }
        switch removal {
        case nil: return
        case .removed: await deleted(file.path)
        // Any other file with that name is removed, if at all, as a foreign file.
        case .changed where job.deletion != .everything:
            await session.reporter.send(
                .kept(
                    file.path,
                    "'\(file.path)' was removed from the source, but has local changes; it was kept."))
        case .changed, .missing: break
        }
        if !job.isDryRun { session.writer.submit(.forget(id: file.id)) }
    }

    /// Removes an unfinished file left by a run that was killed. Blocks.
    private func removeUnfinished(_ path: RelativePath) throws {
        let tree = try Tree(job.root)
        guard tree.reaches(path) else { return }
        do {
            try session.downloader.place(for: job.root.appending(path.text)).removeUnfinished()
        } catch let error as DownloadError where error.code == .locked {
            // Another program is downloading the file.
            return
        }
        if let parent = path.parent { tree.removeEmpty(parent) }
    }

    // MARK: All other files

    private func removeForeign() async throws {
        for try await found in foreignFiles() {
            // Names that were buffered in the stream at the time of cancellation are still delivered.
            try Task.checkCancellation()
            switch found {
            case .failure(let error):
                session.downloader.note(error.message)
            case .success(let path):
                let isRemoved = try await DiskThread.run { [job] in
                    try job.isDryRun || Tree(job.root).remove(path, nil) == .removed
                }
                if isRemoved { await deleted(path) }
            }
        }
    }

    /// The files below the root that neither the source nor the mirror itself has there. A failure is a name
    /// that cannot be a path.
    private func foreignFiles() -> AsyncThrowingStream<Result<RelativePath, DownloadError>, any Error> {
        DiskThread.stream { [self] output in
            let own = try ownFiles()
            let root = SystemCalls.resolved(job.root)
            try Tree(job.root).forEachFile { found in
                try output.checkCancellation()
                if case .success(let path) = found {
                    guard !own.contains(root.appending(path.text).string), try isForeign(path) else { return }
                }
                output.send(found)
            }
        }
    }

    /// The resolved paths of the mirror's proofs and of its list of missing files. Blocks.
    private func ownFiles() throws -> Set<String> {
        var files = try session.store.proofs()
        for step in session.listing.publication?.steps ?? [] where step.content != .nothing {
            files.insert(SystemCalls.resolved(job.root).appending(step.path.text).string)
        }
        if let missing = job.missing { files.insert(SystemCalls.resolved(missing).string) }
        return files
    }

    /// Returns true for a path below a name that the run has listed as a file, unless the source has sent
    /// that file. The name may be a directory that could not be requested, and whose files the source still
    /// has. Blocks.
    private func isBelowListed(_ path: RelativePath) throws -> Bool {
        var next = path.parent
        while let parent = next {
            if try session.store.lists(parent.text, in: session.run), !session.listing.isBlocked(parent) {
                return true
            }
            next = parent.parent
        }
        return false
    }

    /// Returns true for a path below one of the directories.
    private func isBelow(_ directories: Set<String>, _ path: RelativePath) -> Bool {
        guard !directories.isEmpty else { return false }
        var next = path.parent
        while let parent = next {
            if directories.contains(parent.text + "/") { return true }
            next = parent.parent
        }
        return false
    }

    private func isForeign(_ path: RelativePath) throws -> Bool {
        guard isOwn(path), isWanted(path), !job.isReserved(path), !job.mayBeProof(path),
            try !isBelowListed(path)
        else {
            return false
        }
        // The case of a local directory's name may differ from that of the source's file.
        let (store, run, merges) = (session.store, session.run, session.names.mergesLetters())
        // A symbolic link that replaces a directory leads to the source's files.
        guard try !store.listsBelow(path.text, in: run, mergesLetters: merges) else { return false }
        return try ![path.text, path.withoutOurEnding].contains {
            try store.lists($0, in: run, mergesLetters: merges)
        }
    }

    /// Returns true for a file of the run's shard. An unfinished file belongs to the shard that owns the
    /// final name. A name that may be either must belong to the shard in both cases.
    private func isOwn(_ path: RelativePath) -> Bool {
        (path.isOfState || job.isOwn(path.text)) && job.isOwn(path.withoutOurEnding)
    }

    /// Returns true for a name that the source would have in the run's shard, and that is wanted.
    private func isOwnAndWanted(_ path: RelativePath) -> Bool { job.isOwn(path.text) && isWanted(path) }

    /// Returns true if a path passes the filter and the depth limit. Other files are left unchanged.
    private func isWanted(_ path: RelativePath) -> Bool {
        guard let entries else { return true }
        return entries.filter.accepts(path)
            && path.components.count - 1 <= entries.options.depth ?? RelativePath.maximumDepth
    }

    private func deleted(_ path: RelativePath) async {
        if job.isDryRun {
            await session.reporter.send(.planned(path, .delete))
        } else {
            await session.reporter.delete(path)
        }
    }
}

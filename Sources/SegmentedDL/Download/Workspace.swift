internal import Logging
internal import SystemPackage

/// A destination that is being worked on: the locked part file and its manifest.
struct Workspace: Sendable {
    let part: PartFile
    let store: ManifestStore
    let place: PartPlace
    let source: Source
    /// Further sources of the file.
    let mirrors: [Source]
    /// The one that has answered first, which may be one of the mirrors.
    let home: Source
    let configuration: Configuration
    let commits: CommitQueue
    /// Whether all bytes are there already.
    let isFilled: Bool

    /// What a run that was killed near its end has left.
    enum Leftover: Sendable {
        /// The file already has its final name.
        case renamed(FilePath, length: Int64)
        /// All bytes are in the part file.
        case complete(Workspace, length: Int64, ServerDigest?, Validators)
    }

    /// Opens and locks the part file. Blocks.
    ///
    /// - Parameters:
    ///   - length: The file's length, if nothing of it is there yet.
    ///   - file: All of it, if it is there already.
    /// - Throws: `DownloadError` with code `locked`, or `StorageError`.
    init(
        _ place: PartPlace, _ sources: [Source], home: Source, length: Int64?, file: [UInt8]? = nil,
        _ configuration: Configuration, _ commits: CommitQueue
    ) throws {
        self.place = place
        source = sources.first ?? home
        mirrors = Array(sources.dropFirst())
        self.home = home
        self.configuration = configuration
        self.commits = commits
        store = ManifestStore(place)
        let isBeside = place.part.directory == place.destination.directory
        if !isBeside { try DestinationChoice.makeDirectory(place.part.directory) }
        let isSmall = length.map { $0 < configuration.minimumSegmentSize } ?? false
        if isBeside, isSmall, try store.load() == .absent, let unnamed = try PartFile.unnamed(place) {
            if let file {
                try unnamed.fill(file)
            } else {
                try unnamed.preallocate(length ?? 0)
            }
            part = unnamed
            isFilled = file != nil
        } else {
            part = try PartFile(place)
            isFilled = false
        }
    }

    // MARK: Before the transfer

    /// The first byte that an earlier run has not got; 0 if there was none. The answer is a hint: nothing is
    /// locked yet, and whether the bytes are of the same file is decided later.
    static func firstMissing(by manifest: Manifest) -> Int64 {
        let plan = SegmentPlan(total: manifest.total, written: manifest.trusted(boot: BootIdentity.current))
        return plan.firstMissing ?? 0
    }

    /// Looks for a download of the same URL that needs no more bytes. Blocks.
    static func leftover(
        at place: PartPlace, _ manifest: Manifest, _ sources: [Source], _ configuration: Configuration,
        _ commits: CommitQueue
    ) throws -> Leftover? {
        guard let first = sources.first, sources.contains(where: { manifest.urlDigest == $0.digest }),
            manifest.total > 0
        else { return nil }
        if try isRenamed(place, manifest, configuration.durability) {
            return .renamed(place.destination, length: manifest.total)
        }
        guard manifest.trustsAll(boot: BootIdentity.current) else { return nil }
        let workspace = try Workspace(place, sources, home: first, length: nil, configuration, commits)
        let status = try workspace.part.status()
        guard status.inode == manifest.inode, status.size == manifest.total,
            try !workspace.store.misses(status)
        else {
            workspace.part.close()
            return nil
        }
        return .complete(
            workspace, length: manifest.total, manifest.serverDigest,
            // An ETag says nothing to another source than the one that sent it.
            Validators(
                etag: manifest.validatorsOf == nil ? manifest.etag : nil, lastModified: manifest.lastModified)
        )
    }

    /// Whether only what follows the rename was missing; it is made up for.
    private static func isRenamed(
        _ place: PartPlace, _ manifest: Manifest, _ durability: Durability
    ) throws -> Bool {
        let path = place.destination
        guard let status = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }),
            status.inode == manifest.inode, status.size == manifest.total
        else { return false }
        // Anyone can give an unfinished file the name.
        guard manifest.trustsAll(boot: BootIdentity.current) else { return false }
        if durability == .power { try Finalizer.synchronizeDirectory(of: path) }
        try ManifestStore(place).remove()
        return true
    }

    /// What is to be fetched: everything, or what an earlier run has not got.
    ///
    /// - Parameter isChecked: Whether digests will tell which of the bytes on disk are right.
    func plan(
        _ probe: FirstResponse, startingOver: Bool, isChecked: Bool, _ client: SourceClient
    ) async throws -> SharedPlan {
        let resource = probe.resource
        if part.isUnnamed { return SharedPlan(SegmentPlan(total: resource.length)) }
        var written = ByteRangeSet()
        if !startingOver {
            let left = try await DiskThread.run { try leftByUs() }
            if resource.acceptsRanges { written = try await resumable(left, probe, isChecked, client) }
        }
        let plan = SharedPlan(SegmentPlan(total: resource.length, written: written))
        let isFresh = written.isEmpty
        try await DiskThread.run { [self] in
            if isFresh {
                try part.empty()
                // From here on the part file is known to be ours, however this run ends.
                try store.save(manifest(resource, written: []), durably: false)
            }
            guard let length = resource.length else { return }
            do {
                try part.preallocate(length)
            } catch {
                // An empty part file would only puzzle who sees it.
                if isFresh { try? discard() }
                throw error
            }
        }
        return plan
    }

    /// What an earlier run says of the part file.
    ///
    /// - Throws: `DownloadError` with code `badPath` if it holds bytes that no run of ours has left.
    private func leftByUs() throws -> ManifestStore.Content {
        let content = try store.load()
        guard content == .absent, try part.status().size > 0 else { return content }
        throw DownloadError(
            .badPath,
            "'\(part.path)' is no unfinished download of segdl; move it away. Only `segdl fetch --restart` replaces it."
        )
    }

    private func resumable(
        _ left: ManifestStore.Content, _ probe: FirstResponse, _ isChecked: Bool, _ client: SourceClient
    ) async throws -> ByteRangeSet {
        let decision = try await DiskThread.run { [self] in
            let status = try part.status()
            return ResumeDecision.decide(
                left, resource: probe.resource, urlDigest: source.digest, inode: status.inode,
                size: status.size, isTouched: try store.misses(status), boot: BootIdentity.current,
                probed: home.digest, sources: ([source] + mirrors).map(\.digest))
        }
        switch decision {
        case .resume(let written):
            return written
        case .compare(let written) where isChecked:
            return written
        case .compare(let written):
            let comparison = SampleComparison(
                client: client, part: part, total: probe.resource.length ?? 0)
            if try await probe.compare(comparison, written, configuration.retry) { return written }
            return startOver("its bytes differ from those on the server")
        case .fresh(let reason):
            return reason.map { startOver($0) } ?? ByteRangeSet()
        }
    }

    private func startOver(_ reason: String) -> ByteRangeSet {
        configuration.logger.notice("\(part.destination): starting over, because \(reason)")
        return ByteRangeSet()
    }

    // MARK: During the transfer

    /// What writes the file's bytes, and notes them in the manifest.
    func writer(
        _ plan: SharedPlan, _ resource: ResourceInfo, _ frontier: DigestFrontier?, _ pieces: PieceCheck?
    ) throws -> PartWriter {
        PartWriter(
            part: part, plan: plan, checkpointer: try checkpointer(for: plan, resource), frontier: frontier,
            pieces: pieces)
    }

    /// Makes a last checkpoint after a transfer that did not end well. A part that cannot be resumed is of no use, and
    /// removed.
    func keepOrDiscard(_ writer: PartWriter, _ resource: ResourceInfo) async throws {
        let last = try await DiskThread.run {
            try writer.checkpointer ?? lastCheckpointer(for: writer.plan, resource)
        }
        guard let last else { return try await DiskThread.run { try discard() } }
        try await last.checkpoint()
        try await DiskThread.run { try part.giveName() }
    }

    /// What keeps the manifest while bytes come in; `nil` where it is not worth it: for a stream of unknown
    /// length, which cannot be gone on with, and for a file that is not even cut.
    private func checkpointer(for plan: SharedPlan, _ resource: ResourceInfo) throws -> Checkpointer? {
        guard let length = resource.length, length >= configuration.minimumSegmentSize else { return nil }
        return try makeCheckpointer(for: plan, resource)
    }

    /// What makes a last checkpoint, also of a small file; `nil` if it cannot be gone on with. A file without a name gets one
    /// after it: a part file without a manifest would be taken for somebody else's. Blocks.
    private func lastCheckpointer(for plan: SharedPlan, _ resource: ResourceInfo) throws -> Checkpointer? {
        guard resource.length != nil, resource.acceptsRanges, !plan.snapshot.written.isEmpty else {
            return nil
        }
        return try makeCheckpointer(for: plan, resource)
    }

    private func makeCheckpointer(for plan: SharedPlan, _ resource: ResourceInfo) throws -> Checkpointer {
        // What a resume trusts was durable, or is still in this boot's page cache.
        let written = Manifest.list(plan.snapshot.written)
        let template = try manifest(resource, written: written)
        return Checkpointer(
            part: part, store: store, plan: plan, template: template, durability: configuration.durability)
    }

    /// What hashes the part file while it is written; `nil` if nothing is expected.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks an algorithm.
    func frontier(_ expectations: Expectations) throws -> DigestFrontier? {
        let algorithms = expectations.algorithms
        return algorithms.isEmpty ? nil : try DigestFrontier(part, algorithms)
    }

    private func manifest(_ resource: ResourceInfo, written: [[Int64]]) throws -> Manifest {
        Manifest(
            url: source.description, urlDigest: source.digest,
            validatorsOf: home == source ? nil : home.digest,
            mirrors: mirrors.isEmpty ? nil : mirrors.map(\.digest), total: resource.length ?? 0,
            etag: resource.validators.etag, lastModified: resource.validators.lastModified,
            serverDigest: resource.digest,
            inode: try part.status().inode, boot: BootIdentity.current, written: written, durable: [],
            updated: WallClock.seconds())
    }

    /// Removes the part file and its manifest. Blocks.
    func discard() throws {
        try part.discard()
        try store.remove()
    }

    // MARK: After the transfer

    /// Sets the part file aside: its bytes are not what was wanted.
    ///
    /// - Throws: Always; `DownloadError` with code `checksumMismatch` if all went well.
    func reject(_ mismatch: String) async throws {
        try await DiskThread.run { [part, store] in
            let aside = try part.setAside()
            try store.remove()
            throw Expectations.error(part.destination.string, mismatch, kept: "they are kept as '\(aside)'")
        }
    }

    /// What is to be done when a file is complete, right before it gets its name.
    enum BeforeName: Sendable {
        /// Someone is asked, who may refuse by throwing.
        case ask(@Sendable (FilePath, FileIdentity) async throws -> Void)
        /// It is noted in a ledger.
        case note(any Ledger, @Sendable (FileIdentity) -> Void)
    }

    /// Gives the file its final name.
    ///
    /// - Parameter modified: The date that it gets, in seconds since 1970; `nil` for that of its last byte.
    /// - Throws: `DownloadError` with code `fileExists`, or `StorageError`, and what `beforeName` throws.
    func finalize(
        _ policy: ExistingFilePolicy, length: Int64, modified: Int64? = nil, beforeName: BeforeName?
    ) async throws -> FilePath {
        var commit = CommitQueue.Commit(
            part: part, place: place, manifest: store, length: length, modified: modified, policy: policy,
            durability: configuration.durability)
        switch beforeName {
        case .ask(let ask):
            let ready = try await prepare(commit)
            try await ask(part.destination, ready.identity)
            return try await publish(commit, ready)
        case .note(let ledger, let note):
            commit.note = (ledger, note)
            return try await publish(commit, nil)
        case nil:
            return try await publish(commit, nil)
        }
    }

    /// Small files are made ready and named together.
    private func prepare(_ commit: CommitQueue.Commit) async throws -> Finalizer.ReadyFile {
        guard !part.isUnnamed else { return try await commits.prepare(commit) }
        return try await DiskThread.run { try commit.ready() }
    }

    private func publish(
        _ commit: CommitQueue.Commit, _ ready: Finalizer.ReadyFile?
    ) async throws -> FilePath {
        guard !part.isUnnamed else { return try await commits.publish(commit, ready) }
        return try await DiskThread.run {
            let ready = try ready ?? commit.ready()
            if let (ledger, note) = commit.note {
                note(ready.identity)
                try ledger.storeNotes()
            }
            return try Finalizer.publish(
                ready, of: commit.part, manifest: commit.manifest, policy: commit.policy,
                durability: commit.durability)
        }
    }
}

extension Source {
    /// Tells URLs apart without storing their secrets.
    var digest: String { Digest.sha256(url.utf8) }
}

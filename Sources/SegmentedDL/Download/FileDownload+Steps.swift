internal import SystemPackage

extension FileDownload {
    // MARK: Where it goes

    /// How a download begins.
    enum Beginning: Sendable {
        /// An earlier run has left all bytes.
        case leftover(Workspace.Leftover, FilePath)
        /// The file is there, and is to stay as it is.
        case taken(FilePath, length: Int64)
        /// The server is asked for what comes from an offset on.
        case ask(from: Int64)
    }

    /// Looks at what is on the disk.
    func look(startingOver: Bool) async throws -> Beginning {
        try await DiskThread.run { [self] in
            let expected = try Place.expected(for: request)
            if let expected { try makeDirectory(of: expected) }
            let manifest = try startingOver ? nil : expected.flatMap { try self.manifest(at: $0) }
            // Pieces are checked as they are fetched.
            if let expected, let manifest, request.pieces == nil,
                let leftover = try Workspace.leftover(
                    at: place(for: expected), manifest, request.sources, configuration, commits)
            {
                return .leftover(leftover, expected)
            }
            // A path that the caller chose is judged before anything is asked of the server.
            if case .file(let path) = request.destination,
                case .skip(let path) = try DestinationChoice.decide(path, policy: request.ifExists)
            {
                return .taken(path, length: Self.length(at: path))
            }
            return .ask(from: try firstMissing(at: expected, manifest))
        }
    }

    /// Makes the directory that a mirror's file goes to. Blocks.
    private func makeDirectory(of path: FilePath) throws {
        guard request.makesDirectory, request.copy?.onlyAsks != true else { return }
        try DestinationChoice.makeDirectory(path.directory)
    }

    private func manifest(at path: FilePath) throws -> Manifest? {
        guard case .manifest(let manifest) = try ManifestStore(place(for: path)).load() else { return nil }
        return manifest
    }

    /// The first byte to ask for. Blocks.
    private func firstMissing(at expected: FilePath?, _ manifest: Manifest?) throws -> Int64 {
        var manifest = manifest
        // The name that is taken then is another one.
        if request.ifExists == .rename, let expected {
            guard case .proceed(let path)? = try? DestinationChoice.decide(expected, policy: .rename) else {
                return 0
            }
            if path != expected { manifest = try self.manifest(at: path) }
        }
        return manifest.map(Workspace.firstMissing) ?? 0
    }

    private static func length(at path: FilePath) -> Int64 {
        (try? SystemCalls.status(path).size) ?? 0
    }

    /// Where the bytes of a file are until it is complete.
    func place(for path: FilePath) -> PartPlace {
        if let place = request.place, place.destination == path { return place }
        return PartPlace(path, in: configuration.incompleteDirectory)
    }

    /// - Throws: `DownloadError` with code `lengthMismatch` if the file is known to have another length.
    func checkLength(_ length: Int64) throws {
        guard let expected = request.expectedLength, length != expected else { return }
        throw DownloadError(
            .lengthMismatch,
            "\(request.source): the file has \(length) bytes, but \(expected) were expected; it may have changed.",
            url: request.source.description)
    }

    /// SegmentedDLSupport the place where the file goes, now that its name is known.
    ///
    /// - Returns: No workspace if a file of that name is there and the policy is to leave it.
    func openWorkspace(
        _ probe: FirstResponse, from home: Source.Index
    ) async throws -> (workspace: Workspace?, path: FilePath) {
        let resource = probe.resource
        let chosen = try await delegate?.choosePath(for: ResponseInfo(resource, of: request))
        var busy: Set<FilePath> = []
        while true {
            let (outcome, opened) = try await DiskThread.run { [self, busy] in
                let outcome = try decide(chosen, resource, busy: busy)
                // With nobody to ask it is opened on the same way: each way to a disk thread costs.
                guard delegate == nil, case .proceed(let path) = outcome else {
                    return (outcome, Workspace?.none)
                }
                return (outcome, try open(path, probe, home))
            }
            guard case .proceed(let path) = outcome else { return (nil, outcome.path) }
            if let opened { return (opened, path) }
            if delegate != nil {
                guard try await claim(path) else {
                    guard request.ifExists == .rename else { throw Self.claimedError(path) }
                    busy.insert(path)
                    continue
                }
                if let opened = try await DiskThread.run({ [self] in try open(path, probe, home) }) {
                    return (opened, path)
                }
            }
            busy.insert(path)
        }
    }

    private func decide(
        _ chosen: FilePath?, _ resource: ResourceInfo, busy: Set<FilePath>
    ) throws -> DestinationChoice.Outcome {
        if let chosen { try DestinationChoice.makeDirectory(chosen.directory) }
        let path = try chosen ?? Place.path(for: request, named: resource.fileName)
        try makeDirectory(of: path)
        let outcome = try DestinationChoice.decide(path, policy: request.ifExists, busy: busy)
        tracker.named(outcome.path.lastComponent?.string ?? outcome.path.string)
        return outcome
    }

    /// - Returns: `nil` if another download has that name, and the policy is to take another one.
    private func open(
        _ path: FilePath, _ probe: FirstResponse, _ home: Source.Index
    ) throws -> Workspace? {
        do {
            return try Workspace(
                place(for: path), request.sources, home: clients[home].source,
                length: probe.resource.length, file: probe.file, configuration, commits)
        } catch let error as DownloadError where error.code == .locked && request.ifExists == .rename {
            return nil
        }
    }

    private static func claimedError(_ path: FilePath) -> DownloadError {
        DownloadError(
            .duplicate,
            "Another download of this queue goes to '\(path)'; wait for it, or choose another name.")
    }

    func skipped(_ path: FilePath) async throws -> DownloadResult {
        skipped(path, length: await DiskThread.run { Self.length(at: path) })
    }

    func skipped(_ path: FilePath, length: Int64) -> DownloadResult {
        DownloadResult(
            outcome: .skipped, path: path, length: length, bytesWritten: 0, duration: .zero, connections: 0)
    }

    // MARK: How it ends

    /// The file came along with the head of its response, and is on disk.
    func finish(
        _ file: [UInt8], in workspace: Workspace, _ expectations: Expectations, _ validators: Validators,
        of source: Source
    ) async throws -> DownloadResult {
        let length = Int64(file.count)
        tracker.noteConnections(1)
        tracker.follows(SharedPlan(SegmentPlan(total: length, written: ByteRangeSet(0..<length))))
        await enter(.downloading)
        try checkLength(length)
        let digests = try expectations.digests(of: file)
        if !digests.isEmpty { await enter(.verifying) }
        if let mismatch = expectations.mismatch(digests) { try await workspace.reject(mismatch) }
        // The next file can begin while this one waits for the disk.
        if commits.hasRoom { slot.release() }
        return try await finish(
            workspace, digests, expectations, length: length, validators, of: source, written: length)
    }

    /// A run that was killed after its last byte needs no network any more.
    func finish(_ leftover: Workspace.Leftover, at path: FilePath) async throws -> DownloadResult {
        guard try await claim(path) else {
            if case .complete(let workspace, _, _, _) = leftover { workspace.part.close() }
            throw Self.claimedError(path)
        }
        tracker.named(path.lastComponent?.string ?? path.string)
        slot.needsNoConnection()
        switch leftover {
        case .renamed(let path, let length):
            return result(path, length: length)
        case .complete(let workspace, let length, let digest, let validators):
            defer { workspace.part.close() }
            let expectations = Expectations(
                checksum: request.checksum, server: request.verifiesServerDigest ? digest : nil,
                wantsSHA256: request.copy != nil)
            let frontier = try workspace.frontier(expectations)
            try checkLength(length)
            let digests = try await verify(
                workspace, frontier, expectations, length: length, nil, nil, fetch: { _ in })
            return try await finish(
                workspace, digests, expectations, length: length, validators, written: 0)
        }
    }

    /// Gives the complete and verified part file its final name.
    func finish(
        _ workspace: Workspace, _ digests: [Checksum], _ expectations: Expectations, length: Int64,
        _ validators: Validators, of source: Source? = nil, written: Int64
    ) async throws -> DownloadResult {
        await enter(.finalizing)
        let path = try await workspace.finalize(
            request.ifExists, length: length, modified: remoteDate(validators),
            beforeName: beforeName(digests, validators, of: source))
        return result(path, length: length, written: written, verified: expectations.verified(digests))
    }

    /// What a copy gets as its date, in seconds since 1970.
    private func remoteDate(_ validators: Validators) -> Int64? {
        request.copy.flatMap { _ in validators.lastModified.flatMap(HTTPDate.seconds) }
    }

    /// What is to be done before the file gets its name; `nil` if nobody asked for it.
    private func beforeName(
        _ digests: [Checksum], _ validators: Validators, of source: Source?
    ) -> Workspace.BeforeName? {
        if let copy = request.copy {
            return .note(copy.ledger) { identity in
                copy.note(
                    CompleteCopy(
                        identity: identity, digests: digests, validators: validators, source: source))
            }
        }
        return delegate.map { delegate in .ask { try await delegate.willFinalize($0, $1) } }
    }

    private func result(
        _ path: FilePath, length: Int64, written: Int64 = 0, verified: [Checksum] = []
    ) -> DownloadResult {
        DownloadResult(
            outcome: .downloaded, path: path, length: length, bytesWritten: written, duration: .zero,
            connections: tracker.mostConnections, verified: verified)
    }

    // MARK: What the caller sees of an error

    func publicError(_ error: any Error, _ source: Source? = nil) -> any Error {
        switch error {
        case let failure as TransferFailure:
            let name = tracker.progress().name ?? request.source.description
            return failure.error(for: source ?? client.source, file: name)
        case let error as StorageError:
            return error.asDownloadError
        default:
            return error
        }
    }
}

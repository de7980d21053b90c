internal import SystemPackage

extension FileDownload {
    // MARK: Where it goes

    /// The path as far as it is known before the server answers.
    func expectedPath() async throws -> FilePath? {
        try await DiskThread.run { [request] in try Place.expected(for: request) }
    }

    /// Where the bytes of a file are until it is complete.
    func place(for path: FilePath) -> PartPlace {
        if let place = request.place, place.destination == path { return place }
        return PartPlace(path, in: configuration.incompleteDirectory)
    }

    /// A path that the caller chose is judged before anything is asked of the server.
    func skipIfTaken() async throws -> DownloadResult? {
        guard case .file(let path) = request.destination else { return nil }
        let outcome = try await DiskThread.run { [request] in
            try DestinationChoice.decide(path, policy: request.ifExists)
        }
        guard case .skip(let path) = outcome else { return nil }
        return try await skipped(path)
    }

    /// The first byte to ask for.
    func firstMissing(at expected: FilePath?) async throws -> Int64 {
        guard let expected else { return 0 }
        return try await DiskThread.run { [self] in
            guard case .proceed(let path)? = try? DestinationChoice.decide(expected, policy: request.ifExists)
            else { return 0 }
            return try Workspace.firstMissing(at: place(for: path))
        }
    }

    /// Sends the first request.
    func probe(from offset: Int64) async throws -> ProbedResponse {
        let probe = Probe(
            requester: requester, retry: configuration.retry, readsDigest: request.verifiesServerDigest)
        return try await probe.run(from: offset)
    }

    /// Locks the place where the file goes, now that its name is known.
    ///
    /// - Returns: No workspace if a file of that name is there and the policy is to leave it.
    func openWorkspace(_ resource: ResourceInfo) async throws -> (workspace: Workspace?, path: FilePath) {
        let chosen = try await delegate?.choosePath(for: ResponseInfo(resource, of: request))
        var busy: Set<FilePath> = []
        while true {
            let outcome = try await DiskThread.run { [request, busy] in
                if let chosen { try DestinationChoice.makeDirectory(chosen.directory) }
                let path = try chosen ?? Place.path(for: request, named: resource.fileName)
                return try DestinationChoice.decide(path, policy: request.ifExists, busy: busy)
            }
            tracker.named(outcome.path.lastComponent?.string ?? outcome.path.string)
            guard case .proceed(let path) = outcome else { return (nil, outcome.path) }
            guard try await claim(path) else {
                guard request.ifExists == .rename else { throw Self.claimedError(path) }
                busy.insert(path)
                continue
            }
            do {
                return (try await Workspace.open(place(for: path), request.source, configuration), path)
            } catch let error as DownloadError where error.code == .locked && request.ifExists == .rename {
                busy.insert(path)
            }
        }
    }

    private static func claimedError(_ path: FilePath) -> DownloadError {
        DownloadError(
            .duplicate,
            "Another download of this queue goes to '\(path)'; wait for it, or choose another name.")
    }

    func skipped(_ path: FilePath) async throws -> DownloadResult {
        let length = try await DiskThread.run { (try? SystemCalls.status(path).size) ?? 0 }
        return DownloadResult(
            outcome: .skipped, path: path, length: length, bytesWritten: 0, duration: .zero, connections: 0)
    }

    // MARK: How it ends

    /// A run that was killed after its last byte needs no network any more.
    func finishLeftover(at path: FilePath) async throws -> DownloadResult? {
        guard let leftover = try await Workspace.leftover(at: place(for: path), request.source, configuration)
        else {
            return nil
        }
        guard try await claim(path) else {
            if case .complete(let workspace, _, _) = leftover { workspace.part.close() }
            throw Self.claimedError(path)
        }
        tracker.named(path.lastComponent?.string ?? path.string)
        slot.needsNoConnection()
        switch leftover {
        case .renamed(let path, let length):
            return result(path, length: length)
        case .complete(let workspace, let length, let digest):
            defer { workspace.part.close() }
            let expectations = Expectations(
                checksum: request.checksum, server: request.verifiesServerDigest ? digest : nil)
            let frontier = try workspace.frontier(expectations)
            return try await finish(workspace, frontier, expectations, length: length, written: 0)
        }
    }

    /// Verifies the complete part file and gives it its final name.
    func finish(
        _ workspace: Workspace, _ frontier: DigestFrontier?, _ expectations: Expectations, length: Int64,
        written: Int64
    ) async throws -> DownloadResult {
        var verified: [Checksum] = []
        if let frontier {
            await enter(.verifying)
            verified = try await frontier.finish(at: length)
            if let mismatch = expectations.mismatch(verified) { try await workspace.reject(mismatch) }
        }
        await enter(.finalizing)
        let path = try await workspace.finalize(request.ifExists, length: length, delegate: delegate)
        return result(path, length: length, written: written, verified: verified)
    }

    private func result(
        _ path: FilePath, length: Int64, written: Int64 = 0, verified: [Checksum] = []
    ) -> DownloadResult {
        DownloadResult(
            outcome: .downloaded, path: path, length: length, bytesWritten: written, duration: .zero,
            connections: tracker.mostConnections, verified: verified)
    }

    // MARK: What the caller sees of an error

    func publicError(_ error: any Error) -> any Error {
        switch error {
        case let failure as TransferFailure:
            let name = tracker.progress().name ?? request.source.description
            return failure.error(for: requester.route.source, file: name)
        case let error as StorageError:
            return error.asDownloadError
        default:
            return error
        }
    }
}

internal import SystemPackage

/// The place for a download's bytes, once the server has answered.
enum OpenedDestination: Sendable {
    case file(IncompleteFile)
    /// There is none, and nothing to fetch.
    case ended(Ending)
}

extension FileDownload {
    /// Opens and locks the file that the bytes go to.
    func openDestination(for first: FirstResponse) async throws -> OpenedDestination {
        let chosen = try await delegate?.choosePath(for: ResponseInfo(first.resource, of: request))
        var busy: Set<FilePath> = []
        while true {
            let (outcome, opened) = try await DiskThread.run { [self, busy] in
                let outcome = try decide(chosen, first.resource, busy: busy)
                // Without a delegate, open the file in the same hop to the disk thread: each hop takes time.
                guard delegate == nil, case .proceed(let path) = outcome else {
                    return (outcome, IncompleteFile?.none)
                }
                return (outcome, try open(path, first))
            }
            guard case .proceed(let path) = outcome else {
                let path = outcome.path
                return .ended(.exists(path, length: await DiskThread.run { Self.length(at: path) }))
            }
            if let opened { return .file(opened) }
            if delegate != nil {
                guard try await claim(path) else {
                    guard request.ifExists == .rename else { throw Self.claimedError(path) }
                    busy.insert(path)
                    continue
                }
                if let opened = try await DiskThread.run({ [self] in try open(path, first) }) {
                    return .file(opened)
                }
            }
            busy.insert(path)
        }
    }

    private func decide(
        _ chosen: FilePath?, _ resource: ResourceInfo, busy: Set<FilePath>
    ) throws -> DestinationChoice.Outcome {
        if let chosen { try DestinationChoice.makeDirectory(chosen.directory) }
        let path = try chosen ?? DestinationPath.path(for: request, named: resource.fileName)
        try makeDirectory(of: path)
        let outcome = try DestinationChoice.decide(path, policy: request.ifExists, busy: busy)
        tracker.named(outcome.path.lastComponent?.string ?? outcome.path.string)
        return outcome
    }

    /// - Returns: `nil` if another download has that name, and the policy is to take another one.
    private func open(_ path: FilePath, _ first: FirstResponse) throws -> IncompleteFile? {
        do {
            return try IncompleteFile.open(
                paths(for: path), for: first, smallBytes: configuration.minimumSegmentSize)
        } catch let error as DownloadError where error.code == .locked && request.ifExists == .rename {
            return nil
        }
    }
}

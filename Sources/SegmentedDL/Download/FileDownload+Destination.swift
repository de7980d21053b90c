internal import SystemPackage

/// The destination of a download's bytes, once the server has answered.
enum OpenedDestination: Sendable {
    case file(IncompleteFile)
    /// No file is opened, because nothing has to be fetched.
    case ended(Ending)
}

extension FileDownload {
    /// Opens and locks the file that stores the bytes.
    ///
    /// - Parameter copies: The files that had the expected name before the first request.
    func openDestination(
        for first: FirstResponse, from client: SourceClient, _ attempt: Attempt, _ copies: [ExistingCopy]
    ) async throws -> OpenedDestination {
        let chosen = try await task.hooks.choosePath?(
            ResponseInfo(first.resource, in: first.response, of: request))
        var busy: Set<FilePath> = []
        var stranger: UnrecognizedFile?
        while true {
            let (outcome, opened) = try await DiskThread.run { [self, busy, stranger] in
                let path = try wantedPath(chosen, first.resource)
                try task.hooks.examine?(path, first.resource.contentType)
                let isOthers = try isOthers(path)
                if recognizesCopies, stranger == nil, isTaken(path) || isOthers {
                    return (DestinationChoice.Outcome.skip(path), IncompleteFile?.none)
                }
                let outcome = try decide(path, busy: busy, besides: stranger)
                tracker.named(outcome.path.lastComponent?.string ?? outcome.path.string)
                // If nothing claims the path, open the file in the same hop to the disk thread, because each
                // hop takes time.
                guard task.hooks.claim == nil, case .proceed(let path) = outcome else {
                    return (outcome, nil)
                }
                return (outcome, try open(path, first))
            }
            if recognizesCopies, stranger == nil, case .skip(let path) = outcome {
                switch try await recognize(path, attempt, copies, first, from: client) {
                case .same(let copy): return .ended(.alreadyRight(copy))
                case .partial(let copy):
                    guard try await claim(copy.path) else { throw claimedError(copy.path) }
                    tracker.named(copy.path.lastComponent?.string ?? copy.path.string)
                    return .file(
                        try await DiskThread.run { [self] in
                            try IncompleteFile.takeOver(paths(for: copy.path))
                        })
                case .stranger(let found): stranger = found
                }
                continue
            }
            guard case .proceed(let path) = outcome else {
                let path = outcome.path
                return .ended(.leftAlone(path, length: await DiskThread.run { Self.length(at: path) }))
            }
            if let opened { return .file(opened) }
            if task.hooks.claim != nil {
                guard try await claim(path) else {
                    guard request.ifExists == .rename else { throw claimedError(path) }
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

    /// Reserves a name within the run.
    ///
    /// - Returns: True if another download of the run has reserved it, and the policy is to choose another
    ///   name.
    /// - Throws: `DownloadError` with code `duplicate` if another has reserved it, and the policy is any
    ///   other.
    @discardableResult
    func isOthers(_ path: FilePath) throws(DownloadError) -> Bool {
        guard let other = task.hooks.takeName?(path) else { return false }
        guard request.ifExists == .rename else {
            throw .sameName(path, of: request.source, and: other)
        }
        return true
    }

    /// Applies the policy for existing files, and skips names of other downloads of the run. Blocks.
    ///
    /// - Returns: `skip` also for a file that another program has just stored, and that must be recognized.
    private func decide(
        _ path: FilePath, busy: Set<FilePath>, besides stranger: UnrecognizedFile?
    ) throws -> DestinationChoice.Outcome {
        do {
            return try chosenName(path, busy: busy, besides: stranger)
        } catch let error as DownloadError
            where error.code == .fileExists && recognizesCopies && stranger == nil && isTaken(path)
        {
            return .skip(path)
        }
    }

    private func chosenName(
        _ path: FilePath, busy: Set<FilePath>, besides stranger: UnrecognizedFile?
    ) throws -> DestinationChoice.Outcome {
        var busy = busy
        while true {
            let outcome = try DestinationChoice.decide(
                path, policy: request.ifExists, busy: busy, because: stranger?.reason,
                isComplete: stranger?.isComplete ?? false)
            guard case .proceed(let chosen) = outcome, try isOthers(chosen) else { return outcome }
            busy.insert(chosen)
        }
    }

    private func wantedPath(_ chosen: FilePath?, _ resource: ResourceInfo) throws -> FilePath {
        if let chosen { try DestinationChoice.makeDirectory(chosen.directory) }
        let path =
            try chosen
            ?? accepted(
                DestinationPath.path(
                    for: request, named: resource.servedName(for: request), type: resource.contentType))
        try checkName(path)
        try makeDirectory(of: path)
        return path
    }

    /// If the caller has chosen no name, returns the path with a name that the file system accepts. Blocks.
    private func accepted(_ path: FilePath) -> FilePath {
        guard case .directory(let directory) = request.destination, let name = path.lastComponent?.string
        else { return path }
        if let refused = OwnFiles.refusedName(behind: name) {
            configuration.logger.tell(.namedAsState(refused, as: name))
        }
        let accepted = NameProbe.accepted(name, in: directory)
        guard accepted != name else { return path }
        configuration.logger.tell(.escapesName(name, as: accepted))
        return directory.appending(accepted)
    }

    /// - Returns: `nil` if another download has reserved that name, and the policy is to choose another one.
    private func open(_ path: FilePath, _ first: FirstResponse) throws -> IncompleteFile? {
        do {
            return try IncompleteFile.open(
                paths(for: path), for: first, smallBytes: configuration.minimumSegmentSize)
        } catch let error as DownloadError where error.code == .locked && request.ifExists == .rename {
            return nil
        }
    }
}

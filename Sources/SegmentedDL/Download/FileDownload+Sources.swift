internal import Logging

/// A source that has no ranges did not deliver the file.
struct StreamFailure: Error {
    var source: Source.Index
    var cause: any Error

    /// Whether another source may do better.
    var isOfSource: Bool {
        switch cause {
        case is CancellationError, is StorageError: false
        case TransferFailure.storage: false
        // 5 is the disk and 6 a lock: they are the same for each source.
        case let error as DownloadError: error.exitStatus != 5 && error.exitStatus != 6
        default: true
        }
    }
}

extension FileDownload {
    /// Sends the first request: to the first source, and to the others in turn if that fails.
    ///
    /// - Parameter useless: Sources that are not asked.
    func probe(
        from offset: Int64, without useless: Set<Source.Index> = []
    ) async throws -> (response: FirstResponse, source: Source.Index) {
        let indices = clients.indices.filter { !useless.contains($0) }
        guard indices.count > 1 else {
            return (try await probe(clients[indices[0]], from: offset), indices[0])
        }
        var failures: [any Error] = []
        for index in indices {
            let client = clients[index]
            do {
                return (try await probe(client, from: offset, isLast: false), index)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                configuration.logger.notice(
                    "\(client.source) cannot be used: \(publicError(error, client.source))")
                failures.append(error)
            }
        }
        // Where all failed, one may only be busy: now it is waited for as a single source would be.
        let patient = failures.indices.first {
            (publicError(failures[$0]) as? DownloadError)?.isRetryable ?? false
        }
        guard let patient else { throw failures[0] }
        return (try await probe(clients[indices[patient]], from: offset), indices[patient])
    }

    /// - Parameter isLast: Whether there is no other source to go to when this one takes its time.
    private func probe(
        _ client: SourceClient, from offset: Int64, isLast: Bool = true
    ) async throws -> FirstResponse {
        var client = client
        var retry = configuration.retry
        if !isLast {
            retry.retries = min(retry.retries, 1)
            client.patienceSeconds = min(client.patienceSeconds ?? .infinity, Self.patience)
        }
        let probe = Probe(
            client: client, options: options(for: client.source), retry: retry,
            readsDigest: request.verifiesServerDigest, readsLinks: request.followsLinks)
        let response: FirstResponse
        if isLast {
            response = try await probe.run(from: offset)
        } else {
            response = try await Self.within(Self.longestSilence) { try await probe.run(from: offset) }
        }
        do {
            if let length = response.resource.length { try checkLength(length) }
            return response
        } catch {
            response.abandon()
            throw error
        }
    }

    /// The options of the first request to a source.
    private func options(for source: Source) -> RequestOptions {
        var options = RequestOptions(
            wantsDigest: request.followsLinks && request.verifiesServerDigest, prefetchBytes: prefetchBytes)
        // With the first request only: later ones ask because the file has changed.
        if source == request.copy?.asked ?? request.source {
            options.condition = request.copy?.known?.condition
        }
        return options
    }

    /// The longest body that may come along with the first head. None where it matters which source sent it.
    private var prefetchBytes: Int {
        if case .descriptor = request.destination { return 0 }
        guard request.sources.count == 1, request.pieces == nil, !request.followsLinks else { return 0 }
        return RequestOptions.maximumPrefetchBytes
    }

    /// How many seconds a host may ask to wait while there is another source.
    private static let patience = 1.0

    /// How long a source may take to answer while there is another one.
    static let longestSilence = Duration.seconds(8)

    static func within<Answer: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let answer = first else {
                throw TransferFailure.network(EngineError(kind: .timeout, message: "no answer yet"))
            }
            return answer
        }
    }

    /// The sources as the transfer needs them: those of the request, and those that servers named.
    func makeSources(
        home: Source.Index, _ resource: ResourceInfo, _ description: MirrorItem?, _ plan: SharedPlan,
        _ pieces: PieceCheck?
    ) -> SourceSet {
        let all = clients + linked(resource, description, besides: clients[home].target)
        return SourceSet(
            all, primary: home, resource: resource, written: plan.snapshot.written,
            policy: configuration.retry, hasPieces: pieces != nil)
    }

    /// The sources that servers named, if there is something to tell a wrong file by: without a digest they do not count
    /// (RFC 6249, section 6).
    private func linked(
        _ resource: ResourceInfo, _ description: MirrorItem?, besides target: Source
    ) -> [SourceClient] {
        guard request.followsLinks, resource.acceptsRanges,
            resource.digest != nil || request.checksum != nil || request.pieces != nil
        else { return [] }
        // Who asks by https does not want to be seen asking by http. A user's name in a link is not the caller's.
        let described = (description?.sources ?? []).lazy.map(\.withoutCredentials).filter { [request] in
            $0.origin.scheme == "https" || request.source.origin.scheme != "https"
        }
        var new: [Source] = []
        for source in resource.linked + described
        where source != target && !request.sources.contains(source) && !new.contains(source)
            && new.count < LinkedSources.most
        {
            new.append(source)
        }
        if !new.isEmpty {
            configuration.logger.notice(
                "\(request.source): \(new.count) further sources named by the server")
        }
        return new.map { client.client(for: $0, HostAccess(to: $0, by: request.mirrorAccess)) }
    }

    func makePieces(
        _ workspace: Workspace, length: Int64?, _ description: MirrorItem?
    ) throws -> PieceCheck? {
        guard let pieces = request.pieces ?? description?.pieces, let length else { return nil }
        return try PieceCheck(workspace.part, pieces, total: length)
    }

    /// Checks the pieces of a file whose length nobody knew before its end.
    ///
    /// - Throws: As `PieceCheck.confirm`; nothing of the file is left then.
    func confirmPieces(_ workspace: Workspace, length: Int64, _ description: MirrorItem?) async throws {
        do {
            guard let pieces = try makePieces(workspace, length: length, description) else { return }
            pieces.wrote(0..<length)
            try await pieces.confirm()
        } catch {
            try? await DiskThread.run { try workspace.discard() }
            throw error
        }
    }

    /// The digests that the complete file was found to have. While they are wrong, one source after the other is done
    /// without, and what it sent is fetched again.
    ///
    /// - Parameters:
    ///   - fetch: Fetches what is missing, with what hashes it meanwhile.
    /// - Throws: `DownloadError` with code `checksumMismatch` if that does not help.
    func verify(
        _ workspace: Workspace, _ frontier: DigestFrontier?, _ expectations: Expectations, length: Int64,
        _ sources: SourceSet?, _ plan: SharedPlan?,
        fetch: (DigestFrontier?) async throws -> Void
    ) async throws -> [Checksum] {
        guard var frontier else { return [] }
        var isRepeated = false
        while true {
            await enter(.verifying)
            let verified = try await frontier.finish(at: length)
            guard let mismatch = expectations.mismatch(verified) else {
                if isRepeated { sources?.suspicionWasRight() }
                return verified
            }
            guard let plan, let suspect = sources?.nextSuspect(),
                let next = try workspace.frontier(expectations)
            else {
                try await workspace.reject(mismatch)
                return []
            }
            configuration.logger.notice(
                "\(workspace.part.destination): \(mismatch); fetching what came from \(suspect.name) again")
            plan.withLock { plan, _ in for range in suspect.ranges.ranges { plan.unwrite(range) } }
            isRepeated = true
            frontier = next
            await enter(.downloading)
            do {
                try await fetch(next)
            } catch {
                await next.stop()
                throw error
            }
        }
    }
}

internal import Logging

/// The source that responded first, and its response, whose description of the file is authoritative.
struct PrimarySource: Sendable {
    let index: Source.Index
    let client: SourceClient
    let first: FirstResponse
}

extension FileDownload {
    /// The maximum delay that a host may request if there is another source.
    private static let patienceSeconds = 1.0

    // MARK: The first request

    /// Sends the first request: to the first source and, if that fails, to the others one by one.
    ///
    /// - Parameters:
    ///   - earlier: The bytes left by an earlier run.
    ///   - copies: The existing files with the final name.
    func primarySource(
        behind earlier: EarlierBytes = EarlierBytes(), _ attempt: Attempt, _ copies: [ExistingCopy] = []
    ) async throws -> PrimarySource {
        let known = copies.lazy.compactMap { self.knownCopy($0) }.first
        let indices = clients.indices.filter { !attempt.excludedSources.contains($0) }
        guard indices.count > 1 else {
            return try await probe(indices[0], behind: earlier, attempt, known, isAlone: true)
        }
        var failures: [any Error] = []
        for index in indices {
            do {
                return try await probe(index, behind: earlier, attempt, known, isPatient: false)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                let source = clients[index].source
                configuration.logger.tell(.firstSourceFailed("\(publicError(error, source))", source))
                failures.append(error)
            }
        }
        // All failed, but one may merely be busy, or the file may really be a page: ask it as if it were the
        // only source.
        let patient = failures.indices.first {
            if case TransferFailure.page = failures[$0] { return true }
            return (publicError(failures[$0]) as? DownloadError)?.isRetryable ?? false
        }
        guard let patient else { throw failures[0] }
        return try await probe(indices[patient], behind: earlier, attempt, known)
    }

    /// - Parameters:
    ///   - isPatient: False if another source can be tried when this one is slow.
    ///   - isAlone: True if no other source exists.
    private func probe(
        _ index: Source.Index, behind earlier: EarlierBytes, _ attempt: Attempt, _ known: KnownCopy?,
        isPatient: Bool = true, isAlone: Bool = false
    ) async throws -> PrimarySource {
        var client = clients[index]
        client.limitsWaits = true
        let retry = isPatient ? configuration.retry : configuration.retry.hurried
        if !isPatient {
            client.patienceSeconds = min(client.patienceSeconds ?? .infinity, Self.patienceSeconds)
        }
        var options = options(for: client.source, known, isAlone && attempt.mayPipeline)
        options.known = earlier.file(at: client.source)
        options.opensConnection = !attempt.mayPipeline
        let probe = Probe(
            client: client, options: options, retry: retry, asksForAll: attempt.isStream,
            readsDigest: request.verifiesServerDigest, readsLinks: request.followsLinks,
            expected: request.expectedFile,
            early: isAlone && options.copy == nil ? earlyConnections(client, earlier.firstMissing) : nil)
        let first =
            isPatient
            ? try await probe.run(from: earlier.firstMissing)
            : try await withinMaximumSilence { try await probe.run(from: earlier.firstMissing) }
        do {
            if let length = first.resource.length { try checkLength(length) }
            if !first.isUnchanged {
                try checkType(first.resource.contentType)
                try checkLimit(first.resource.length)
                try checkIsFile(first.resource, insteadOf: options.copy)
                if !isPatient, isPlaceholder(first.resource) { throw TransferFailure.page }
            }
            tracker.answered(ResponseInfo(first.resource, in: first.response, of: request))
            client = clients[index]
            client.leavesIdleConnections = first.early?.lead(to: first.response.source.origin) ?? false
            return PrimarySource(index: index, client: client, first: first)
        } catch {
            first.abandon()
            throw first.response.isPipelined ? first.mixedUp() : error
        }
    }

    /// Returns the connections to open beside the first request; `nil` if their number depends on the file.
    ///
    /// - Parameter start: The offset of the first missing byte.
    private func earlyConnections(_ client: SourceClient, _ start: Int64) -> EarlyConnections? {
        let segments = request.segments ?? configuration.segments
        guard case .fixed = segments, !task.isCheckOnly else { return nil }
        let (limits, missing) = (configuration.limits, (request.expectedFile.length ?? .max) - start)
        let wanted = segments.connections(
            missing: missing, minimum: configuration.minimumSegmentSize, limits: limits)
        // A search for a proof, or another file, may need one at the same time.
        let most = min(limits.connections, limits.connectionsPerHost) - 1
        let count = min(wanted, most) - 1
        return count > 0 ? EarlyConnections(client, count: count) : nil
    }

    /// Returns true for a page or an empty body, which a host sends for a file that it no longer has: another
    /// source may have it.
    private func isPlaceholder(_ resource: ResourceInfo) -> Bool {
        let expected = request.expectedFile
        return expected.isOtherwise(than: resource.contentType) || resource.length == 0 && !expected.isEmpty
    }

    /// - Throws: `TransferFailure.page` if a web page or a short text would replace a good copy.
    private func checkIsFile(
        _ resource: ResourceInfo, insteadOf copy: KnownCopy?
    ) throws(TransferFailure) {
        guard let copy, task.isRecorded || request.ifExists == .update, !request.startsOver,
            copy.isAnsweredByWords(resource, names: request.givenNames)
        else { return }
        throw .page
    }

    /// Returns the options of the first request to a source.
    private func options(for source: Source, _ known: KnownCopy?, _ mayPipeline: Bool) -> RequestOptions {
        var options = RequestOptions(
            wantsDigest: request.followsLinks && request.verifiesServerDigest, prefetchBytes: prefetchBytes)
        options.isVouchedFor =
            mayPipeline && !request.checksums.isEmpty && prefetchBytes > 0
            && configuration.minimumSegmentSize >= prefetchBytes
        // Only the first request is conditional: later ones are sent only if the file has changed.
        if let copy = task.revalidatedCopy, source == copy.source ?? request.source {
            options.copy = KnownCopy(condition: copy.condition, length: copy.length)
        } else if source == request.source {
            options.copy = known
        }
        return options
    }

    /// The maximum length of a body received with the first head; 0 if the source must be recorded, or if the
    /// body is decoded, because its length is then unknown.
    private var prefetchBytes: Int {
        if case .descriptor = request.destination { return 0 }
        guard request.ifEncoded != .decode else { return 0 }
        guard request.sources.count == 1, request.pieces == nil, !request.followsLinks else { return 0 }
        return RequestOptions.maximumPrefetchBytes
    }

    // MARK: The maximum wait

    /// The maximum time that a server may be silent if the download has an alternative.
    private static let maximumSilence = Duration.seconds(8)

    /// Runs `body` with a timeout.
    ///
    /// - Throws: `TransferFailure.network` if it times out, and the errors of `body`.
    func withinMaximumSilence<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: Self.maximumSilence)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw TransferFailure.network(EngineError(kind: .timeout, message: "no response yet"))
            }
            return value
        }
    }

    // MARK: All sources

    /// Returns the sources for the transfer: those of the request, and those that servers linked to.
    ///
    /// - Parameter metalink: The description of the file that a server linked to.
    func sources(
        _ primary: PrimarySource, _ metalink: MirrorItem?, written: ByteRangeSet, hasPieces: Bool
    ) -> SourceSet {
        let resource = primary.first.resource
        let all = clients + linked(resource, metalink, besides: primary.client.target)
        return SourceSet(
            all, primary: primary.index, resource: resource, written: written, policy: configuration.retry,
            hasDigest: resource.digest != nil || !request.checksums.isEmpty, hasPieces: hasPieces)
    }

    /// Returns clients for the sources that servers linked to, if a digest can detect a wrong file: without
    /// one they are ignored (RFC 6249, section 6).
    private func linked(
        _ resource: ResourceInfo, _ metalink: MirrorItem?, besides target: Source
    ) -> [SourceClient] {
        guard request.followsLinks, resource.acceptsRanges,
            resource.digest != nil || !request.checksums.isEmpty || request.pieces != nil
        else { return [] }
        // A download over https must not send requests in clear text over http. A user name in a link is
        // ignored, because it is not the caller's.
        let described = (metalink?.sources ?? []).lazy.map(\.withoutCredentials).filter { [request] in
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
}

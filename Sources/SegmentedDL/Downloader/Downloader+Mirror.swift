import SegmentedDLSupport

/// The requests of a mirror other than downloads, under the caps of downloads.
extension Downloader {
    /// The maximum duration of one revalidation batch: a longer batch would delay other work and progress
    /// updates.
    private static let maximumTurnSeconds = 1.0

    /// Revalidates copies of one host's files.
    ///
    /// - Parameters:
    ///   - request: The request that downloads one of the files; the conditional requests for all of them use
    ///     its settings.
    ///   - isProven: True if the host has answered such requests before.
    /// - Throws: `CancellationError` if no further request was sent.
    package func ask(
        about copies: [ConditionalRequests.Request], like request: DownloadRequest, isProven: Bool = false
    ) async throws -> ConditionalAnswers {
        let configuration = configuration.withLock { $0 }
        let useless = ConditionalAnswers(answers: copies.map { _ in .none }, wasUseless: true)
        // Requests with credentials, netrc or cookies use libcurl. Invalid requests fail in the download
        // itself.
        guard request.credentials == nil, !configuration.transport.usesNetrc,
            configuration.transport.cookieFile == nil, (try? request.validate()) != nil
        else { return useless }
        let slot = scheduler.submit(priority: 0)
        defer { slot.release() }
        try await slot.waitForStart()
        slot.asksOnly()
        // A permit counts as one request, but this would send many.
        guard !scheduler.announcesQuota(request.source.origin.description) else { return useless }
        let client = client(for: request, slot, configuration)
        var batch = ConditionalRequests(to: request.source.origin, headers: client.fields(), copies)
        batch.isProven = isProven
        batch.stopsAfter = { RequestQuota($0, now: WallClock.seconds()) != nil }
        return try await client.withPermit { [batch] permit in
            let said = try await engine.ask(batch, for: Self.maximumTurnSeconds)
            if let head = said.limiting {
                // The requests that follow report the delay.
                _ = permit.told(RequestQuota(head, now: WallClock.seconds()), isRefusal: true)
            }
            if let refusal = said.refusal {
                permit.report(ResponseVerdict(refusal, asked: .none, now: WallClock.seconds()))
            } else if said.answers.contains(.unchanged) {
                permit.worked()
            } else if said.wasUseless, !said.answers.contains(.other) {
                permit.dropped()
            }
            return said
        }
    }

    /// Fetches a document into memory, under the caps of files but ahead of all of them, because listings
    /// lead to further files.
    ///
    /// - Parameter access: The header fields and credentials, which are sent only to their own host.
    /// - Throws: `DownloadError`, or `CancellationError`.
    package func document(
        at source: Source, access: MirrorAccess, maximumBytes: Int
    ) async throws -> DocumentFetch.Document {
        try await document(at: source, access, maximumBytes, scheduler.submit(priority: .max))
    }

    /// Fetches a document that active downloads wait for, such as a token. It does not need a slot, since the
    /// downloads hold them.
    ///
    /// - Parameter body: The body to send; `nil` for a GET.
    /// - Throws: The errors of `document(at:access:maximumBytes:)`.
    package func document(
        awaitedAt source: Source, access: MirrorAccess, maximumBytes: Int, body: RequestBody? = nil
    ) async throws -> DocumentFetch.Document {
        let own = GlobalScheduler(limits: Limits())
        return try await document(at: source, access, maximumBytes, own.submit(priority: 0), body: body)
    }

    /// Fetches a document that is only needed for a message: in one attempt, without a slot, and without
    /// effect on other requests to its host, whose delays it does not observe either.
    ///
    /// - Parameter deadline: The maximum duration.
    /// - Throws: The errors of `document(at:access:maximumBytes:)`.
    package func document(
        apartAt source: Source, access: MirrorAccess, maximumBytes: Int, deadline: Duration
    ) async throws -> DocumentFetch.Document {
        let own = GlobalScheduler(limits: Limits())
        return try await document(
            at: source, access, maximumBytes, own.submit(priority: 0), deadline: deadline)
    }

    /// - Parameter deadline: The maximum duration of a request apart from those of files; `nil` for a request
    ///   that is retried.
    private func document(
        at source: Source, _ access: MirrorAccess, _ maximumBytes: Int, _ slot: FileSlot,
        body: RequestBody? = nil, deadline: Duration? = nil
    ) async throws -> DocumentFetch.Document {
        let configuration = configuration.withLock { $0 }
        defer { slot.release() }
        let access = HostAccess(to: source, by: access, transport: configuration.transport)
        var client = client(of: source, access, slot, [rate], configuration)
        var retry = configuration.retry
        if deadline != nil {
            client = client.clientApart(for: source, access)
            retry.retries = 0
        }
        let fetch = DocumentFetch(limit: maximumBytes, retry: retry, body: body, deadline: deadline)
        do {
            return try await untilShutdown {
                try await slot.waitForStart()
                return try await fetch.fetch(client)
            }
        } catch let failure as TransferFailure {
            throw failure.error(for: source, file: source.description)
        }
    }
}

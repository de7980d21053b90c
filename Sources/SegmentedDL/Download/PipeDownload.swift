internal import SystemPackage

/// A download to a descriptor, in order and over one connection.
///
/// Bytes that have gone out cannot be taken back, so a lost connection is resumed behind them, and a changed
/// file is an error.
struct PipeDownload: Sendable {
    let download: FileDownload
    let descriptor: FileDescriptor

    private var request: DownloadRequest { download.request }

    /// Returns when all bytes are written and verified.
    func run() async throws -> DownloadResult {
        await download.enter(.probing)
        let primary = try await download.primarySource(from: 0, Attempt(for: request))
        defer { primary.first.abandon() }
        await download.enter(.downloading)
        let resource = primary.first.resource
        download.tracker.noteConnections(1)
        download.tracker.found(isResumable: false)
        let plan = SharedPlan(SegmentPlan(total: resource.length))
        download.tracker.follows(plan)
        let expectations = download.expectations(resource.digest)
        let sink = try PipeSink(
            descriptor, length: resource.length, limit: request.lengthLimit, plan: plan,
            digests: expectations.algorithms)
        try await fetch(into: sink, primary)
        return try await finish(sink, expectations).ended(as: primary.first)
    }

    private func fetch(into sink: PipeSink, _ primary: PrimarySource) async throws {
        let resource = primary.first.resource
        let identity = RemoteIdentity(resource)
        var first: FirstResponse? = primary.first
        try await download.configuration.retry.retrying(
            for: primary.client, hasAnswered: true, written: { sink.received },
            // Without ranges the server sends the first bytes only, and those have gone out.
            while: { resource.acceptsRanges || sink.received == 0 }
        ) {
            // A connection can be lost behind the last byte.
            if let length = resource.length, sink.received >= length { return }
            defer { first = nil }
            if let first, first.isOpen {
                defer { first.abandon() }
                return try await receive(first.response.transfer, into: sink, length: resource.length)
            }
            try await fetchRest(of: resource, identity, into: sink, primary.client)
        }
    }

    private func fetchRest(
        of resource: ResourceInfo, _ identity: RemoteIdentity, into sink: PipeSink, _ client: SourceClient
    ) async throws {
        try await client.withPermit { permit in
            let range: TransferRequest.Range = resource.acceptsRanges ? .from(sink.received) : .none
            let response = try await client.open(range, &permit)
            defer { response.transfer.abandon() }
            try check(response, is: identity, after: sink.received)
            try await receive(response.transfer, into: sink, length: resource.length)
        }
    }

    /// Checks that an answer resumes the same file.
    private func check(_ response: Response, is identity: RemoteIdentity, after received: Int64) throws {
        switch response.verdict {
        case .whole where received == 0: return
        case .whole: break
        default:
            let total = try response.expectRange()
            if identity.check(total: total, response.validators) == .same { return }
        }
        // The bytes that have gone out are of a file that is no longer there.
        throw TransferFailure.changed("its validators")
    }

    private func receive(_ transfer: any OpenTransfer, into sink: PipeSink, length: Int64?) async throws {
        sink.follows(transfer)
        let report = await transfer.receive(into: sink)
        if let failure = sink.failure {
            throw TransferFailure.storage(
                StorageError(action: "write to", path: "standard output", errno: failure))
        }
        if sink.isTooLong, let limit = request.lengthLimit { throw limit.exceeded }
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw TransferFailure.network(error) }
        if let length, sink.received < length { throw TransferFailure.shortBody }
    }

    private func finish(_ sink: PipeSink, _ expectations: Expectations) async throws -> DownloadResult {
        await sink.waitUntilDrained()
        if let failure = sink.failure {
            throw StorageError(action: "write to", path: "standard output", errno: failure)
        }
        let digests = sink.finishDigests()
        if let mismatch = expectations.mismatch(digests) {
            throw Expectations.error(
                request.source.description, mismatch, kept: "what was written is not to be trusted")
        }
        return download.result(
            .downloaded, nil, length: sink.received, written: sink.received,
            proofs: expectations.proofs(digests))
    }
}

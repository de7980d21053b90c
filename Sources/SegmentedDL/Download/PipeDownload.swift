internal import SystemPackage

/// A download to a descriptor, in order: over several connections if the server supports ranges, otherwise as
/// a stream.
///
/// Written bytes cannot be withdrawn, so a lost connection is resumed where they end, and a changed file is
/// an error.
struct PipeDownload: Sendable {
    let download: FileDownload
    let descriptor: FileDescriptor

    private var request: DownloadRequest { download.request }

    /// Returns when all bytes are written and verified.
    func run() async throws -> DownloadResult {
        await download.enter(.probing)
        let primary = try await download.primarySource(Attempt(for: request))
        defer { primary.first.abandon() }
        let resource = primary.first.resource
        let isDivisible = download.isDivisible(resource)
        _ = download.slot.found(isLarge: isDivisible)
        download.tracker.found(isResumable: false)
        await download.enter(.downloading)
        // Written bytes cannot be read again, which a digest of a part would require.
        var expectations = download.expectations(resource.digest?.part == nil ? resource.digest : nil)
        expectations.add(resource.composite)
        let output = try PipeOutput(
            descriptor, digests: expectations.algorithms, composite: expectations.composite,
            length: resource.length)
        if isDivisible, let length = resource.length {
            try await WindowedTransfer(download: download, primary: primary, output: output, length: length)
                .run()
        }
        if resource.length.map({ output.position < $0 }) ?? true { try await stream(primary, to: output) }
        return download.described(try finish(output, expectations), by: primary.first)
    }

    /// Fetches the rest over one connection.
    private func stream(_ primary: PrimarySource, to output: PipeOutput) async throws {
        download.tracker.noteConnections(1)
        let length = primary.first.resource.length
        let plan = SharedPlan(SegmentPlan(total: length, written: ByteRangeSet(0..<output.position)))
        download.tracker.follows(plan, writtenBefore: 0)
        let sink = PipeSink(to: output, length: length, limit: request.lengthLimit, plan: plan)
        try await fetch(into: sink, primary)
        await sink.waitUntilDrained()
        if let failure = sink.failure { throw failure }
    }

    private func fetch(into sink: PipeSink, _ primary: PrimarySource) async throws {
        let resource = primary.first.resource
        let identity = RemoteIdentity(resource)
        var first: FirstResponse? = primary.first
        try await download.configuration.retry.retrying(
            for: primary.client, hasAnswered: true, written: { sink.received },
            // A server without ranges sends the first bytes again, although they are already written; they
            // are dropped if they are known to belong to the same file.
            while: {
                resource.acceptsRanges || sink.received == 0
                    || resource.length != nil && resource.validators.canTellFiles
            }
        ) {
            // A connection can be lost after the last byte.
            if let length = resource.length, sink.received >= length {
                if sink.isBeyondEnd { try await confirmLength(of: resource, identity, primary.client) }
                return
            }
            defer { first = nil }
            if let first, first.isOpen {
                do {
                    defer { first.abandon() }
                    try await receive(first.response.transfer, from: 0, into: sink, length: resource.length)
                }
                // Some servers send no body in response to a request with a range.
                guard first.isRanged, resource.length == nil, sink.received == 0 else { return }
            }
            try await fetchRest(of: resource, identity, into: sink, primary.client)
        }
    }

    /// Requests the file without a range, because a part continued past its stated end: the length in the
    /// response shows which one is wrong.
    private func confirmLength(
        of resource: ResourceInfo, _ identity: RemoteIdentity, _ client: SourceClient
    ) async throws {
        try await client.withPermit { permit in
            let response = try await client.open(.none, &permit)
            defer { response.transfer.abandon() }
            try response.expectWhole(of: identity)
            guard case .whole(resource.length?) = response.verdict else {
                throw TransferFailure.wrongRange(TransferFailure.beyondEnd)
            }
        }
    }

    private func fetchRest(
        of resource: ResourceInfo, _ identity: RemoteIdentity, into sink: PipeSink, _ client: SourceClient
    ) async throws {
        try await client.withPermit { permit in
            let mayHaveRanges = resource.acceptsRanges || sink.received > 0
            let range: TransferRequest.Range =
                mayHaveRanges && !sink.isBeginning ? .from(sink.received) : .none
            let known = resource.length.map { KnownFile(total: $0, validators: resource.validators) }
            var response = try await client.open(range, &permit, RequestOptions(known: known))
            defer { response.transfer.abandon() }
            if range != .none, known?.validators.canTellFiles ?? false,
                RangeRefusal.isPossible(response.verdict)
            {
                response.transfer.abandon()
                response = try await client.open(.none, &permit, RequestOptions(known: known))
            }
            let start = try start(of: response, identity, after: sink.received)
            try await receive(response.transfer, from: start, into: sink, length: resource.length)
        }
    }

    /// Returns the offset of a response's first byte, if the response belongs to the same file.
    private func start(
        of response: Response, _ identity: RemoteIdentity, after received: Int64
    ) throws -> Int64 {
        switch response.verdict {
        case .whole where received == 0:
            try response.expectWhole(of: identity)
            return 0
        case .whole(let length):
            // Some servers stop supporting ranges. Their bytes are usable as long as the file is the same.
            if let length, identity.check(total: length, response.validators) == .same { return 0 }
        default:
            let total = try response.expectRange().total
            if identity.check(total: total, response.validators) == .same { return received }
        }
        // The written bytes belong to a version that no longer exists.
        throw TransferFailure.changed("its validators")
    }

    private func receive(
        _ transfer: any OpenTransfer, from start: Int64, into sink: PipeSink, length: Int64?
    ) async throws {
        let hadRanges = !sink.isBeginning
        sink.follows(transfer, from: start)
        let report = await transfer.receive(into: sink)
        if let failure = sink.failure { throw TransferFailure.storage(failure) }
        if sink.isTooLong, let limit = request.lengthLimit { throw limit.exceeded }
        if report.wasCancelled { throw CancellationError() }
        if sink.isBeyondEnd { throw TransferFailure.wrongRange(TransferFailure.beyondEnd) }
        if sink.isBeginning, hadRanges { throw TransferFailure.wrongRange(FileBeginning.instead) }
        if let error = report.error { throw TransferFailure.network(error) }
        if let length, sink.received < length { throw TransferFailure.shortBody }
    }

    private func finish(_ output: PipeOutput, _ expectations: Expectations) throws -> DownloadResult {
        let digests = output.finishDigests()
        if let mismatch = expectations.mismatch(digests) {
            throw Expectations.error(
                request.source.description, mismatch, kept: "do not trust the bytes that were written")
        }
        return download.result(
            .downloaded, nil, length: output.position, written: output.position,
            proofs: expectations.proofs(digests) + [output.compositeProof()].compactMap(\.self))
    }
}

internal import SystemPackage

extension FileDownload {
    /// Sends the file to a descriptor, in order and over one connection. What has gone out cannot be taken
    /// back, so a lost connection is gone on with from there, and a changed file is an error.
    func toDescriptor(_ descriptor: FileDescriptor) async throws -> DownloadResult {
        await enter(.probing)
        let (probe, home) = try await probe(from: 0)
        let client = clients[home]
        defer { probe.abandon() }
        await enter(.downloading)
        tracker.noteConnections(1)
        let plan = SharedPlan(SegmentPlan(total: probe.resource.length))
        tracker.follows(plan)
        let expectations = Expectations(checksum: request.checksum, server: probe.resource.digest)
        let sink = try PipeSink(
            descriptor, length: probe.resource.length, plan: plan, digests: expectations.algorithms)
        let identity = RemoteIdentity(probe.resource)
        var first: FirstResponse? = probe
        try await configuration.retry.retrying(
            hasAnswered: true, written: { sink.received },
            // Without ranges the server sends the first bytes only, and those have gone out.
            while: { probe.resource.acceptsRanges || sink.received == 0 }
        ) {
            // A connection can be lost after its last byte.
            if let length = probe.resource.length, sink.received >= length { return }
            defer { first = nil }
            try await receive(first, into: sink, probe.resource, identity, client)
        }
        return try await finishDescriptor(sink, expectations)
    }

    private func receive(
        _ probe: FirstResponse?, into sink: PipeSink, _ resource: ResourceInfo, _ identity: RemoteIdentity,
        _ client: SourceClient
    ) async throws {
        if let probe, probe.isOpen {
            defer { probe.abandon() }
            return try await receive(probe.response.transfer, into: sink, length: resource.length)
        }
        try await client.withPermit { permit in
            let range: TransferRequest.Range = resource.acceptsRanges ? .from(sink.received) : .none
            let response = try await client.open(range, &permit)
            defer { response.transfer.abandon() }
            try check(response, is: identity, after: sink.received)
            try await receive(response.transfer, into: sink, length: resource.length)
        }
    }

    /// Checks that an answer goes on with the file where it broke off.
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
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw TransferFailure.network(error) }
        if let length, sink.received < length { throw TransferFailure.shortBody }
    }

    private func finishDescriptor(
        _ sink: PipeSink, _ expectations: Expectations
    ) async throws -> DownloadResult {
        await sink.waitUntilDrained()
        if let failure = sink.failure {
            throw StorageError(action: "write to", path: "standard output", errno: failure)
        }
        let verified = sink.finishDigests()
        if let mismatch = expectations.mismatch(verified) {
            throw Expectations.error(
                request.source.description, mismatch, kept: "what was written is not to be trusted")
        }
        return DownloadResult(
            outcome: .downloaded, path: nil, length: sink.received, bytesWritten: sink.received,
            duration: .zero, connections: 1, verified: verified)
    }
}

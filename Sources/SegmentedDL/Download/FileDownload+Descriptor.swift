internal import SystemPackage

extension FileDownload {
    /// Sends the file to a descriptor, in order and over one connection. What has gone out cannot be taken
    /// back, so a lost connection is gone on with from there, and a changed file is an error.
    func toDescriptor(_ descriptor: FileDescriptor) async throws -> DownloadResult {
        await enter(.probing)
        let (probe, home) = try await probe(from: 0)
        let requester = requesters[home]
        defer { probe.abandon() }
        await enter(.downloading)
        tracker.noteConnections(1)
        let plan = SharedPlan(SegmentPlan(total: probe.resource.length))
        tracker.follows(plan)
        let expectations = Expectations(checksum: request.checksum, server: probe.resource.digest)
        let sink = try PipeSink(
            descriptor, length: probe.resource.length, plan: plan, digests: expectations.algorithms)
        let identity = RemoteIdentity(probe.resource)
        var recovery = Recovery(policy: configuration.retry, hasAnswered: true)
        var first: FirstResponse? = probe
        while probe.resource.length.map({ sink.received < $0 }) ?? true {
            do {
                try await receive(first, into: sink, probe.resource, identity, requester)
                break
            } catch let failure as TransferFailure {
                let decision = recovery.decide(
                    failure, others: 0, written: sink.received, now: Monotonic.now(),
                    jitter: .random(in: 0...1))
                // Without ranges nothing but the first bytes could be had, and those have gone out.
                guard case .retry(let wait) = decision, probe.resource.acceptsRanges || sink.received == 0
                else {
                    throw failure
                }
                first = nil
                try await Task.sleep(for: .seconds(wait))
            }
        }
        return try await finishDescriptor(sink, expectations)
    }

    private func receive(
        _ probe: FirstResponse?, into sink: PipeSink, _ resource: ResourceInfo, _ identity: RemoteIdentity,
        _ requester: Requester
    ) async throws {
        if let probe, probe.isOpen {
            defer { probe.abandon() }
            return try await receive(probe.response.transfer, into: sink, length: resource.length)
        }
        try await requester.withPermit { permit in
            let range: TransferRequest.Range = resource.acceptsRanges ? .from(sink.received) : .none
            let response = try await requester.open(range, &permit)
            defer { response.transfer.abandon() }
            switch response.answer {
            case .range(_, let total) where identity.check(total: total, Validators(response.head)) == .same:
                break
            case .whole where sink.received == 0:
                break
            case .range, .whole:
                // What has gone out is of a file that is no longer there.
                throw TransferFailure.changed("its validators")
            default:
                throw TransferFailure(response.answer, permit) ?? .wrongRange("an answer without a range")
            }
            try await receive(response.transfer, into: sink, length: resource.length)
        }
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

internal import SystemPackage

/// Fetches one segment over one connection. Afterwards, the bytes that were not received are unassigned
/// again, regardless of the outcome.
struct SegmentTransfer: Sendable {
    let client: SourceClient
    let writer: PartWriter
    let identity: RemoteIdentity
    let tracker: ProgressTracker

    private var plan: SharedPlan { writer.plan }

    /// Requests the segment's bytes, checks the head of the response, and receives the body. Returns without
    /// a request for them if a comparison has used up the host's quota.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func fetch(_ segment: Segment, _ permit: inout ConnectionPermit) async throws {
        defer { plan.withLock { plan, now in plan.release(segment.id, now: now) } }
        if !isComparable(segment) {
            try await confirmRanges(&permit)
            guard client.mayContinue(over: permit) else { return }
        }
        let response = try await open(segment, &permit)
        defer { response.transfer.abandon() }
        let (range, isSame) = try response.expectRange(of: identity)
        guard isSame else {
            // Once the file is known to be the same, the segment's bytes are requested again.
            response.transfer.abandon()
            return try await compare(&permit)
        }
        plan.withLock { plan, now in plan.answered(segment.id, now: now) }
        // The bytes missing from a shorter response become unassigned again.
        guard try await receive(response, segment, bodyEnd: range.upperBound, permit) else {
            response.transfer.abandon()
            return try await confirmRanges(&permit)
        }
    }

    /// Returns false if a segment's bytes cannot show that the server sends the file's first ones instead:
    /// they are too few, or the preceding ones are on disk but too few, and no connection fetches
    /// those again.
    private func isComparable(_ segment: Segment) -> Bool {
        guard segment.start > 0, !identity.isKnownToSendRanges else { return true }
        let length = min(segment.end, identity.length ?? segment.end) - segment.start
        guard length >= FileBeginning.leastLength else { return false }
        return writer.beginning.isKnown || segment.start != writer.gaplessEnd
    }

    /// Requests the segment's bytes, or fewer if the server refuses long ranges.
    private func open(_ segment: Segment, _ permit: inout ConnectionPermit) async throws -> Response {
        var length = min(segment.end - segment.start, client.rangeCap.value ?? .max)
        var isShortened = false
        while true {
            let response = try await client.open(
                .exactly(segment.start..<segment.start + length), &permit)
            if isShortened, case .range = response.verdict { client.rangeCap.lower(to: length) }
            guard
                let shorter = RangeRefusal.shorter(
                    than: length, after: response.verdict, total: identity.length)
            else { return response }
            response.transfer.abandon()
            (length, isShortened) = (shorter, true)
        }
    }

    /// Receives the body of the first response as the segment that begins at its offset.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func receive(_ probe: FirstResponse, _ segment: Segment) async throws {
        defer { plan.withLock { plan, now in plan.release(segment.id, now: now) } }
        let end = probe.body?.upperBound ?? segment.end
        // The next request for the segment's bytes makes the comparison over its own connection.
        guard try await receive(probe.response, segment, bodyEnd: end, probe.permit) else {
            throw TransferFailure.unproven
        }
    }

    /// Receives a whole file's body.
    ///
    /// - Parameter isRanged: True if the request asked for a range.
    /// - Returns: False if a body without a length was empty, which the range may have caused.
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func receiveWhole(
        _ response: Response, _ permit: ConnectionPermit, isRanged: Bool = false
    ) async throws -> Bool {
        guard let segment = plan.withLock({ plan, now in plan.assign(at: 0, now: now) }) else { return true }
        defer { plan.withLock { plan, now in plan.release(segment.id, now: now) } }
        return try await receive(
            response, segment, bodyEnd: segment.end, mayBeEmpty: !isRanged, permit)
    }

    /// Compares a part with known bytes, because another part began like the file: some servers always send
    /// the file's first bytes, regardless of the range that they announce. In a repetitive file, this may be
    /// correct.
    ///
    /// - Throws: `TransferFailure.wrongRange` if the server sends bytes other than those it announces.
    private func confirmRanges(_ permit: inout ConnectionPermit) async throws {
        if writer.beginning.contrast(total: identity.length) == nil { try await readBeginning(&permit) }
        guard let contrast = writer.beginning.contrast(total: identity.length) else {
            throw TransferFailure.unproven
        }
        let response = try await client.open(.exactly(contrast.range), &permit)
        defer { response.transfer.abandon() }
        let (range, _) = try response.expectRange(of: identity)
        let sink = MemorySink(limit: contrast.bytes.count)
        let report = await response.transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw response.told(.network(error)) }
        let (received, wanted) = (sink.bytes, contrast.bytes.prefix(Int(range.length)))
        guard received.count >= wanted.count || report.wasCut else { throw TransferFailure.shortBody }
        guard received.starts(with: wanted) else {
            throw TransferFailure.wrongRange(FileBeginning.instead)
        }
        identity.trustRanges()
    }

    /// Requests the file's first bytes, because another connection that is fetching them has not received
    /// them, or because too few of them are on disk.
    private func readBeginning(_ permit: inout ConnectionPermit) async throws {
        let response = try await client.open(.exactly(FileBeginning.range), &permit)
        defer { response.transfer.abandon() }
        let (range, _) = try response.expectRange(of: identity)
        let sink = MemorySink(limit: Int(range.length))
        let report = await response.transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw response.told(.network(error)) }
        sink.bytes.withUnsafeBytes { writer.beginning.note($0, at: 0) }
    }

    /// Compares bytes, because only the ETag differs: servers behind a load balancer may send different ETags
    /// for the same file.
    private func compare(_ permit: inout ConnectionPermit) async throws {
        writer.part.hold()
        defer { writer.part.letGo() }
        let snapshot = plan.snapshot
        let written = writer.part.readable(snapshot.written)
        guard !written.isEmpty, let total = snapshot.total else { throw TransferFailure.unproven }
        let comparison = SampleComparison(client: client, part: writer.part, total: total)
        guard try await comparison.matches(written, &permit) else {
            throw TransferFailure.changed("its ETag and content")
        }
        identity.trustAnyETag()
    }

    /// Receives a body as a segment.
    ///
    /// - Parameters:
    ///   - bodyEnd: The offset after the body's last byte; `Int64.max` if only the end of the stream shows
    ///     it.
    ///   - mayBeEmpty: False if an empty body is suspicious.
    /// - Returns: False if the body is suspicious: it begins like the file although another part was
    ///   requested, or it is empty, and nothing has shown yet that this is correct.
    private func receive(
        _ response: Response, _ segment: Segment, bodyEnd: Int64, mayBeEmpty: Bool = true,
        _ permit: ConnectionPermit
    ) async throws -> Bool {
        tracker.noteConnections(plan.snapshot.segments.count)
        let sink = SegmentSink(
            writer, segment: segment, bodyEnd: bodyEnd,
            isDoubtful: segment.start > 0 && !identity.isKnownToSendRanges,
            resume: { [transfer = response.transfer] in transfer.resume() })
        let report = await response.transfer.receive(into: sink)
        let outcome = sink.outcome
        if outcome.received > 0 { permit.worked() }
        if report.error == nil, let hasPaused = outcome.hasPaused {
            client.bodyEnded(of: response, hasPaused: hasPaused)
        }
        if let failure = outcome.failure { throw TransferFailure.storage(failure) }
        if report.diskIsFull {
            throw TransferFailure.storage(
                StorageError(action: "write", path: writer.part.destination, errno: .noSpace))
        }
        if outcome.isBeginning { return false }
        if outcome.isBeyondEnd { throw TransferFailure.changed("its length") }
        if outcome.isTooLong, let limit = writer.limit { throw limit.exceeded }
        if report.wasCancelled { throw CancellationError() }
        // A digest shows whether all bytes have arrived.
        if let error = report.error, !(error.isOfUnprovenEnd && writer.isVerified) {
            throw response.told(.network(error))
        }
        let end = segment.start + outcome.received
        if bodyEnd == Int64.max {
            if end == 0, !mayBeEmpty { return false }
            plan.withLock { plan, _ in plan.streamEnded(at: end) }
        } else if !report.wasCut, end < bodyEnd {
            // libcurl may report success for a truncated body, so the bytes are counted.
            throw TransferFailure.shortBody
        }
        return true
    }
}

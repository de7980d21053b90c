import SegmentedDLSupport

/// One connection of a download: it fetches segments until none is left.
extension Transfer {
    /// Receives the body of the first response, and continues like any other connection.
    func connection(first: FirstResponse, _ segment: Segment) async throws -> TransferFailure? {
        let source = sources.primary
        do {
            defer { first.abandon() }
            defer { sources.released(segment.id) }
            try await segmentTransfer(from: source).receive(first, segment)
        } catch let failure as TransferFailure {
            return failure
        }
        if owed.take() || hasFasterAlternative(source) { return nil }
        sources.connectionWaits(at: source)
        return try await connection(to: source)
    }

    /// Fetches segments until there are none left worth fetching, or another source is faster.
    ///
    /// - Returns: The failure that ended it early; `nil` for none.
    func connection(
        to source: Source.Index, after wait: Double = 0, _ early: EarlyConnections? = nil
    ) async throws -> TransferFailure? {
        let waiting = Once { sources.connectionGranted(at: source) }
        defer { waiting.run() }
        do {
            if wait > 0 { try await sources.members[source].client.counters.wait(seconds: wait) }
            await early?.next()
            guard plan.withLock({ plan, now in plan.openings(now: now) }) > 0 else { return nil }
            let transfer = segmentTransfer(from: source)
            try await transfer.client.withPermit { permit in
                waiting.run()
                guard try await check(source, &permit) else { return }
                // A connection that waits must have no segment, or it would count as silent.
                while sources.isUsable(source), transfer.client.mayContinue(over: permit),
                    let segment = next(for: source)
                {
                    defer { sources.released(segment.id) }
                    try await transfer.fetch(segment, &permit)
                    if owed.take() || hasFasterAlternative(source) { return }
                }
            }
            return nil
        } catch let failure as TransferFailure {
            return failure
        }
    }

    /// Requests the whole file, without receiving its body.
    ///
    /// - Returns: `rangeIgnored` if the server sends it; otherwise the failure.
    func askForWhole(from source: Source.Index) async throws -> TransferFailure {
        let waiting = Once { sources.connectionGranted(at: source) }
        defer { waiting.run() }
        let transfer = segmentTransfer(from: source)
        do {
            try await transfer.client.withPermit { permit in
                waiting.run()
                let response = try await transfer.client.open(.none, &permit)
                defer { response.transfer.abandon() }
                try response.expectWhole(of: transfer.identity)
            }
            return .rangeIgnored
        } catch let failure as TransferFailure {
            return failure
        }
    }

    private func next(for source: Source.Index) -> Segment? {
        plan.withLock { plan, now in
            let segment = plan.next(now: now)
            if let segment { sources.assigned(segment.id, to: source) }
            return segment
        }
    }

    private func hasFasterAlternative(_ source: Source.Index) -> Bool {
        guard sources.isChoice else { return false }
        return sources.hasFasterAlternative(to: source, wanted: makeWorkers().wanted, now: Monotonic.now())
    }

    /// Compares some bytes of a source with those on disk before any of its bytes is used.
    ///
    /// - Returns: `false` if nothing is left to fetch.
    /// - Throws: `TransferFailure.changed` if they differ.
    private func check(_ source: Source.Index, _ permit: inout ConnectionPermit) async throws -> Bool {
        guard !sources.isTrusted(source) else { return true }
        let check = SourceCheck(member: sources.members[source], part: writer.part, plan: plan)
        switch try await check.run(&permit) {
        case .nothingLeft: return false
        case .same: sources.trust(source)
        case .differs(let what):
            sources.differs(source)
            throw TransferFailure.changed(what)
        }
        return true
    }
}

/// An action that one task performs at most once.
private final class Once {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func run() {
        body?()
        body = nil
    }
}

extension Transfer {
    /// Fetches the file over one connection: the server does not support ranges, or not for the whole file.
    /// The first lost connection shows which; without ranges, each attempt begins at the first byte.
    func asStream(_ probe: FirstResponse?) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            addCheckpoints(to: &group)
            group.addTask {
                try await stream(probe)
                return .connectionEnded(sources.primary, nil)
            }
            while let event = try await group.next() {
                if case .connectionEnded = event { break }
            }
            group.cancelAll()
        }
    }

    private func stream(_ probe: FirstResponse?) async throws {
        var (isFirst, most, mayContinue) = (true, Int64(0), true)
        try await configuration.retry.retrying(
            for: sources.members[sources.primary].client, hasAnswered: true,
            written: {
                most = max(most, plan.snapshot.written.byteCount)
                return most
            }
        ) {
            if !isFirst {
                if mayContinue, try await continueStream() { return }
                mayContinue = false
            }
            let first = isFirst ? probe : nil
            isFirst = false
            try await streamOnce(first)
        }
    }

    /// Fetches the rest of a lost stream in ranges: some servers send 200 for a range that is the whole file,
    /// and 206 for a shorter one.
    ///
    /// - Returns: False if the server does not send the ranges.
    private func continueStream() async throws -> Bool {
        let snapshot = plan.snapshot
        guard writer.part.keepsAll, snapshot.total != nil, !snapshot.written.isEmpty else { return false }
        let transfer = segmentTransfer(from: sources.primary)
        do {
            try await transfer.client.withPermit { permit in
                while let segment = plan.withLock({ plan, now in plan.assignFirstFree(now: now) }) {
                    try await transfer.fetch(segment, &permit)
                }
            }
        } catch let failure as TransferFailure where failure.isOfNewRequests {
            return false
        }
        return plan.isComplete
    }

    private func streamOnce(_ probe: FirstResponse?) async throws {
        let transfer = segmentTransfer(from: sources.primary)
        if let probe, probe.isOpen {
            do {
                defer { probe.abandon() }
                let isAll = try await transfer.receiveWhole(
                    probe.response, probe.permit, isRanged: probe.isRanged)
                if isAll { return }
            }
            // Some servers send an empty body for every request with a range.
            configuration.logger.tell(
                .asksAgain(status: probe.response.head.status, of: probe.response.source, withRange: false))
        }
        try await transfer.client.withPermit { permit in
            let response = try await transfer.client.open(.none, &permit)
            defer { response.transfer.abandon() }
            try response.expectWhole(of: transfer.identity)
            // Not earlier, because a server that refuses the file now may send it in a later run.
            try await startOver()
            _ = try await transfer.receiveWhole(response, permit)
        }
    }
}

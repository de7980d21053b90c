extension Transfer {
    /// Fetches the file over one connection, from its first byte at each try: the server has no ranges.
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
        var (isFirst, most) = (true, Int64(0))
        try await configuration.retry.retrying(
            for: sources.members[sources.primary].client, hasAnswered: true,
            written: {
                most = max(most, plan.snapshot.written.byteCount)
                return most
            }
        ) {
            if !isFirst { startOver() }
            let first = isFirst ? probe : nil
            isFirst = false
            try await streamOnce(first)
        }
    }

    private func streamOnce(_ probe: FirstResponse?) async throws {
        let transfer = segmentTransfer(from: sources.primary)
        if let probe, probe.isOpen {
            defer { probe.abandon() }
            return try await transfer.receiveWhole(probe.response, probe.permit)
        }
        try await transfer.client.withPermit { permit in
            let response = try await transfer.client.open(.none, &permit)
            defer { response.transfer.abandon() }
            try response.expectWhole(of: transfer.identity)
            try await transfer.receiveWhole(response, permit)
        }
    }
}

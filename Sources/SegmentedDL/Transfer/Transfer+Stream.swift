extension Transfer {
    /// Fetches the file over one connection, from its first byte at each try: the server has no ranges.
    func asStream(_ probe: FirstResponse?) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            addCheckpoints(to: &group)
            group.addTask {
                try await stream(probe)
                return .connectionEnded(nil)
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
            hasAnswered: true,
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
        if let probe, probe.isOpen {
            defer { probe.abandon() }
            return try await segmentTransfer.receiveWhole(probe.response, probe.permit)
        }
        try await requester.withPermit { permit in
            let response = try await requester.open(.none, &permit)
            defer { response.transfer.abandon() }
            try response.expectWhole(of: segmentTransfer.identity)
            try await segmentTransfer.receiveWhole(response, permit)
        }
    }
}

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
        var recovery = Recovery(policy: configuration.retry, hasAnswered: true)
        var first = probe
        var most: Int64 = 0
        while true {
            do {
                return try await streamOnce(first)
            } catch let failure as TransferFailure {
                most = max(most, plan.snapshot.written.byteCount)
                let decision = recovery.decide(
                    failure, others: 0, written: most, now: Monotonic.now(), jitter: .random(in: 0...1))
                guard case .retry(let wait) = decision else { throw failure }
                first = nil
                try await Task.sleep(for: .seconds(wait))
                startOver()
            }
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
            guard case .whole(let length) = response.answer else {
                throw TransferFailure(response.answer, permit) ?? .wrongRange("a part of the file")
            }
            try segmentTransfer.identity.checkWhole(length: length, Validators(response.head))
            try await segmentTransfer.receiveWhole(response, permit)
        }
    }
}

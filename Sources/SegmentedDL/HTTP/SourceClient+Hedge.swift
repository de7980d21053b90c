import SegmentedDLSupport

/// Further, parallel requests if the first one gets no response.
extension SourceClient {
    private enum Event<Value: Sendable>: Sendable {
        case value(Value)
        case silence
        case due(RequestHedge.Step)
    }

    /// Runs `body`, and starts further runs in parallel if the host falls silent. The earlier runs continue,
    /// so nothing is lost if the server is merely slow.
    ///
    /// - Parameters:
    ///   - mayOmitRange: True if the last run may omit the range.
    ///   - body: Sends a request that may be repeated. All runs but the first need separate connections.
    /// - Returns: The result of the first run that succeeds; the others are cancelled.
    /// - Throws: The error of the run that failed first, if the others fail too.
    func hedged<Value: Sendable>(
        mayOmitRange: Bool, _ body: @escaping @Sendable (RequestHedge.Kind) async throws -> Value
    ) async throws -> Value {
        let silenceBegan = AsyncEvent()
        silence.onSilence { silenceBegan.send() }
        hedges.withLock { $0 += 1 }
        defer {
            hedges.withLock { $0 -= 1 }
            silence.onSilence(nil)
        }
        return try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            defer { group.cancelAll() }
            group.addTask { .value(try await body(.first)) }
            group.addTask {
                guard await silenceBegan.wait() else { throw CancellationError() }
                return .silence
            }
            var hedge = RequestHedge(isPrompt: false, mayOmitRange: mayOmitRange)
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(.value(let value)): return value
                case .success(.silence):
                    hedge = RequestHedge(isPrompt: isPrompt, mayOmitRange: mayOmitRange)
                    wait(for: hedge.next(), in: &group)
                case .success(.due(let step)):
                    hedge.sent()
                    group.addTask { .value(try await body(step.kind)) }
                    wait(for: hedge.next(), in: &group)
                case .failure(let error):
                    failure = failure ?? error
                    if hedge.failed() { throw failure ?? error }
                }
            }
            throw failure ?? CancellationError()
        }
    }

    /// Returns the seconds until a silent request is repeated over another connection; `nil` if it is not, or
    /// not before its own timeout.
    func repetition(of silence: SilenceWatch.Silence) -> Double? {
        guard hedges.withLock({ $0 > 0 }), silence.awaited != .bytes,
            let delay = RequestHedge(isPrompt: isPrompt, mayOmitRange: false).delay
        else { return nil }
        return silence.seconds + delay < patience.seconds(for: silence.awaited) ?? .infinity ? delay : nil
    }

    private func wait<Value>(
        for step: RequestHedge.Step?, in group: inout ThrowingTaskGroup<Event<Value>, any Error>
    ) {
        guard let step else { return }
        group.addTask {
            try await Task.sleep(for: .seconds(step.delay))
            return .due(step)
        }
    }
}

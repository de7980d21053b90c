import SegmentedDLSupport

/// Further parallel requests if the first one gets no response.
extension SourceClient {
    /// The seconds from a reported silence to each further request: for a host whose bodies otherwise arrive
    /// without pauses the first is sent immediately; another one may merely be slow.
    var hedgeDelays: [Double] { isSteady ? [0, 10] : [5, 15] }

    /// Runs `body`, and starts further runs in parallel if the host falls silent. The earlier runs continue,
    /// so nothing is lost if the server is merely slow.
    ///
    /// - Parameters:
    ///   - delays: The seconds from a reported silence to each further run.
    ///   - body: Sends a request that may be repeated. The argument is the number of the run, from 0; each
    ///     further one needs a separate connection.
    /// - Returns: The result of the first run that succeeds; the others are cancelled.
    /// - Throws: The error of the run that failed first, if all others fail too.
    func hedged<Value: Sendable>(
        after delays: [Double], _ body: @escaping @Sendable (_ number: Int) async throws -> Value
    ) async throws -> Value {
        guard let firstDelay = delays.first else { return try await body(0) }
        let silenceBegan = AsyncEvent()
        silence.onSilence { silenceBegan.send() }
        defer { silence.onSilence(nil) }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body(0) }
            group.addTask {
                guard await silenceBegan.wait() else { throw CancellationError() }
                try await Task.sleep(for: .seconds(firstDelay))
                return nil
            }
            var (started, pending) = (1, 1)
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let value?): return value
                case .success(nil):
                    let number = started
                    (started, pending) = (started + 1, pending + 1)
                    group.addTask { try await body(number) }
                    guard started <= delays.count else { continue }
                    let pause = delays[started - 1] - delays[started - 2]
                    group.addTask {
                        try await Task.sleep(for: .seconds(pause))
                        return nil
                    }
                case .failure(let error):
                    failure = failure ?? error
                    if hedge.failed() { throw failure ?? error }
                }
            }
            throw failure ?? CancellationError()
        }
    }
}

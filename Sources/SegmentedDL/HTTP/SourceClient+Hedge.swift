import SegmentedDLSupport

/// A second, parallel request if the first one gets no response from a host that otherwise responds
/// immediately.
extension SourceClient {
    /// Runs `body`, and starts a second run in parallel if the host falls silent although its bodies
    /// otherwise arrive without pauses. The first run continues, so nothing is lost if the server is merely
    /// slow.
    ///
    /// - Parameter body: Sends a request that may be repeated. The argument is true for the second run, which
    ///   needs a separate connection.
    /// - Returns: The result of the first run that succeeds; the other one is cancelled.
    /// - Throws: The error of the run that failed first, if the other one fails too.
    func hedged<Value: Sendable>(
        _ body: @escaping @Sendable (_ isSecond: Bool) async throws -> Value
    ) async throws -> Value {
        guard isSteady else { return try await body(false) }
        let silenceBegan = AsyncEvent()
        silence.onSilence { silenceBegan.send() }
        defer { silence.onSilence(nil) }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body(false) }
            group.addTask {
                guard await silenceBegan.wait() else { throw CancellationError() }
                return nil
            }
            var pending = 1
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let value?): return value
                case .success(nil):
                    pending += 1
                    group.addTask { try await body(true) }
                case .failure(let error):
                    pending -= 1
                    failure = failure ?? error
                    if pending == 0 { throw failure ?? error }
                }
            }
            throw failure ?? CancellationError()
        }
    }
}

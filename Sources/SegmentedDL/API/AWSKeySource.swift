import SegmentedDLSupport

/// A place that access keys come from, again before they expire, also in the middle of a download.
///
/// Two sources are equal if they are the same object.
public final class AWSKeySource: Sendable {
    private struct State {
        var keys: AWSKeys?
        var renewal: Task<AWSKeys, any Error>?
        /// The number of renewals so far.
        var count = 0
        /// The requests that wait for the renewal.
        var waiting = 0
    }

    private enum Step {
        case use(AWSKeys)
        case wait(Task<AWSKeys, any Error>, count: Int, earlier: AWSKeys?)
    }

    /// The seconds before its expiration from which on a key is not used for a new request.
    private static let margin: Int64 = 5 * 60

    private let fetch: @Sendable () async throws -> AWSKeys
    private let state = Lock(State())

    /// - Parameter fetch: Returns a key. Called for the first request, and again five minutes before the key
    ///   expires; once at a time.
    public init(_ fetch: @escaping @Sendable () async throws -> AWSKeys) {
        self.fetch = fetch
    }

    /// Returns a key that is valid for the next minutes. If none can be had, an earlier one is used for as
    /// long as it is valid.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: The errors of `fetch`, or `CancellationError`.
    func keys(now: Int64) async throws -> AWSKeys {
        let step = state.withLock { state -> Step in
            if let keys = state.keys, !keys.expires(within: Self.margin, of: now) { return .use(keys) }
            let renewal = state.renewal ?? Task { [fetch] in try await fetch() }
            if state.renewal == nil { state.count += 1 }
            state.renewal = renewal
            state.waiting += 1
            return .wait(renewal, count: state.count, earlier: state.keys)
        }
        switch step {
        case .use(let keys): return keys
        case .wait(let renewal, let count, let earlier):
            return try await wait(for: renewal, count, earlier, now)
        }
    }

    private func wait(
        for renewal: Task<AWSKeys, any Error>, _ count: Int, _ earlier: AWSKeys?, _ now: Int64
    ) async throws -> AWSKeys {
        let result = await withTaskCancellationHandler {
            await renewal.result
        } onCancel: {
            leave(count)
        }
        try Task.checkCancellation()
        state.withLock { state in
            guard state.count == count, state.renewal != nil else { return }
            if case .success(let keys) = result { state.keys = keys }
            (state.renewal, state.waiting) = (nil, 0)
        }
        if case .failure = result, let earlier, !earlier.expires(within: 0, of: now) { return earlier }
        return try result.get()
    }

    /// Ends a renewal that no request waits for any more.
    private func leave(_ count: Int) {
        state.withLock { state in
            guard state.count == count, let renewal = state.renewal else { return }
            state.waiting -= 1
            guard state.waiting == 0 else { return }
            renewal.cancel()
            state.renewal = nil
        }
    }
}

extension AWSKeySource: Hashable {
    /// True for the same object.
    public static func == (one: AWSKeySource, other: AWSKeySource) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

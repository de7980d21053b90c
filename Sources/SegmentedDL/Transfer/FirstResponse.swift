import SegmentedDLSupport

/// The first response of a download: its description of the file, and its body, which is not read until its
/// destination is known.
final class FirstResponse: Sendable {
    let response: Response
    let permit: ConnectionPermit
    let resource: ResourceInfo
    /// Seconds from the request to the head.
    let setupTime: Double
    /// The range of the file in its body; `nil` if there is no body to receive.
    let body: ByteRange?
    /// True if the server answered that the copy is unchanged: nothing has to be fetched.
    let isUnchanged: Bool
    /// True if the request asked for a range.
    let isRanged: Bool
    /// The connections that are opened for further segments; `nil` for none.
    let early: EarlyConnections?
    private let isGivenUp = Lock(false)

    init(
        response: Response, permit: ConnectionPermit, resource: ResourceInfo, setupTime: Double,
        body: ByteRange?, isUnchanged: Bool = false, isRanged: Bool = false, early: EarlyConnections? = nil
    ) {
        self.response = response
        self.setupTime = setupTime
        self.permit = permit
        self.resource = resource
        self.body = body
        self.isUnchanged = isUnchanged
        self.isRanged = isRanged
        self.early = early
    }

    deinit {
        abandon()
    }

    /// The whole file, if it was received with the head.
    var wholeBody: [UInt8]? {
        guard let bytes = response.transfer.body, let length = resource.length, body == 0..<length,
            Int64(bytes.count) == length
        else { return nil }
        return bytes
    }

    /// Records that the body is not the expected file, because the server may have mixed up pipelined
    /// responses, and returns the error that leads to another attempt.
    func mixedUp() -> TransferFailure {
        permit.sharesNoMore()
        return .mixedUp
    }

    /// True if the body can still be received.
    var isOpen: Bool { body != nil && !isGivenUp.withLock { $0 } }

    /// Abandons the rest of the body and the connection. Further calls have no effect.
    func abandon() {
        isGivenUp.withLock { $0 = true }
        response.transfer.abandon()
        permit.release()
    }

    /// Compares a sample over a separate connection, which replaces this one.
    ///
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func compare(
        _ comparison: SampleComparison, _ written: ByteRangeSet, _ retry: RetryPolicy
    ) async throws -> Bool {
        // With a cap of one connection, a second one would never be granted.
        abandon()
        return try await retry.retrying(for: comparison.client, hasAnswered: true) {
            try await comparison.client.withPermit { permit in
                try await comparison.matches(written, &permit)
            }
        }
    }
}

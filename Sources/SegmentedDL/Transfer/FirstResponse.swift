import SegmentedDLSupport

/// The first response of a download: its description of the file, and its body, which is held back until it
/// is known where to write it.
final class FirstResponse: Sendable {
    let response: Response
    let permit: ConnectionPermit
    let resource: ResourceInfo
    /// Seconds from the request to the head.
    let setupTime: Double
    /// The bytes that its body holds; `nil` if there are none to receive.
    let body: ByteRange?
    /// True if the condition of the request was found false: there is nothing to fetch.
    let isUnchanged: Bool
    /// True if a range was asked for.
    let isRanged: Bool
    private let isGivenUp = Lock(false)

    init(
        response: Response, permit: ConnectionPermit, resource: ResourceInfo, setupTime: Double,
        body: ByteRange?, isUnchanged: Bool = false, isRanged: Bool = false
    ) {
        self.response = response
        self.setupTime = setupTime
        self.permit = permit
        self.resource = resource
        self.body = body
        self.isUnchanged = isUnchanged
        self.isRanged = isRanged
    }

    deinit {
        abandon()
    }

    /// The whole file, if it came along with the head.
    var wholeBody: [UInt8]? {
        guard let bytes = response.transfer.body, let length = resource.length, body == 0..<length,
            Int64(bytes.count) == length
        else { return nil }
        return bytes
    }

    /// Learns that it is not what the file should be, although it came in an order that the server may have
    /// mixed up, and returns the error that leads to another attempt.
    func mixedUp() -> TransferFailure {
        permit.sharesNoMore()
        return .mixedUp
    }

    /// True if the body can still be received.
    var isOpen: Bool { body != nil && !isGivenUp.withLock { $0 } }

    /// Gives up the rest of the body, and the connection. Further calls do nothing.
    func abandon() {
        isGivenUp.withLock { $0 = true }
        response.transfer.abandon()
        permit.release()
    }

    /// Compares a sample over a connection of its own, in place of this one.
    ///
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func compare(
        _ comparison: SampleComparison, _ written: ByteRangeSet, _ retry: RetryPolicy
    ) async throws -> Bool {
        // With a cap of one connection, a second one would never get its permit.
        abandon()
        return try await retry.retrying(for: comparison.client, hasAnswered: true) {
            try await comparison.client.withPermit { permit in
                try await comparison.matches(written, &permit)
            }
        }
    }
}

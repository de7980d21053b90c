/// What came of a series of requests, as the engine's thread hands it over.
struct OpenedSeries: Sendable {
    /// How many were answered by 304.
    var unchanged: Int
    /// What came of the one behind them; `nil` if there is none, or if it was not sent.
    var next: Result<OpenedResponse, any Error>?
}

/// Requests that are sent one after the other, until one is not answered by 304. Not `Sendable`: it lives on the engine's
/// thread.
final class RequestSeries {
    /// After so many seconds it ends in any case: its caller has others to let go first, and something to show.
    private static let longest = 1.0

    let id: TransferID
    private let requests: [TransferRequest]
    private let continuation: CheckedContinuation<OpenedSeries, any Error>
    private let began = Monotonic.now()
    private var unchanged = 0

    /// - Parameter requests: At least one.
    init(
        _ id: TransferID, _ requests: [TransferRequest],
        _ continuation: CheckedContinuation<OpenedSeries, any Error>
    ) {
        self.id = id
        self.requests = requests
        self.continuation = continuation
    }

    /// The request whose turn it is.
    var request: TransferRequest { requests[unchanged] }

    /// Whether it is the first one's turn.
    var isFresh: Bool { unchanged == 0 }

    /// Takes what came of that request.
    ///
    /// - Returns: Whether the next one is to be sent. If not, the caller of the series has been told.
    func take(_ result: Result<OpenedResponse, any Error>) -> Bool {
        var next: Result<OpenedResponse, any Error>? = result
        if case .success(let response) = result, response.head.status == 304, response.body != nil {
            unchanged += 1
            if unchanged < requests.count, Monotonic.now() - began < Self.longest { return true }
            next = nil
        }
        continuation.resume(returning: OpenedSeries(unchanged: unchanged, next: next))
        return false
    }
}

/// What came of a series of requests, as the engine's thread hands it over.
struct OpenedSeries: Sendable {
    /// How many were answered by 304.
    var unchanged: Int
    /// What came of the one behind them; `nil` if there is none, or if it was not sent.
    var next: Result<OpenedResponse, any Error>?
    /// How many seconds that took.
    var secondsOfNext = 0.0
}

/// Requests that are sent one after the other, until one is not answered by 304. Not `Sendable`: it lives on the engine's
/// thread.
final class RequestSeries {
    let id: TransferID
    private let requests: [TransferRequest]
    private let continuation: CheckedContinuation<OpenedSeries, any Error>
    private let deadline: Double
    private var unchanged = 0
    private var sentAt = Monotonic.now()

    /// - Parameters:
    ///   - requests: At least one.
    ///   - seconds: After so many the next one is not sent any more.
    init(
        _ id: TransferID, _ requests: [TransferRequest], for seconds: Double,
        _ continuation: CheckedContinuation<OpenedSeries, any Error>
    ) {
        self.id = id
        self.requests = requests
        self.continuation = continuation
        deadline = sentAt + seconds
    }

    /// The request whose turn it is.
    var request: TransferRequest { requests[unchanged] }

    /// Whether it is the first one's turn.
    var isFresh: Bool { unchanged == 0 }

    /// Takes what came of that request.
    ///
    /// - Returns: Whether the next one is to be sent. If not, the caller of the series has been told.
    func take(_ result: Result<OpenedResponse, any Error>) -> Bool {
        let now = Monotonic.now()
        var answer = OpenedSeries(unchanged: unchanged, next: result, secondsOfNext: now - sentAt)
        if case .success(let response) = result, response.head.status == 304, response.body != nil {
            unchanged += 1
            sentAt = now
            if unchanged < requests.count, now < deadline { return true }
            answer = OpenedSeries(unchanged: unchanged)
        }
        continuation.resume(returning: answer)
        return false
    }
}

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
    let place: LaneChoice.Place
    let continuation: CheckedContinuation<OpenedSeries, any Error>
    private let requests: [TransferRequest]
    private let deadline: Double
    private var unchanged = 0
    private var sentAt = Monotonic.now()

    /// - Parameters:
    ///   - requests: At least one.
    ///   - seconds: After so many the next one is not sent any more.
    init(
        _ place: LaneChoice.Place, _ requests: [TransferRequest], for seconds: Double,
        _ continuation: CheckedContinuation<OpenedSeries, any Error>
    ) {
        self.place = place
        self.requests = requests
        self.continuation = continuation
        deadline = sentAt + seconds
    }

    /// The request whose turn it is.
    var request: TransferRequest { requests[unchanged] }

    /// Takes what came of that request.
    ///
    /// - Returns: What came of the series; `nil` if the next one is to be sent.
    func take(_ result: Result<OpenedResponse, any Error>) -> OpenedSeries? {
        let now = Monotonic.now()
        guard case .success(let response) = result, response.head.status == 304, response.body != nil else {
            return OpenedSeries(unchanged: unchanged, next: result, secondsOfNext: now - sentAt)
        }
        unchanged += 1
        sentAt = now
        return unchanged < requests.count && now < deadline ? nil : OpenedSeries(unchanged: unchanged)
    }
}

import SegmentedDLSupport

/// Requests small files one after another, each as a stream of a connection that other requests share
/// (HTTP/2), using libcurl.
final class FastPathStream: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        /// The number of the active request, and its link once that is known.
        var active: Int?
        var link: TransferLink?
        /// True if the source had no request.
        var isWaiting = false
        /// True if `resume` has been called since the source was asked.
        var isResumed = false
        var isCancelled = false
        var isShared = true
    }

    private let host: String
    private let source: any FastPathSource
    private let connections: @Sendable () -> Int
    /// The number of seconds of silence after which a request is left to the ordinary path.
    private let patience: Double
    private let state = Lock(State())

    /// - Parameter connections: Returns the number of connections that requests to the host may share.
    init(
        to host: String, _ source: any FastPathSource, over connections: @escaping @Sendable () -> Int,
        patience: Double
    ) {
        self.host = host
        self.source = source
        self.connections = connections
        self.patience = patience
    }

    /// False if the host has responded over a connection that is not shared.
    var isShared: Bool { state.withLock { $0.isShared } }

    /// Returns when the source closes the stream.
    ///
    /// - Throws: `CancellationError`.
    func run(on engine: CurlEngine) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                advance(on: engine)
            }
        } onCancel: {
            let (link, isWaiting) = state.withLock { state in
                state.isCancelled = true
                return (state.link, state.isWaiting)
            }
            link?.abandon()
            if isWaiting { end() }
        }
    }

    /// Asks the source again if it had no request.
    func resume(on engine: CurlEngine) {
        let isWaiting = state.withLock { state in
            defer { state.isWaiting = false }
            if !state.isWaiting { state.isResumed = true }
            return state.isWaiting
        }
        if isWaiting { advance(on: engine) }
    }

    private func advance(on engine: CurlEngine) {
        while true {
            let isCancelled = state.withLock { state in
                state.isResumed = false
                return state.isCancelled
            }
            if isCancelled { return end() }
            switch source.next(isBehind: false) {
            case .send(let request): return send(request, on: engine)
            case .close: return end()
            case .wait:
                let waits = state.withLock { state in
                    state.isWaiting = !state.isResumed && !state.isCancelled
                    return state.isWaiting
                }
                if waits { return }
            }
        }
    }

    private func send(_ request: FastPathRequest, on engine: CurlEngine) {
        var transfer = TransferRequest(
            url: request.url, host: host, range: request.range, prefetch: ResponseHead.longestShortBody)
        transfer.headers = request.headers
        transfer.offersHTTP2 = true
        transfer.sharedConnections = connections()
        transfer.prefetchSeconds = patience
        state.withLock { $0.active = request.id }
        let link = engine.open(sharing: transfer) { [weak engine] result, link in
            self.answered(request.id, result, over: link, on: engine)
        }
        let isCancelled = state.withLock { state in
            // The response may have been received already, and the next request may be active.
            if state.active == request.id { state.link = link }
            return state.isCancelled
        }
        if isCancelled { link.abandon() }
    }

    private func answered(
        _ id: Int, _ result: Result<OpenedResponse, any Error>, over link: TransferLink,
        on engine: CurlEngine?
    ) {
        state.withLock { ($0.active, $0.link) = (nil, nil) }
        var answer = FastPathAnswer.lost
        var goesOn = true
        switch result {
        case .success(let opened):
            let head = opened.head
            // Without a length, a truncated stream could not be detected (RFC 9113, section 8.1.1).
            if head.isHTTP2, let body = opened.body, head.shortBodyLength == body.count {
                answer = .complete(head, body: body, opened: opened.isFirst, wasAlone: true)
            } else {
                answer = .otherwise(head, refusalText: opened.refusalText, wasAlone: true)
                if opened.body == nil { link.abandon() }
            }
            if !head.isHTTP2 {
                goesOn = false
                state.withLock { $0.isShared = false }
            }
        case .failure:
            // The next request may need a different connection.
            goesOn = false
        }
        goesOn = source.answered(id, answer) && goesOn
        if goesOn, let engine { advance(on: engine) } else { end() }
    }

    private func end() {
        let (continuation, isCancelled) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.isCancelled)
        }
        if isCancelled {
            continuation?.resume(throwing: CancellationError())
        } else {
            continuation?.resume()
        }
    }
}

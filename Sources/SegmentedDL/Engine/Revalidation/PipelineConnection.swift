internal import CSegCurl

/// The connection of one pipeline. Not `Sendable`: it is confined to the engine's thread.
final class PipelineConnection {
    let ticket: LaneChoice.Ticket
    let raw: RawConnection
    private var pipeline: Pipeline
    /// The time after which no more requests are sent.
    private let seconds: Double
    /// The timeout for the next byte from the server; `nil` for no limit.
    private let patience: Double?
    private let continuation: CheckedContinuation<ConditionalAnswers, any Error>

    init(
        _ ticket: LaneChoice.Ticket, _ easy: UnsafeMutableRawPointer, _ batch: ConditionalRequests,
        seconds: Double,
        _ transport: Transport, _ continuation: CheckedContinuation<ConditionalAnswers, any Error>
    ) {
        self.ticket = ticket
        raw = RawConnection(easy, to: batch.url)
        self.continuation = continuation
        pipeline = Pipeline(batch, userAgent: transport.userAgent)
        self.seconds = seconds
        patience = transport.patience.answer
    }

    /// True when no more responses are expected.
    var isOver: Bool { pipeline.isOver }

    /// Starts sending once libcurl has connected, or fails.
    func connected(_ result: CURLcode) {
        if raw.connected(result) { send() } else { pipeline.fail() }
    }

    /// Reads the responses that have arrived, and sends the requests that may follow them.
    func exchange(_ buffer: UnsafeMutableRawBufferPointer) {
        let isOpen = raw.receive(buffer) { bytes in
            pipeline.receive(bytes)
            return !pipeline.isOver
        }
        if isOpen { send() } else { pipeline.fail() }
    }

    private func send() {
        if raw.heardAt - raw.connectedAt > seconds { pipeline.stop() }
        if !raw.send({ pipeline.bytesToSend() }) { pipeline.fail() }
    }

    /// Fails the pipeline if the server's silence exceeds the timeout.
    func tick(now: Double) {
        if let patience, raw.socket != nil, now - raw.heardAt > patience { pipeline.fail() }
    }

    /// Resumes the caller with the responses.
    func finish(isCancelled: Bool) {
        var answers = pipeline.answers
        answers.isCancelled = isCancelled
        continuation.resume(returning: answers)
    }
}

internal import CSegCurl
import SegmentedDLSupport

/// The connection of one pipeline: libcurl opens it, with TLS and proxies, and moves the bytes
/// (CURLOPT_CONNECT_ONLY). Not `Sendable`: it lives on the engine's thread.
final class PipelineConnection {
    let ticket: LaneChoice.Ticket
    let easy: UnsafeMutableRawPointer
    /// The connected socket; `nil` until the connection is established.
    private(set) var socket: curl_socket_t?
    private var pipeline: Pipeline
    private var unsent: ArraySlice<UInt8> = []
    /// The time after which it sends no more requests.
    private let seconds: Double
    private var began = 0.0
    /// The longest time without a byte from the server; `nil` for no limit.
    private let patience: Double?
    private var heardAt = Monotonic.now()
    private let continuation: CheckedContinuation<ConditionalAnswers, any Error>

    init(
        _ ticket: LaneChoice.Ticket, _ easy: UnsafeMutableRawPointer, _ batch: ConditionalRequests,
        seconds: Double,
        _ transport: Transport, _ continuation: CheckedContinuation<ConditionalAnswers, any Error>
    ) {
        self.ticket = ticket
        self.easy = easy
        self.continuation = continuation
        pipeline = Pipeline(batch, userAgent: transport.userAgent)
        self.seconds = seconds
        patience = transport.lowSpeedLimit > 0 ? Double(transport.lowSpeedTime) : nil
        seg_set_string(easy, CURLOPT_URL, batch.url)
        seg_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
        // The requests are written for the host itself; a proxy without a tunnel expects absolute URLs.
        seg_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1)
    }

    /// True when no more answers are expected.
    var isOver: Bool { pipeline.isOver }

    /// The operations to watch the socket for.
    var interest: SocketPoll.Readiness { unsent.isEmpty ? .reading : [.reading, .writing] }
    /// The operations that the socket is watched for.
    var watched: SocketPoll.Readiness = []

    /// Begins to send, or fails, when libcurl has connected or failed to.
    func connected(_ result: CURLcode) {
        var socket = seg_no_socket()
        guard result == CURLE_OK, seg_get_socket(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK,
            socket != seg_no_socket()
        else {
            pipeline.fail()
            return
        }
        self.socket = socket
        began = Monotonic.now()
        heardAt = began
        send()
    }

    /// Reads the answers that have come, and sends the requests that may follow them.
    func exchange(_ buffer: UnsafeMutableRawBufferPointer) {
        while !pipeline.isOver {
            var count = 0
            let result = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
            if result == CURLE_AGAIN { break }
            guard result == CURLE_OK, count > 0 else {
                pipeline.fail()
                return
            }
            heardAt = Monotonic.now()
            pipeline.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        send()
    }

    private func send() {
        if heardAt - began > seconds { pipeline.stop() }
        if unsent.isEmpty { unsent = pipeline.bytesToSend()[...] }
        while !unsent.isEmpty {
            var count = 0
            let result = unsent.withUnsafeBytes { curl_easy_send(easy, $0.baseAddress, $0.count, &count) }
            if result == CURLE_AGAIN { return }
            guard result == CURLE_OK else {
                pipeline.fail()
                return
            }
            unsent = unsent.dropFirst(count)
        }
    }

    /// Fails the pipeline if the server has sent nothing for too long.
    func tick(now: Double) {
        if let patience, socket != nil, now - heardAt > patience { pipeline.fail() }
    }

    /// Resumes the caller with the answers.
    func finish(isCancelled: Bool) {
        var answers = pipeline.answers
        answers.isCancelled = isCancelled
        continuation.resume(returning: answers)
    }
}

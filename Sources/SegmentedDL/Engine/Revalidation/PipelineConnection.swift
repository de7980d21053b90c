internal import CSegCurl

/// A connection of its own for a pipeline: libcurl makes it, with TLS and proxies, and moves the bytes
/// (CURLOPT_CONNECT_ONLY). Not `Sendable`: it lives on the engine's thread.
final class PipelineConnection {
    let place: LaneChoice.Place
    let easy: UnsafeMutableRawPointer
    /// `nil` until it stands.
    private(set) var socket: curl_socket_t?
    private var pipeline: Pipeline
    private var unsent: ArraySlice<UInt8> = []
    /// After so many no more is sent.
    private let seconds: Double
    private var began = 0.0
    /// For how many seconds nothing may come; `nil` for any.
    private let patience: Double?
    private var heardAt = Monotonic.now()
    private let continuation: CheckedContinuation<ConditionalAnswers, any Error>

    init(
        _ place: LaneChoice.Place, _ easy: UnsafeMutableRawPointer, _ batch: ConditionalRequests,
        seconds: Double,
        _ transport: Transport, _ continuation: CheckedContinuation<ConditionalAnswers, any Error>
    ) {
        self.place = place
        self.easy = easy
        self.continuation = continuation
        pipeline = Pipeline(batch, userAgent: transport.userAgent)
        self.seconds = seconds
        patience = transport.lowSpeedLimit > 0 ? Double(transport.lowSpeedTime) : nil
        seg_set_string(easy, CURLOPT_URL, batch.url)
        seg_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
        // What is sent is for the host, and a proxy would want it otherwise.
        seg_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1)
    }

    /// Whether nothing is waited for any more.
    var isOver: Bool { pipeline.isOver }

    /// What its socket is to be watched for.
    var interest: SocketPoll.Readiness { unsent.isEmpty ? .reading : [.reading, .writing] }
    /// What it is watched for.
    var watched: SocketPoll.Readiness = []

    /// libcurl is done with connecting.
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

    /// Takes what has come, and sends what can be sent then.
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

    /// Gives it up if nothing has come for too long.
    func tick(now: Double) {
        if let patience, socket != nil, now - heardAt > patience { pipeline.fail() }
    }

    /// Says what came of it.
    func finish(isCancelled: Bool) {
        var answers = pipeline.answers
        answers.isCancelled = isCancelled
        continuation.resume(returning: answers)
    }
}

internal import CSegCurl
internal import SegmentedDLSupport

/// A single POST outside the engine, for a program that calls a daemon.
package struct HTTPCall: Sendable {
    /// The server did not request the body, so the call had no effect.
    package struct NotSent: Error {}

    /// The maximum size of a response, in bytes.
    private static let longestAnswer = 256 << 20

    package var url: String
    package var headers: [HTTPHeader] = []
    package var body: [UInt8] = []
    /// The path of a Unix socket to connect to instead of the URL's host.
    package var socket: String?
    /// The timeout for the server to request the body (RFC 9110, section 10.1.1: Expect); `nil` to send the
    /// body immediately.
    package var patience: Duration?

    package init(url: String, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Sends the request, and waits for the response on a separate thread.
    ///
    /// - Returns: The status, and the body, whatever the status is.
    /// - Throws: `DownloadError` with code `connectionFailed`, or `invalidSetting` if a header field is not
    ///   valid. If `patience` is set, also `NotSent`, or `CancellationError` if the task is cancelled before
    ///   the body is sent.
    package func send(_ transport: Transport) async throws -> (status: Int, body: [UInt8]) {
        for header in headers { try header.check() }
        let exchange = Exchange(patience: patience)
        return try await withTaskCancellationHandler {
            try await DiskThread.run { try perform(transport, exchange) }
        } onCancel: {
            exchange.isCancelled.withLock { $0 = true }
        }
    }

    /// One active call.
    private final class Exchange: Sendable {
        let isCancelled = Lock(false)
        private let answer = Lock<[UInt8]>([])
        private let deadline: ContinuousClock.Instant?

        init(patience: Duration?) {
            deadline = patience.map { .now + $0 }
        }

        var bytes: [UInt8] { answer.withLock { $0 } }

        /// - Returns: The number of bytes added; 0 aborts the call.
        func add(_ bytes: UnsafeRawBufferPointer) -> Int {
            answer.withLock { answer in
                guard answer.count + bytes.count <= HTTPCall.longestAnswer else { return 0 }
                answer.append(contentsOf: bytes)
                return bytes.count
            }
        }

        /// True if the server did not request the body in time, or the call was cancelled.
        var isGivenUp: Bool {
            guard let deadline else { return false }
            return isCancelled.withLock { $0 } || ContinuousClock.now >= deadline
        }
    }

    private func perform(
        _ transport: Transport, _ exchange: Exchange
    ) throws -> (status: Int, body: [UInt8]) {
        guard CurlGlobal.result == CURLE_OK, let easy = curl_easy_init() else {
            throw DownloadError(.connectionFailed, "libcurl cannot be used.")
        }
        defer { curl_easy_cleanup(easy) }
        transport.apply(to: easy, share: nil)
        // The daemon responds to an operation when its downloads have stopped, which may take a while.
        seg_set_long(easy, CURLOPT_LOW_SPEED_TIME, 0)
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers { list = curl_slist_append(list, "\(header.name): \(header.value)") }
        defer { curl_slist_free_all(list) }
        seg_set_string(easy, CURLOPT_URL, url)
        if let socket {
            seg_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, socket)
            seg_set_string(easy, CURLOPT_NOPROXY, "*")
        }
        // The exchange exists until the end of this function, as does the transfer that holds the pointer.
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        if patience != nil {
            list = curl_slist_append(list, "Expect: 100-continue")
            seg_set_long(easy, CURLOPT_EXPECT_100_TIMEOUT_MS, Int(Int32.max))
            seg_set_long(easy, CURLOPT_NOPROGRESS, 0)
            seg_set_pointer(easy, CURLOPT_XFERINFODATA, context)
            seg_set_progress_callback(easy) { context, _, _, _, sent in
                guard let context, sent == 0 else { return 0 }
                return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().isGivenUp ? 1 : 0
            }
        }
        seg_set_list(easy, CURLOPT_HTTPHEADER, list)
        seg_set_pointer(easy, CURLOPT_WRITEDATA, context)
        seg_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
                .add(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        let result = body.withUnsafeBytes { body in
            seg_set_long(easy, CURLOPT_POST, 1)
            seg_set_long(easy, CURLOPT_POSTFIELDSIZE, body.count)
            seg_set_pointer(easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
            return withExtendedLifetime(exchange) { curl_easy_perform(easy) }
        }
        guard result == CURLE_OK else { throw failure(result, easy, exchange) }
        var status = 0
        seg_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return (status, exchange.bytes)
    }

    private func failure(_ result: CURLcode, _ easy: UnsafeMutableRawPointer, _ exchange: Exchange)
        -> any Error
    {
        var sent: curl_off_t = 0
        seg_get_offset(easy, CURLINFO_SIZE_UPLOAD_T, &sent)
        if patience != nil, sent == 0 {
            return exchange.isCancelled.withLock { $0 } ? CancellationError() : NotSent()
        }
        return DownloadError(
            result == CURLE_PEER_FAILED_VERIFICATION ? .tlsFailed : .connectionFailed,
            "Cannot reach '\(url)': \(String(cString: curl_easy_strerror(result))).")
    }
}

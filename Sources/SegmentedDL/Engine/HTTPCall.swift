internal import CSegCurl

/// A single POST outside of the engine, for a program that talks to a daemon.
package struct HTTPCall: Sendable {
    /// The most bytes of an answer.
    private static let longestAnswer = 256 << 20

    package var url: String
    package var headers: [HTTPHeader] = []
    package var body: [UInt8] = []

    package init(url: String, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Sends it, and waits for the answer on a thread of its own.
    ///
    /// - Returns: The status, and the body, whatever the status is.
    /// - Throws: `DownloadError` with code `connectionFailed`.
    package func send(_ transport: Transport) async throws -> (status: Int, body: [UInt8]) {
        try await DiskThread.run { try perform(transport) }
    }

    private final class Answer {
        var bytes: [UInt8] = []
    }

    private func perform(_ transport: Transport) throws(DownloadError) -> (status: Int, body: [UInt8]) {
        guard CurlGlobal.result == CURLE_OK, let easy = curl_easy_init() else {
            throw DownloadError(.connectionFailed, "libcurl cannot be used.")
        }
        defer { curl_easy_cleanup(easy) }
        transport.apply(to: easy, share: nil)
        // A verb answers when its downloads have stopped, which may take a while.
        seg_set_long(easy, CURLOPT_LOW_SPEED_TIME, 0)
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers { list = curl_slist_append(list, "\(header.name): \(header.value)") }
        defer { curl_slist_free_all(list) }
        seg_set_string(easy, CURLOPT_URL, url)
        seg_set_list(easy, CURLOPT_HTTPHEADER, list)
        let answer = Answer()
        // It lives until the end of this function, and with it the transfer that has the pointer.
        seg_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(answer).toOpaque())
        seg_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let answer = Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
            guard answer.bytes.count + size * count <= HTTPCall.longestAnswer else { return 0 }
            answer.bytes.append(
                contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        let result = body.withUnsafeBytes { body in
            seg_set_long(easy, CURLOPT_POST, 1)
            seg_set_long(easy, CURLOPT_POSTFIELDSIZE, body.count)
            seg_set_pointer(easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
            return withExtendedLifetime(answer) { curl_easy_perform(easy) }
        }
        guard result == CURLE_OK else {
            throw DownloadError(
                result == CURLE_PEER_FAILED_VERIFICATION ? .tlsFailed : .connectionFailed,
                "Cannot reach '\(url)': \(String(cString: curl_easy_strerror(result))).")
        }
        var status = 0
        seg_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return (status, answer.bytes)
    }
}

internal import CSegCurl

extension CurlTransfer {
    /// Registers the callbacks that libcurl invokes with received data, and before it sends the request.
    func registerCallbacks() {
        // Unmanaged: the loop's registry holds the transfer for as long as the handle is in use.
        let context = Unmanaged.passUnretained(self).toOpaque()
        seg_set_pointer(easy, CURLOPT_HEADERDATA, context)
        seg_set_pointer(easy, CURLOPT_WRITEDATA, context)
        seg_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.received(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        seg_set_pointer(easy, CURLOPT_PREREQDATA, context)
        seg_set_request_callback(easy) { context, _, _, _, localPort in
            guard let context else { return CURL_PREREQFUNC_OK }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.maySend(from: Int(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        seg_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.received(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }
}

/// Assembles heads from the lines that libcurl delivers.
struct HeadLines {
    enum Next: Equatable {
        /// A head has begun.
        case begun
        /// More lines follow.
        case incomplete
        case complete(ResponseHead)
        /// The lines are too long, or will never be a head because it has no status line.
        case refused
    }

    /// The most recent head, while its lines are being received.
    private var head: ResponseHead?
    /// The length of all lines, including those of interim responses (1xx).
    private var count = 0

    var isTooLong: Bool { count > EngineError.longestHeadBytes }

    /// Adds a line with its terminator.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Next {
        count += bytes.count
        guard !isTooLong else { return .refused }
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x0a || bytes[end - 1] == 0x0d { end -= 1 }
        let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        if let started = ResponseHead(statusLine: line) {
            head = started
            return .begun
        }
        guard line.isEmpty else {
            head?.append(line: line)
            return .incomplete
        }
        guard let head else { return .refused }
        guard head.status >= 200 else { return .incomplete }
        self.head = nil
        return .complete(head)
    }
}

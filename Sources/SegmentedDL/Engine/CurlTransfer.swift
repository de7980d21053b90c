internal import CSegCurl

/// One request under way, with its libcurl handle. Not `Sendable`: it lives on the engine's thread.
final class CurlTransfer {
    /// Received heads longer than this are refused; real ones are a hundred times smaller.
    private static let longestHead = 256 * 1024

    let place: LaneChoice.Place
    let easy: UnsafeMutableRawPointer
    let hasCredentials: Bool
    /// Whether it has ended so that its connection can serve another one.
    private(set) var keepsConnection = false
    private let limiters: [RateLimiter]
    private let counters: TransferCounters?
    private let headerList: UnsafeMutablePointer<curl_slist>?
    private let errorBuffer: UnsafeMutablePointer<CChar>

    private var head: ResponseHead?
    private var headLength = 0
    private var isHeadComplete = false
    /// Who waits for the response.
    private var opening: ((Result<OpenedResponse, any Error>) -> Void)?
    private let prefetch: Int
    private let patience: Double
    /// What has come of a body that is to go along with its head; `nil` if it does not.
    private var early: [UInt8]?
    /// When the head is handed over, with or without its body; `nil` if nothing is waited for.
    private var handsOverAt: Double?
    /// Who waits for the body's end.
    private var receiving: ((TransferReport) -> Void)?
    private(set) var sink: (any BodySink)?
    private var report: TransferReport? {
        didSet { if oldValue == nil { count() } }
    }
    private var sinkHadEnough = false
    private var isPaused = false

    /// Seconds on the engine's clock at which a rate limit lets this transfer go on.
    private(set) var waitsForRateUntil: Double?

    init(
        place: LaneChoice.Place, easy: UnsafeMutableRawPointer, request: TransferRequest,
        opening: @escaping (Result<OpenedResponse, any Error>) -> Void
    ) {
        self.place = place
        self.easy = easy
        self.opening = opening
        hasCredentials = request.credentials != nil
        limiters = request.limiters
        counters = request.counters
        prefetch = request.prefetch
        patience = request.patience
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        var list: UnsafeMutablePointer<curl_slist>?
        for header in request.sentHeaders {
            // libcurl sends an empty field only when it is written with a semicolon (CURLOPT_HTTPHEADER).
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            list = curl_slist_append(list, line)
        }
        headerList = list
        counters?.began()

        seg_set_string(easy, CURLOPT_URL, request.url)
        seg_set_list(easy, CURLOPT_HTTPHEADER, headerList)
        seg_set_string(easy, CURLOPT_RANGE, request.range.headerValue)
        request.credentials?.apply(to: easy)
        seg_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer)
        // Unmanaged: the loop's registry holds the transfer for as long as the handle is in use.
        let context = Unmanaged.passUnretained(self).toOpaque()
        seg_set_pointer(easy, CURLOPT_HEADERDATA, context)
        seg_set_pointer(easy, CURLOPT_WRITEDATA, context)
        seg_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.received(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        seg_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.received(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    deinit {
        curl_slist_free_all(headerList)
        errorBuffer.deallocate()
    }

    // MARK: From libcurl

    private func received(headerLine bytes: UnsafeRawBufferPointer) -> Int {
        // After the head only trailers come, which nobody asked for.
        guard !isHeadComplete else { return bytes.count }
        headLength += bytes.count
        guard headLength <= Self.longestHead else { return 0 }
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x0a || bytes[end - 1] == 0x0d { end -= 1 }
        let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        if let started = ResponseHead(statusLine: line) {
            head = started
        } else if !line.isEmpty {
            head?.append(line: line)
        } else if let head, head.status >= 200 {
            isHeadComplete = true
            if bodyMayComeAlong(head) {
                early = []
                handsOverAt = Monotonic.now() + patience
            } else {
                handOver()
            }
        }
        return bytes.count
    }

    private func bodyMayComeAlong(_ head: ResponseHead) -> Bool {
        // It has no body, whatever it says of a length.
        if head.status == 304 { return true }
        guard prefetch > 0, !limiters.contains(where: { $0.isLimited }) else { return false }
        guard let length = head["content-length"].flatMap({ Int($0) }) else {
            return true
        }
        return length <= prefetch
    }

    private func handOver(body: [UInt8]? = nil) {
        handsOverAt = nil
        guard let opening, let head else { return }
        self.opening = nil
        opening(.success(OpenedResponse(head: head, body: body)))
    }

    /// The caller has waited for the body for long enough.
    func handOverIfDue(now: Double) {
        if let handsOverAt, handsOverAt <= now { handOver() }
    }

    private func received(body bytes: UnsafeRawBufferPointer) -> Int {
        guard let sink else {
            if handsOverAt != nil, let count = early?.count, count + bytes.count <= prefetch {
                early?.append(contentsOf: bytes)
                return bytes.count
            }
            handOver()
            return pause()
        }
        let isLimited = limiters.contains { $0.isLimited }
        if isLimited {
            let now = Monotonic.now()
            if let ready = limiters.compactMap({ $0.waits(now: now) }).max() {
                // The limit may be changed meanwhile.
                waitsForRateUntil = min(ready, now + 0.25)
                return pause()
            }
        }
        switch sink.receive(bytes) {
        case .more:
            if isLimited {
                let now = Monotonic.now()
                for limiter in limiters { limiter.spend(bytes.count, now: now) }
            }
            return bytes.count
        case .hold:
            return pause()
        case .enough:
            sinkHadEnough = true
            return 0
        }
    }

    private func pause() -> Int {
        isPaused = true
        return seg_write_pause()
    }

    private func count() {
        var connections = 0
        var bytes = curl_off_t(0)
        seg_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
        seg_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes)
        counters?.ended(connections: connections, bytes: Int64(bytes))
    }

    // MARK: From the loop

    /// Leaves the handle to another transfer: what this one owns is not to be touched through it any more.
    func letGoOfHandle() {
        for option in [CURLOPT_ERRORBUFFER, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA] {
            seg_set_pointer(easy, option, nil)
        }
        seg_set_list(easy, CURLOPT_HTTPHEADER, nil)
    }

    /// - Returns: Whether the sink wants more than what came along with the head.
    func attach(_ sink: any BodySink, _ receiving: @escaping (TransferReport) -> Void) -> Bool {
        self.sink = sink
        self.receiving = receiving
        let wantsMore = giveEarly(to: sink)
        if report != nil { deliver() }
        return wantsMore
    }

    private func giveEarly(to sink: any BodySink) -> Bool {
        guard let bytes = early, !bytes.isEmpty else { return true }
        early = nil
        for limiter in limiters { limiter.spend(bytes.count, now: Monotonic.now()) }
        return bytes.withUnsafeBytes { sink.receive($0) } != .enough
    }

    /// Offers held bytes again.
    ///
    /// - Returns: Not `CURLE_OK` if they ended the transfer: libcurl tells only its caller then, and would go
    ///   on waiting for more bytes by itself.
    func unpause() -> CURLcode {
        guard isPaused, sink != nil else { return CURLE_OK }
        isPaused = false
        waitsForRateUntil = nil
        return curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// libcurl has ended the transfer.
    ///
    /// - Returns: Whether everyone has been told; if not, the body is still to be asked for.
    func finished(_ result: CURLcode) -> Bool {
        keepsConnection = result == CURLE_OK
        let error = sinkHadEnough || result == CURLE_OK ? nil : EngineError(result, detail: errorBuffer)
        report = TransferReport(error: error, wasCut: sinkHadEnough)
        guard handsOverAt != nil else { return deliver() }
        let isWhole = error == nil
        handOver(body: isWhole ? early : nil)
        return isWhole
    }

    /// The sink wants no more.
    func cut() {
        report = TransferReport(wasCut: true)
        deliver()
    }

    /// Ends the transfer for its task: cancelled, or the engine stops.
    func cancel() {
        report = TransferReport(wasCancelled: true)
        deliver()
    }

    @discardableResult
    private func deliver() -> Bool {
        guard let report else { return false }
        if let opening {
            self.opening = nil
            let missing = EngineError(kind: .badResponse, message: "the server sent no response")
            opening(.failure(report.wasCancelled ? CancellationError() : report.error ?? missing))
            return true
        }
        guard let receiving else { return false }
        self.receiving = nil
        sink?.finish()
        sink = nil
        receiving(report)
        return true
    }

    /// Whether nothing more is to come: libcurl has ended it, but the body has not been asked for yet.
    var isEnded: Bool { report != nil }
}

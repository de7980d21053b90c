internal import CSegCurl

/// The engine's thread: owns every libcurl object, and none of them ever leaves it.
final class CurlLoop {
    /// How often sinks are ticked, in seconds.
    private static let tickInterval = 0.05

    /// How many idle easy handles are kept for reuse.
    private static let idleHandles = 64

    private let mailbox: Mailbox
    private let table: LaneTable
    private let transport: Transport
    private let handle: MultiHandle
    private var multi: UnsafeMutableRawPointer { handle.pointer }
    private var sockets: SocketPoll { mailbox.sockets }
    private let share: UnsafeMutableRawPointer?
    private let resolve: UnsafeMutablePointer<curl_slist>?
    private var transfers: [TransferID: CurlTransfer] = [:]
    private var byHandle: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// Handles with all that transfers have in common: to set that anew is a sixth of the work for a short answer.
    private var idle: [UnsafeMutableRawPointer] = []
    private let pipelines: PipelineSet
    /// What is to be said to those who wait, once all that it says is so for other threads too.
    private var answers: [() -> Void] = []
    private var nextTick = 0.0
    /// When libcurl wants to be called although no socket is ready; `nil` for never.
    private var timer: Double?

    /// - Parameter maxConnections: How many idle connections are kept alive (CURLMOPT_MAXCONNECTS).
    init(
        multi: MultiHandle, mailbox: Mailbox, table: LaneTable, transport: Transport, maxConnections: Int
    ) {
        self.mailbox = mailbox
        self.table = table
        self.transport = transport
        handle = multi
        pipelines = PipelineSet(multi.pointer, mailbox.sockets, table, transport)
        share = curl_share_init()
        if let share {
            seg_share_set_data(share, CURL_LOCK_DATA_SSL_SESSION)
            // A shared jar turns cookies on for every handle, so only for those who ask for them.
            if transport.cookieFile != nil { seg_share_set_data(share, CURL_LOCK_DATA_COOKIE) }
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for entry in transport.resolve { list = curl_slist_append(list, entry) }
        resolve = list
        seg_multi_set_long(multi.pointer, CURLMOPT_MAXCONNECTS, maxConnections)
        registerCallbacks()
    }

    private func registerCallbacks() {
        // Unmanaged: libcurl calls back only from calls that this object makes itself.
        let context = Unmanaged.passUnretained(self).toOpaque()
        seg_multi_set_socket_callback(
            multi,
            { _, socket, what, context, _ in
                guard let context else { return 0 }
                let loop = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
                loop.sockets.watch(socket, for: SocketPoll.Readiness(curl: what))
                return 0
            }, context)
        seg_multi_set_timer_callback(
            multi,
            { _, milliseconds, context in
                guard let context else { return 0 }
                let loop = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
                loop.timer = milliseconds < 0 ? nil : Monotonic.now() + Double(milliseconds) / 1000
                return 0
            }, context)
    }

    deinit {
        for easy in idle { curl_easy_cleanup(easy) }
        // Closing what is kept alive would call back an object that is half gone.
        seg_multi_set_socket_callback(multi, nil, nil)
        seg_multi_set_timer_callback(multi, nil, nil)
        handle.free()
        if let share { curl_share_cleanup(share) }
        curl_slist_free_all(resolve)
    }

    /// Runs until the mailbox is stopped; then every transfer is ended as cancelled.
    func run() {
        while true {
            if carryOutCommands() { break }
            let due = tick()
            carryOutTimer()
            giveAnswers()
            for event in sockets.wait(atMost: wait(until: due)) where !pipelines.act(on: event.socket) {
                act(on: event.socket, event.ready)
                giveAnswers()
            }
            carryOutTimer()
            collectFinished()
            giveAnswers()
        }
        for transfer in transfers.values { end(transfer) { $0.cancel() } }
        pipelines.cancelAll()
        giveAnswers()
    }

    private func giveAnswers() {
        let given = answers
        answers = []
        for answer in given { answer() }
    }

    /// Lets libcurl do what it can do on a socket.
    private func act(on socket: curl_socket_t, _ ready: SocketPoll.Readiness) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, ready.curl, &running)
    }

    private func carryOutTimer() {
        guard let due = timer, due <= Monotonic.now() else { return }
        timer = nil
        act(on: seg_socket_timeout(), [])
        collectFinished()
    }

    /// - Returns: Whether the engine is to stop.
    private func carryOutCommands() -> Bool {
        let (commands, isStopped) = mailbox.take()
        for command in commands { carryOut(command) }
        return isStopped
    }

    private func carryOut(_ command: EngineCommand) {
        switch command {
        case .open(let place, let request, let continuation):
            // Unowned, here and below: it is called by transfers that this object holds.
            open(place, request) { [unowned self] result in
                answers.append { continuation.resume(with: result) }
            }
        case .ask(let place, let batch, let seconds, let continuation):
            pipelines.begin(place, makeHandle(), batch, seconds: seconds, continuation)
        case .receive(let id, let sink, let continuation):
            guard let transfer = transfers[id] else {
                continuation.resume(returning: TransferReport(wasCancelled: true))
                return
            }
            let wantsMore = transfer.attach(sink) { [unowned self] report in
                answers.append { continuation.resume(returning: report) }
            }
            if transfer.isEnded {
                forget(transfer)
            } else if wantsMore {
                unpause(transfer)
            } else {
                end(transfer) { $0.cut() }
            }
        case .resume(let id):
            if let transfer = transfers[id] { unpause(transfer) }
        case .abandon(let id):
            if let transfer = transfers[id] { end(transfer) { $0.cancel() } }
            pipelines.abandon(id)
        case .settle(let continuation):
            continuation.resume()
        }
    }

    private func open(
        _ place: LaneChoice.Place, _ request: TransferRequest,
        _ opening: @escaping (Result<OpenedResponse, any Error>) -> Void
    ) {
        guard let easy = idle.popLast() ?? makeHandle() else {
            table.end(place, keepsConnection: false)
            opening(.failure(EngineError(kind: .other, message: "out of memory")))
            return
        }
        Transport.setReadBuffer(of: easy, among: transfers.count)
        let transfer = CurlTransfer(place: place, easy: easy, request: request, opening: opening)
        transfers[place.id] = transfer
        byHandle[easy] = transfer
        if curl_multi_add_handle(multi, easy) != CURLM_OK, transfer.finished(CURLE_OUT_OF_MEMORY) {
            forget(transfer)
        }
    }

    private func makeHandle() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        prepare(easy)
        return easy
    }

    private func prepare(_ easy: UnsafeMutableRawPointer) {
        transport.apply(to: easy, share: share)
        if let resolve { seg_set_list(easy, CURLOPT_RESOLVE, resolve) }
    }

    private func unpause(_ transfer: CurlTransfer) {
        let result = transfer.unpause()
        guard result != CURLE_OK else { return }
        curl_multi_remove_handle(multi, transfer.easy)
        if transfer.finished(result) { forget(transfer) }
    }

    private func collectFinished() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            let result = seg_message_result(message)
            guard let transfer = byHandle[easy] else {
                pipelines.connected(easy, result)
                continue
            }
            curl_multi_remove_handle(multi, transfer.easy)
            if transfer.finished(result) { forget(transfer) }
        }
    }

    /// Takes a transfer off libcurl before its end, which closes its connection.
    private func end(_ transfer: CurlTransfer, _ tell: (CurlTransfer) -> Void) {
        if !transfer.isEnded { curl_multi_remove_handle(multi, transfer.easy) }
        tell(transfer)
        forget(transfer)
    }

    private func forget(_ transfer: CurlTransfer) {
        table.end(transfer.place, keepsConnection: transfer.keepsConnection)
        transfers[transfer.place.id] = nil
        byHandle[transfer.easy] = nil
        guard idle.count < Self.idleHandles else {
            curl_easy_cleanup(transfer.easy)
            return
        }
        transfer.letGoOfHandle()
        if transfer.hasCredentials {
            // How a request is authenticated is more than one option.
            curl_easy_reset(transfer.easy)
            prepare(transfer.easy)
        }
        idle.append(transfer.easy)
    }

    /// Does what is due by time.
    ///
    /// - Returns: When something is due again; `nil` if only a command or a socket can bring work.
    private func tick() -> Double? {
        guard !transfers.isEmpty || !pipelines.isEmpty else { return nil }
        let now = Monotonic.now()
        if now >= nextTick {
            nextTick = now + Self.tickInterval
            for transfer in Array(transfers.values) {
                transfer.handOverIfDue(now: now)
                if transfer.sink?.tick() == .enough { end(transfer) { $0.cut() } }
            }
            pipelines.tick(now: now)
        }
        var due = nextTick
        for transfer in transfers.values {
            guard let ready = transfer.waitsForRateUntil else { continue }
            if ready <= now {
                unpause(transfer)
            }
            due = min(due, transfer.waitsForRateUntil ?? due)
        }
        return due
    }

    /// Seconds until the next moment at which something is to be done.
    private func wait(until due: Double?) -> Double? {
        [due, timer].compactMap { $0 }.min().map { $0 - Monotonic.now() }
    }
}

extension SocketPoll.Readiness {
    /// From `CURL_POLL_*`, as the socket callback gets it (CURLMOPT_SOCKETFUNCTION).
    fileprivate init(curl what: Int32) {
        switch what {
        case CURL_POLL_IN: self = .reading
        case CURL_POLL_OUT: self = .writing
        case CURL_POLL_INOUT: self = [.reading, .writing]
        default: self = []
        }
    }

    /// As `CURL_CSELECT_*`, as `curl_multi_socket_action(3)` takes it.
    fileprivate var curl: Int32 {
        (contains(.reading) ? CURL_CSELECT_IN : 0) | (contains(.writing) ? CURL_CSELECT_OUT : 0)
            | (contains(.failed) ? CURL_CSELECT_ERR : 0)
    }
}

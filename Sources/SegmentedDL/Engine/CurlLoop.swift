internal import CSegCurl
import SegmentedDLSupport

/// The event loop of one of the engine's threads. It owns that thread's libcurl objects, which never leave
/// the thread.
final class CurlLoop {
    /// The interval between the ticks of sinks.
    static let tickIntervalSeconds = 0.05

    private let mailbox: Mailbox
    private let table: LaneTable
    private let handle: MultiHandle
    private var multi: UnsafeMutableRawPointer { handle.pointer }
    private var sockets: SocketPoll { mailbox.sockets }
    private let connections = LaneConnections()
    private let handles: HandlePool
    private let transport: Transport
    private var transfers: [TransferID: CurlTransfer] = [:]
    private var byHandle: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// The transfers that have yet to report their connection.
    private var connecting: [CurlTransfer] = []
    private let pipelines: PipelineSet
    private let fetches: FetchPipelines
    private let smallFiles: FastPathConnections
    private let continuations: ContinuationQueue
    private var nextTick = 0.0
    private var load = EngineLoad()
    /// The number of this thread; `nil` before its first request.
    private var number: Int?
    /// The value of the libcurl option; 0 for no limit.
    private var maximumConnections = 0
    /// The maximum number of requests that share a connection.
    private var maximumShare = Int(Int16.max)
    /// The time at which libcurl must be called even if no socket is ready; `nil` for never.
    private var timer: Double?

    /// - Parameter maxConnections: The maximum number of idle connections that are kept alive
    ///   (CURLMOPT_MAXCONNECTS).
    init(
        multi: MultiHandle, mailbox: Mailbox, table: LaneTable, transport: Transport, maxConnections: Int
    ) {
        self.mailbox = mailbox
        self.table = table
        handle = multi
        handles = HandlePool(transport, connections)
        self.transport = transport
        continuations = ContinuationQueue()
        let lane = RawLane(multi.pointer, mailbox.sockets, table)
        pipelines = PipelineSet(lane, transport)
        fetches = FetchPipelines(lane, handles, continuations, userAgent: transport.userAgent)
        smallFiles = FastPathConnections(lane, transport)
        seg_multi_set_long(multi.pointer, CURLMOPT_MAXCONNECTS, maxConnections)
        // The scheduler and the server limit the requests that share a connection, not libcurl (default:
        // 100).
        seg_multi_set_long(multi.pointer, CURLMOPT_MAX_CONCURRENT_STREAMS, maximumShare)
        registerCallbacks()
    }

    private func registerCallbacks() {
        // Unmanaged: libcurl invokes callbacks only during calls made by this object.
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
        handles.cleanUp()
        // libcurl closes idle connections below. Without this, it would invoke a callback of a partly
        // deallocated object.
        seg_multi_set_socket_callback(multi, nil, nil)
        seg_multi_set_timer_callback(multi, nil, nil)
        handle.free()
    }

    /// Runs until the mailbox is stopped, then cancels all transfers.
    func run() {
        while !runCommands() {
            smallFiles.resumeWaiting()
            let due = tick()
            runTimer()
            continuations.resumeAll()
            guard let events = waitForSockets(until: due) else {
                // Sockets can no longer be polled, and retrying would only spin. Exit as if the engine had
                // been shut down. The next iteration runs the commands that were already posted, each of
                // which has a waiting caller.
                mailbox.close()
                continue
            }
            for event in events where !smallFiles.act(on: event.socket) && !pipelines.act(on: event.socket) {
                if !fetches.act(on: event.socket) { act(on: event.socket, event.ready) }
                continuations.resumeAll()
            }
            runTimer()
            connecting.removeAll { $0.reportConnect() }
            collectFinished()
            continuations.resumeAll()
        }
        for transfer in transfers.values { end(transfer, .cancelled) }
        pipelines.cancelAll()
        fetches.cancelAll()
        smallFiles.cancelAll()
        continuations.resumeAll()
    }

    /// Lets libcurl handle a ready socket.
    private func act(on socket: curl_socket_t, _ ready: SocketPoll.Readiness) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, ready.curl, &running)
    }

    private func runTimer() {
        guard let due = timer, due <= Monotonic.now() else { return }
        timer = nil
        act(on: seg_socket_timeout(), [])
        collectFinished()
    }

    // MARK: Commands

    /// - Returns: True if the engine must stop.
    private func runCommands() -> Bool {
        let (commands, isStopped) = mailbox.take()
        for command in commands { run(command) }
        // Before libcurl opens connections for these commands, or in place of those that they have closed.
        if !commands.isEmpty { limitConnections() }
        return isStopped
    }

    private func run(_ command: EngineCommand) {
        switch command {
        case .open(let ticket, let request, let continuation):
            number = ticket.lane
            if let place = request.pipelined {
                fetches.open(ticket, request, place, continuation)
            } else {
                open(ticket, request, continuation)
            }
        case .ask(let ticket, let batch, let seconds, let continuation):
            number = ticket.lane
            pipelines.begin(ticket, handles.make(), batch, seconds: seconds, continuation)
        case .exchange(let ticket, let url, let source, let continuation):
            number = ticket.lane
            smallFiles.begin(ticket, handles.make(), to: url, source, continuation)
        case .receive(let id, let sink, let continuation):
            receive(id, sink, continuation)
        case .resume(let id):
            if let transfer = transfers[id] { unpause(transfer) }
        case .abandon(let id):
            if let transfer = transfers[id] { end(transfer, .cancelled) }
            pipelines.abandon(id)
            fetches.abandon(id)
            smallFiles.abandon(id)
        case .closeIdle(let closing, let continuation):
            closeIdle(closing)
            // The caller's connection must not exceed the limit.
            limitConnections()
            continuation.resume()
        case .drain(let continuation):
            continuation.resume()
        }
    }

    private func closeIdle(_ closing: LaneChoice.Closing) {
        let isClosed = fetches.closeIdle(to: closing.host) || connections.closeIdle(to: closing.host)
        if !isClosed, closing.isAny { _ = connections.closeIdle() || fetches.closeIdle() }
    }

    /// Limits the connections that libcurl opens to those of this thread's requests. If it keeps idle ones to
    /// other hosts, it closes them to make room. It fills each shared connection before it opens another one.
    private func limitConnections() {
        guard let number else { return }
        // Read the number now. The number at the request's start may be too small for requests that started
        // later. 0 would mean no limit.
        let share = table.requestsPerConnection(of: number) ?? Int(Int16.max)
        if share != maximumShare {
            maximumShare = share
            seg_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, share)
        }
        let most = max(1, table.connections(of: number))
        guard most != maximumConnections else { return }
        maximumConnections = most
        seg_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections)
    }

    private func open(
        _ ticket: LaneChoice.Ticket, _ request: TransferRequest, _ opening: @escaping TransferPhase.Opening
    ) {
        guard let easy = handles.take() else {
            table.end(ticket, keepsConnection: false)
            continuations.add(opening, .failure(EngineError(kind: .other, message: "out of memory")))
            return
        }
        Transport.setReadBuffer(of: easy, among: transfers.count)
        let transfer = CurlTransfer(
            ticket, easy: easy, request: request, transport, over: connections, opening: opening,
            continuations)
        transfers[ticket.id] = transfer
        byHandle[easy] = transfer
        if request.onConnect != nil { connecting.append(transfer) }
        if curl_multi_add_handle(multi, easy) != CURLM_OK { finish(transfer, CURLE_OUT_OF_MEMORY) }
    }

    private func receive(
        _ id: TransferID, _ sink: any BodySink, _ continuation: CheckedContinuation<TransferReport, Never>
    ) {
        guard let transfer = transfers[id] else {
            continuation.resume(returning: TransferReport(wasCancelled: true))
            return
        }
        switch transfer.attach(sink, continuation) {
        case .wantsMore: unpause(transfer)
        case .hasEnough: end(transfer, .cut)
        case .ended: forget(transfer)
        }
    }

    // MARK: Transfers

    private func unpause(_ transfer: CurlTransfer) {
        let result = transfer.unpause()
        guard result != CURLE_OK else { return }
        curl_multi_remove_handle(multi, transfer.easy)
        finish(transfer, result)
    }

    private func collectFinished() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            let result = seg_message_result(message)
            guard let transfer = byHandle[easy] else {
                if !smallFiles.connected(easy, result), !fetches.connected(easy, result) {
                    pipelines.connected(easy, result)
                }
                continue
            }
            transfer.keepConnection()
            curl_multi_remove_handle(multi, transfer.easy)
            finish(transfer, result)
        }
    }

    private func finish(_ transfer: CurlTransfer, _ result: CURLcode) {
        if transfer.finished(result) { forget(transfer) }
    }

    /// Removes a transfer from libcurl before its end, which closes its connection.
    private func end(_ transfer: CurlTransfer, _ cause: CurlTransfer.Cause) {
        if !transfer.isEnded {
            transfer.dropHeldBytes()
            curl_multi_remove_handle(multi, transfer.easy)
        }
        transfer.end(cause)
        forget(transfer)
    }

    private func forget(_ transfer: CurlTransfer) {
        let ticket = transfer.ticket
        // If the request ended before its response was recorded, the shared connection would count as idle.
        if ticket.mayShare, let use = transfer.use, use.isShared == true {
            table.answered(ticket, isShared: true, isFirst: use.isFirst)
        }
        table.end(ticket, keepsConnection: transfer.leaveConnection())
        if ticket.mayShare {
            let (host, open) = (ticket.host, connections.count(to: ticket.host))
            connections.closeIdle(to: host, leaving: table.settle(host, on: ticket.lane, open: open))
        }
        transfers[ticket.id] = nil
        byHandle[transfer.easy] = nil
        connecting.removeAll { $0 === transfer }
        handles.giveBack(transfer)
    }

    // MARK: Time

    /// Performs actions that are due.
    ///
    /// - Returns: The next due time; `nil` if only a command or a ready socket can cause further work.
    private func tick() -> Double? {
        guard !transfers.isEmpty || !pipelines.isEmpty || !fetches.isEmpty || !smallFiles.isEmpty else {
            return nil
        }
        let now = Monotonic.now()
        if now >= nextTick {
            nextTick = now + Self.tickIntervalSeconds
            // Other threads may have more connections to a host than when the last command was run.
            limitConnections()
            let (busy, seconds) = load.turn(now: now)
            for transfer in transfers.values { transfer.noteLoad(busy, of: seconds) }
            for transfer in Array(transfers.values) {
                if transfer.isOverdue(now: now) {
                    transfer.dropHeldBytes()
                    curl_multi_remove_handle(multi, transfer.easy)
                    finish(transfer, CURLE_OPERATION_TIMEDOUT)
                } else if transfer.tick(now: now) {
                    end(transfer, .cut)
                }
            }
            pipelines.tick(now: now)
            fetches.tick(now: now)
            smallFiles.tick(now: now)
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

    /// - Parameter due: The next due time; `nil` for none.
    /// - Returns: The result of `SocketPoll.wait`.
    private func waitForSockets(until due: Double?) -> [SocketPoll.Event]? {
        let began = Monotonic.now()
        defer { load.rested(for: Monotonic.now() - began) }
        return sockets.wait(atMost: [due, timer].compactMap { $0 }.min().map { $0 - began })
    }
}

extension SocketPoll.Readiness {
    /// Creates the readiness for `CURL_POLL_*`, as passed to the socket callback (CURLMOPT_SOCKETFUNCTION).
    fileprivate init(curl what: Int32) {
        switch what {
        case CURL_POLL_IN: self = .reading
        case CURL_POLL_OUT: self = .writing
        case CURL_POLL_INOUT: self = [.reading, .writing]
        default: self = []
        }
    }

    /// The `CURL_CSELECT_*` flags for `curl_multi_socket_action(3)`.
    fileprivate var curl: Int32 {
        (contains(.reading) ? CURL_CSELECT_IN : 0) | (contains(.writing) ? CURL_CSELECT_OUT : 0)
            | (contains(.failed) ? CURL_CSELECT_ERR : 0)
    }
}

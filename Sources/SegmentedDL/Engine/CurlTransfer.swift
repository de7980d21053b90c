internal import CSegCurl
import SegmentedDLSupport

/// One active request, with its libcurl handle. Not `Sendable`: it is confined to the engine's thread.
///
/// Its phase changes only in `enter`, which is called by libcurl's callbacks (the first part below) and by
/// the loop (the second part).
final class CurlTransfer {
    /// The maximum number of bytes of a refusal's body that are read, because it may state the reason.
    private static let maximumRefusalBytes = 8 * 1024

    let ticket: LaneChoice.Ticket
    let easy: UnsafeMutableRawPointer
    let needsReset: Bool
    private let limiters: [RateLimiter]
    private let counters: TransferCounters?
    let connectsOnly: Bool
    var onConnect: (@Sendable (Double) -> Void)?
    private let prefetch: Int
    private let prefetchSeconds: Double
    private let continuations: ContinuationQueue
    var connection: TransferConnection
    let setup: RequestSetup

    private(set) var phase: TransferPhase
    private(set) var head = HeadLines()
    private let negotiates: Bool
    /// A refusal to which libcurl may itself respond with another request that uses the server's nonce. If a
    /// body or the end of the transfer follows, libcurl did not.
    private var refusal: ResponseHead?
    /// Detects the end of the body if it ends with its TLS connection.
    private(set) var closeNotice: CloseNotice?
    /// The remaining bytes of the body; `nil` if libcurl counts them.
    private(set) var uncounted: Int64?
    /// The part of the body that was received before a sink was attached.
    private var early: [UInt8] = []
    /// True while libcurl retains bytes that the transfer has refused.
    private(set) var isPaused = false
    /// True if the rest of the body is dropped.
    private var isDropping = false
    /// The connection of the response, as in `OpenedResponse`; `nil` before it.
    private(set) var use: (isShared: Bool?, isFirst: Bool)?
    private(set) var silence: TransferSilence
    /// The minimum speed of a body, in bytes per second, which libcurl enforces. libcurl averages, so an
    /// occasional byte does not count as activity.
    private let lowSpeedLimit: Int
    /// The reason why this program gives up the transfer.
    private(set) var givenUp: EngineError?
    /// The time, on the engine's clock, at which a rate limit lets this transfer resume; `nil` if no limit
    /// delays it.
    private(set) var waitsForRateUntil: Double?

    /// - Parameters:
    ///   - transport: The timeouts for silence, and whether libcurl may itself respond to a refusal.
    ///   - connections: The connections of the thread.
    ///   - opening: The caller that waits for the head.
    ///   - continuations: Receives the callers to resume.
    init(
        _ ticket: LaneChoice.Ticket, easy: UnsafeMutableRawPointer, request: TransferRequest,
        _ transport: Transport, over connections: LaneConnections, opening: @escaping TransferPhase.Opening,
        _ continuations: ContinuationQueue
    ) {
        connection = TransferConnection(for: request, easy: easy, host: ticket.host, over: connections)
        negotiates = transport.negotiates || request.usesDigest
        silence = TransferSilence(request.silence, transport)
        lowSpeedLimit = transport.lowSpeedLimit > 1 ? Int(transport.lowSpeedLimit) : 0
        self.ticket = ticket
        self.easy = easy
        self.continuations = continuations
        phase = .awaitingHead(opening)
        needsReset = request.credentials != nil || request.body != nil || request.connectsOnly
        limiters = request.limiters
        counters = request.counters
        connectsOnly = request.connectsOnly
        onConnect = request.onConnect
        prefetch = request.prefetch
        prefetchSeconds = request.prefetchSeconds
        setup = RequestSetup(request, on: easy)
        counters?.began()
        registerCallbacks()
    }

    deinit {
        setup.free()
    }

    /// Detaches the transfer from its handle, which another transfer will use. libcurl must no longer access
    /// this transfer's memory through it.
    func detachHandle() {
        for option in [CURLOPT_ERRORBUFFER, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA] {
            seg_set_pointer(easy, option, nil)
        }
        seg_set_list(easy, CURLOPT_HTTPHEADER, nil)
    }

    /// True when libcurl no longer processes the transfer; the caller may not have requested the body yet.
    var isEnded: Bool { phase.isEnded }

    private func enter(_ next: TransferPhase) {
        assert(phase.mayBecome(next), "A transfer cannot go from \(phase) to \(next).")
        if next.isEnded, !phase.isEnded {
            count()
        }
        phase = next
    }

    private func count() {
        var connections = 0
        var bytes = curl_off_t(0)
        seg_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
        seg_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes)
        counters?.ended(connections: connections, bytes: Int64(bytes))
    }

    // MARK: From libcurl

    func received(headerLine bytes: UnsafeRawBufferPointer) -> Int {
        silence.hasHeard = true
        // After the head only trailers can follow, and no request asks for them.
        guard case .awaitingHead(let opening) = phase else { return bytes.count }
        switch head.append(bytes) {
        case .incomplete:
            return bytes.count
        case .begun:
            refusal = nil
            return bytes.count
        case .refused:
            return 0
        case .complete(let head):
            seg_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, lowSpeedLimit)
            if negotiates, head.status == 401 || head.status == 407 {
                refusal = head
                return bytes.count
            }
            connection.isShared = head.isHTTP2
            connection.closeUnlessShared(head)
            if head.isEndedByClose { closeNotice = CloseNotice(easy) }
            uncounted = head.uncountedLength
            awaitBody(of: head, for: opening)
            return uncounted == 0 ? 0 : bytes.count
        }
    }

    /// Delivers a head, or holds it back if its body may follow at once.
    private func awaitBody(of head: ResponseHead, for opening: @escaping TransferPhase.Opening) {
        guard bodyMayComeAlong(head) else { return deliver(head, to: opening) }
        let seconds = head.refusalSeconds ?? prefetchSeconds
        enter(.prefetching(opening, head, deadline: Monotonic.now() + seconds))
    }

    /// The maximum size of a body, in bytes, that is delivered with a head.
    private func room(for head: ResponseHead) -> Int {
        head.refusalSeconds == nil ? prefetch : max(prefetch, Self.maximumRefusalBytes)
    }

    private func bodyMayComeAlong(_ head: ResponseHead) -> Bool {
        // The response has no body, whatever length it states, or the body explains why the file is missing.
        if head.status == 304 || head.refusalSeconds != nil { return true }
        guard prefetch > 0, !limiters.contains(where: { $0.isLimited }) else { return false }
        guard let length = head["content-length"].flatMap({ Int($0) }) else {
            return true
        }
        return length <= prefetch
    }

    /// - Parameter further: Bytes of the body that have not been accepted yet.
    private func opened(
        _ head: ResponseHead, body: [UInt8]?, further: UnsafeRawBufferPointer? = nil
    ) -> OpenedResponse {
        var connections = 0
        seg_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
        let isShared = head.isHTTP2 ? true : connections > 0 ? false : nil
        use = (isShared, connections > 0)
        var opened = OpenedResponse(head: head, isShared: isShared, isFirst: connections > 0, body: body)
        opened.distance = ServerDistance(
            easy, isNew: connections > 0, measured: connection.roundTrip)
        if head.refusalSeconds != nil {
            let further = further.map { $0.prefix(Self.maximumRefusalBytes) }
            opened.refusalText = Array(
                (early + (further.map(Array.init) ?? [])).prefix(Self.maximumRefusalBytes))
        }
        return opened
    }

    private func deliver(
        _ head: ResponseHead, to opening: @escaping TransferPhase.Opening,
        further: UnsafeRawBufferPointer? = nil
    ) {
        continuations.add(opening, .success(opened(head, body: nil, further: further)))
        enter(.headDelivered)
    }

    /// Processes a refusal to which libcurl has not responded.
    private func deliverRefusal() {
        guard let refusal, case .awaitingHead(let opening) = phase else { return }
        self.refusal = nil
        awaitBody(of: refusal, for: opening)
    }

    func received(body bytes: UnsafeRawBufferPointer) -> Int {
        if isDropping { return bytes.count }
        silence.hasHeard = true
        deliverRefusal()
        guard let rest = uncounted else { return take(bytes) }
        let wanted = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: rest)))
        let count = take(wanted)
        guard count == wanted.count else { return count }
        uncounted = rest - Int64(count)
        // Returning fewer bytes ends the transfer.
        return uncounted == 0 ? 0 : count
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch phase {
        case .receiving(let receiver):
            return give(bytes, to: receiver)
        case .prefetching(_, let head, _) where early.count + bytes.count <= room(for: head):
            early.append(contentsOf: bytes)
            return bytes.count
        case .prefetching(let opening, let head, _):
            deliver(head, to: opening, further: bytes)
            return pause()
        case .awaitingHead, .headDelivered, .satisfied, .endedUnclaimed, .ended:
            return pause()
        }
    }

    private func give(_ bytes: UnsafeRawBufferPointer, to receiver: TransferPhase.Receiver) -> Int {
        let isLimited = limiters.contains { $0.isLimited }
        if isLimited {
            let now = Monotonic.now()
            if let ready = limiters.waits(ticket.id, now: now) {
                waitsForRateUntil = ready
                return pause()
            }
        }
        switch receiver.sink.receive(bytes) {
        case .more:
            silence.noteProgress(bytes.count)
            connection.limitWindow(to: receiver.sink.rest, after: bytes.count)
            if isLimited {
                limiters.spend(bytes.count, by: ticket.id, now: Monotonic.now())
            }
            return bytes.count
        case .hold:
            return pause()
        case .enough:
            enter(.satisfied(receiver))
            return 0
        }
    }

    private func pause() -> Int {
        isPaused = true
        return seg_write_pause()
    }

    // MARK: From the loop

    /// Passes the body to a sink, beginning with the part that has already been received.
    func attach(
        _ sink: any BodySink, _ continuation: CheckedContinuation<TransferReport, Never>
    ) -> Attachment {
        let receiver = TransferPhase.Receiver(sink: sink, continuation: continuation)
        switch phase {
        case .headDelivered:
            enter(.receiving(receiver))
            connection.limitBuffer(toReceive: limiters.share(now: Monotonic.now()))
            return giveEarly(to: sink) ? .wantsMore : .hasEnough
        case .endedUnclaimed(let report):
            _ = giveEarly(to: sink)
            finish(receiver, report)
            return .ended
        case .awaitingHead, .prefetching, .receiving, .satisfied, .ended:
            assertionFailure("The body was asked for before the head, or a second time.")
            continuations.add(continuation, TransferReport(wasCancelled: true))
            return .wantsMore
        }
    }

    /// - Returns: False if the sink accepts no more bytes.
    private func giveEarly(to sink: any BodySink) -> Bool {
        guard !early.isEmpty else { return true }
        let bytes = early
        early = []
        limiters.spend(bytes.count, by: ticket.id, now: Monotonic.now())
        return bytes.withUnsafeBytes { sink.receive($0) } != .enough
    }

    private func finish(_ receiver: TransferPhase.Receiver, _ report: TransferReport) {
        enter(.ended)
        receiver.sink.finish()
        continuations.add(receiver.continuation, report)
    }

    /// Returns true if the server's silence exceeds its timeout; libcurl must then abort the transfer.
    func isOverdue(now: Double) -> Bool {
        guard let timeout = silence.timeout(awaited: awaited, now: now) else { return false }
        givenUp = timeout
        return true
    }

    /// Performs actions that are due: delivers a head that was held back for the maximum time, or ticks the
    /// sink.
    ///
    /// - Returns: True if the sink accepts no more bytes.
    func tick(now: Double) -> Bool {
        listen(now: now)
        defer { silence.hasHeard = false }
        switch phase {
        case .prefetching(let opening, let head, let deadline):
            if deadline <= now { deliver(head, to: opening) }
            return false
        case .receiving(let receiver):
            if !silence.hasHeard { connection.holdWindow() }
            connection.limitBuffer(toReceive: limiters.share(now: now))
            let rest = receiver.sink.rest
            let answer = receiver.sink.tick()
            // A sink that has waited may continue past its end.
            if receiver.sink.rest != rest { connection.limitWindow(to: receiver.sink.rest, after: 0) }
            return answer == .enough
        case .awaitingHead, .headDelivered, .satisfied, .endedUnclaimed, .ended:
            return false
        }
    }

    /// Records the load of the transfer's thread, and the segments received over its connection.
    func noteLoad(_ busy: Double, of seconds: Double) {
        guard case .receiving = phase, let counters else { return }
        counters.engineWorked(for: busy, of: seconds)
        if let new = connection.newArrivals() { counters.arrived(new) }
    }

    /// Offers retained bytes to the sink again.
    ///
    /// - Returns: Not `CURLE_OK` if they ended the transfer. libcurl reports this only to the caller of
    ///   `curl_easy_pause`, and would otherwise keep waiting for more bytes.
    func unpause() -> CURLcode {
        guard isPaused, case .receiving = phase else { return CURLE_OK }
        isPaused = false
        waitsForRateUntil = nil
        return curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Makes libcurl drop the bytes that it holds back, before it is told to end the transfer: if other
    /// requests use the connection, it would deliver them to the next transfer of the handle (libcurl 7.88,
    /// `multi_done`).
    func dropHeldBytes() {
        guard isPaused, connection.isShared else { return }
        isDropping = true
        if curl_easy_pause(easy, CURLPAUSE_CONT) == CURLE_OK { isPaused = false }
    }

    /// The same as `TransferConnection.leave`.
    func leaveConnection() -> Bool { connection.leave() }

    /// Processes the result with which libcurl has ended the transfer.
    ///
    /// - Returns: True if the transfer has ended for its caller too; false if the caller has yet to request
    ///   the body.
    func finished(_ result: CURLcode) -> Bool {
        silence.listener?.watch.ended()
        deliverRefusal()
        let error = error(of: result)
        switch phase {
        case .awaitingHead(let opening):
            enter(.ended)
            let missing = EngineError(kind: .badResponse, message: "the server sent no response")
            continuations.add(opening, .failure(error ?? missing))
        case .prefetching(let opening, let head, _):
            enter(error == nil ? .ended : .endedUnclaimed(TransferReport(error: error)))
            let body = error == nil ? early : nil
            continuations.add(opening, .success(opened(head, body: body)))
        case .headDelivered:
            enter(.endedUnclaimed(TransferReport(error: error)))
        case .receiving(let receiver):
            finish(receiver, TransferReport(error: error))
        case .satisfied(let receiver):
            // The result only means that a callback accepted no more bytes.
            finish(receiver, TransferReport(wasCut: true))
        case .endedUnclaimed, .ended:
            assertionFailure("libcurl ended a transfer twice.")
        }
        if case .ended = phase { return true }
        return false
    }

    /// Ends the transfer for its caller. libcurl must no longer process it.
    func end(_ cause: Cause) {
        // After a cut, another request continues to wait for the same bytes.
        if cause == .cancelled { silence.listener?.watch.ended() }
        switch phase {
        case .awaitingHead(let opening), .prefetching(let opening, _, _):
            enter(.ended)
            continuations.add(opening, .failure(CancellationError()))
        case .receiving(let receiver), .satisfied(let receiver):
            finish(receiver, TransferReport(wasCut: cause == .cut, wasCancelled: cause == .cancelled))
        case .headDelivered, .endedUnclaimed:
            enter(.ended)
        case .ended:
            break
        }
    }
}

internal import CSegCurl
import SegmentedDLSupport

/// One request under way, with its libcurl handle. Not `Sendable`: it lives on the engine's thread.
///
/// Its phase changes in `enter` alone: by libcurl's callbacks (the first part below), and by the loop (the
/// second part).
final class CurlTransfer {
    /// The part of a refusal's body, in bytes, that is read for its reason.
    private static let maximumRefusalBytes = 8 * 1024

    let ticket: LaneChoice.Ticket
    let easy: UnsafeMutableRawPointer
    let needsReset: Bool
    private let limiters: [RateLimiter]
    private let counters: TransferCounters?
    private let prefetch: Int
    private let prefetchSeconds: Double
    private let continuations: ContinuationQueue
    private(set) var connection: TransferConnection
    let setup: RequestSetup

    private(set) var phase: TransferPhase
    /// The newest head, while its lines come in.
    private var head: ResponseHead?
    private(set) var headBytes = 0
    private let negotiates: Bool
    /// A refusal that libcurl may answer by itself, with another request that has the server's nonce. Its
    /// body, or the end, shows that it has not.
    private var refusal: ResponseHead?
    /// The proof of the body's end, if only the end of its TLS connection ends it.
    private(set) var closeNotice: CloseNotice?
    /// The bytes of the body that are still to come; `nil` where libcurl counts them.
    private(set) var uncounted: Int64?
    /// The part of the body that came before there was a sink.
    private var early: [UInt8] = []
    /// True while libcurl holds bytes back that the transfer has refused.
    private(set) var isPaused = false
    let silence: TransferRequest.SilenceListener?
    /// True if bytes have come since the last tick.
    private var hasHeard = false
    private let patience: SilenceWatch.Patience
    private var clock: SilenceWatch.Clock
    /// The least speed of a body, in bytes per second, that libcurl watches over: it averages, so that a byte
    /// now and then is none for it.
    private let lowSpeedLimit: Int
    /// The reason for which this program gives the transfer up.
    private(set) var givenUp: EngineError?
    /// The moment on the engine's clock at which a rate limit lets this transfer resume; `nil` if none holds
    /// it up.
    private(set) var waitsForRateUntil: Double?

    /// - Parameters:
    ///   - transport: The limits of silence, and whether libcurl may answer a refusal by itself.
    ///   - connections: The connections of its thread.
    ///   - opening: The caller that waits for the head.
    ///   - continuations: Takes the callers to resume.
    init(
        _ ticket: LaneChoice.Ticket, easy: UnsafeMutableRawPointer, request: TransferRequest,
        _ transport: Transport, over connections: LaneConnections, opening: TransferPhase.Opening,
        _ continuations: ContinuationQueue
    ) {
        connection = TransferConnection(for: request, easy: easy, host: ticket.host, over: connections)
        negotiates = transport.negotiates
        patience = transport.patience
        clock = SilenceWatch.Clock(transport.patience)
        lowSpeedLimit = transport.lowSpeedLimit > 1 ? Int(transport.lowSpeedLimit) : 0
        self.ticket = ticket
        self.easy = easy
        self.continuations = continuations
        phase = .awaitingHead(opening)
        needsReset = request.credentials != nil || request.body != nil
        limiters = request.limiters
        counters = request.counters
        silence = request.silence
        prefetch = request.prefetch
        prefetchSeconds = request.prefetchSeconds
        setup = RequestSetup(request, on: easy)
        counters?.began()
        registerCallbacks()
    }

    deinit {
        setup.free()
    }

    /// Returns true if libcurl may send the request over the connection that it has chosen.
    func maySend(from localPort: Int) -> Bool { connection.maySend(from: localPort) }

    /// Detaches the transfer from its handle, which another transfer uses next: libcurl must not touch
    /// through it any more what this transfer owns.
    func detachHandle() {
        for option in [CURLOPT_ERRORBUFFER, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA] {
            seg_set_pointer(easy, option, nil)
        }
        seg_set_list(easy, CURLOPT_HTTPHEADER, nil)
    }

    /// True when libcurl no longer works on the transfer; the caller may still have to ask for the body.
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
        hasHeard = true
        // After the head come only trailers, which no request asks for.
        guard case .awaitingHead(let opening) = phase else { return bytes.count }
        headBytes += bytes.count
        guard headBytes <= EngineError.longestHeadBytes else { return 0 }
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x0a || bytes[end - 1] == 0x0d { end -= 1 }
        let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        if let started = ResponseHead(statusLine: line) {
            (head, refusal) = (started, nil)
        } else if !line.isEmpty {
            head?.append(line: line)
        } else if let head, head.status >= 200 {
            self.head = nil
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
            if uncounted == 0 { return 0 }
        } else if head == nil {
            // Without a status line it would never be complete.
            return 0
        }
        return bytes.count
    }

    /// Holds a head back for a body that may come along, or delivers it.
    private func awaitBody(of head: ResponseHead, for opening: TransferPhase.Opening) {
        guard bodyMayComeAlong(head) else { return deliver(head, to: opening) }
        let seconds = head.refusalSeconds ?? prefetchSeconds
        enter(.prefetching(opening, head, deadline: Monotonic.now() + seconds))
    }

    /// The longest body, in bytes, that is delivered along with a head.
    private func room(for head: ResponseHead) -> Int {
        head.refusalSeconds == nil ? prefetch : max(prefetch, Self.maximumRefusalBytes)
    }

    private func bodyMayComeAlong(_ head: ResponseHead) -> Bool {
        // It has no body, whatever length it states; or it tells why there is no file.
        if head.status == 304 || head.refusalSeconds != nil { return true }
        guard prefetch > 0, !limiters.contains(where: { $0.isLimited }) else { return false }
        guard let length = head["content-length"].flatMap({ Int($0) }) else {
            return true
        }
        return length <= prefetch
    }

    /// - Parameter further: Bytes of the body that are not taken yet.
    private func opened(
        _ head: ResponseHead, body: [UInt8]?, further: UnsafeRawBufferPointer? = nil
    ) -> OpenedResponse {
        var connections = 0
        seg_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
        let isShared = head.isHTTP2 ? true : connections > 0 ? false : nil
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
        _ head: ResponseHead, to opening: TransferPhase.Opening, further: UnsafeRawBufferPointer? = nil
    ) {
        continuations.add(opening, .success(opened(head, body: nil, further: further)))
        enter(.headDelivered)
    }

    /// Goes on with a refusal that libcurl has not answered.
    private func deliverRefusal() {
        guard let refusal, case .awaitingHead(let opening) = phase else { return }
        self.refusal = nil
        awaitBody(of: refusal, for: opening)
    }

    func received(body bytes: UnsafeRawBufferPointer) -> Int {
        hasHeard = true
        deliverRefusal()
        guard let rest = uncounted else { return take(bytes) }
        let wanted = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: rest)))
        let count = take(wanted)
        guard count == wanted.count else { return count }
        uncounted = rest - Int64(count)
        // Less than it got ends the transfer.
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

    /// Gives the body to a sink, first the part of it that has come already.
    func attach(
        _ sink: any BodySink, _ continuation: CheckedContinuation<TransferReport, Never>
    ) -> Attachment {
        let receiver = TransferPhase.Receiver(sink: sink, continuation: continuation)
        switch phase {
        case .headDelivered:
            enter(.receiving(receiver))
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

    /// - Returns: False if the sink wants no more.
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

    /// Returns true if the server has been silent for too long; libcurl has then to give the transfer up.
    func isOverdue(now: Double) -> Bool {
        let awaited = awaited
        guard clock.isOver(awaited: awaited, hasHeard: hasHeard, now: now), let awaited,
            let seconds = patience.seconds(for: awaited)
        else { return false }
        let what = awaited == .answer ? "no answer" : "no byte"
        givenUp = EngineError(kind: .timeout, message: "\(what) for \(TransferEvent.seconds(seconds))")
        givenUp?.option = patience.option(for: awaited)
        return true
    }

    /// Does what is due by time: delivers a head that has waited for its body for long enough, or ticks the
    /// sink.
    ///
    /// - Returns: True if the sink wants no more.
    func tick(now: Double) -> Bool {
        listen(hasHeard: hasHeard, now: now)
        defer { hasHeard = false }
        switch phase {
        case .prefetching(let opening, let head, let deadline):
            if deadline <= now { deliver(head, to: opening) }
            return false
        case .receiving(let receiver):
            if !hasHeard { connection.holdWindow() }
            return receiver.sink.tick() == .enough
        case .awaitingHead, .headDelivered, .satisfied, .endedUnclaimed, .ended:
            return false
        }
    }

    /// Notes how busy its thread was, and what came over its connection.
    func noteLoad(_ busy: Double, of seconds: Double) {
        guard case .receiving = phase, let counters else { return }
        counters.engineWorked(for: busy, of: seconds)
        if let new = connection.newArrivals() { counters.arrived(new) }
    }

    /// Offers held bytes again.
    ///
    /// - Returns: Not `CURLE_OK` if they ended the transfer: libcurl reports that only to the caller of
    ///   `curl_easy_pause`, and would keep waiting for more bytes by itself.
    func unpause() -> CURLcode {
        guard isPaused, case .receiving = phase else { return CURLE_OK }
        isPaused = false
        waitsForRateUntil = nil
        return curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// As `TransferConnection.leave`.
    func leaveConnection() -> Bool { connection.leave() }

    /// Takes the result with which libcurl has ended the transfer.
    ///
    /// - Returns: True if the transfer is over for its caller too; if not, the caller has still to ask for
    ///   the body.
    func finished(_ result: CURLcode) -> Bool {
        silence?.watch.ended()
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
            // The result only says that a callback took no more.
            finish(receiver, TransferReport(wasCut: true))
        case .endedUnclaimed, .ended:
            assertionFailure("libcurl ended a transfer twice.")
        }
        if case .ended = phase { return true }
        return false
    }

    /// Ends the transfer for its caller. libcurl must not work on it any more.
    func end(_ cause: Cause) {
        // After a cut another request goes on waiting for the same bytes.
        if cause == .cancelled { silence?.watch.ended() }
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

internal import CSegCurl
import SegmentedDLSupport

/// The pipelines for small files of one engine thread, one per host. Not `Sendable`: it is confined to that
/// thread.
final class FetchPipelines {
    /// A server that is silent for longer may not respond to pipelined requests.
    private static let patienceSeconds = 3.0
    /// The timeout after which a connection without requests is closed.
    private static let idleSeconds = 0.1

    private final class Host {
        let url: String
        var pipeline = FetchPipeline()
        var connection: RawConnection?
        /// True if the connection has received no response yet.
        var isNew = false
        /// The time of the last response.
        var usedAt = 0.0

        init(url: String) {
            self.url = url
        }
    }

    private struct Waiter {
        let ticket: LaneChoice.Ticket
        let counters: TransferCounters?
        let opening: TransferPhase.Opening
    }

    private let lane: RawLane
    private let handles: HandlePool
    private let userAgent: String
    private let continuations: ContinuationQueue
    private var hosts: [String: Host] = [:]
    private var waiters: [TransferID: Waiter] = [:]
    /// The hosts with a connection, by its handle and by its socket.
    private var byHandle: [UnsafeMutableRawPointer: Host] = [:]
    private var bySocket: [curl_socket_t: Host] = [:]

    init(
        _ lane: RawLane, _ handles: HandlePool, _ continuations: ContinuationQueue, userAgent: String
    ) {
        self.lane = lane
        self.handles = handles
        self.continuations = continuations
        self.userAgent = userAgent
    }

    /// True if no timer is needed.
    var isEmpty: Bool { byHandle.isEmpty }

    /// Sends a request as soon as its host accepts it.
    func open(
        _ ticket: LaneChoice.Ticket, _ request: TransferRequest, _ place: PipelinedPlace,
        _ opening: @escaping TransferPhase.Opening
    ) {
        waiters[ticket.id] = Waiter(ticket: ticket, counters: request.counters, opening: opening)
        request.counters?.began()
        let host = hosts[ticket.host] ?? Host(url: place.hostURL)
        hosts[ticket.host] = host
        guard !host.pipeline.isBroken else { return end(ticket.id, .unanswered, of: host) }
        host.pipeline.add(ticket.id, place.request(for: request, userAgent: userAgent))
        if host.connection == nil { connect(host) } else { send(host) }
    }

    /// Cancels the request with this number, if it exists.
    func abandon(_ id: TransferID) {
        guard let waiter = waiters[id] else { return }
        hosts[waiter.ticket.host]?.pipeline.remove(id)
        end(waiter, .failure(CancellationError()), connections: 0, bytes: 0)
    }

    func cancelAll() {
        for id in Array(waiters.keys) { abandon(id) }
        for host in Array(byHandle.values) { close(host) }
    }

    // MARK: The connection of a host

    private func connect(_ host: Host) {
        host.pipeline.connect()
        guard let easy = handles.make() else { return disconnected(host) }
        host.connection = RawConnection(easy, to: host.url)
        host.isNew = true
        byHandle[easy] = host
        if curl_multi_add_handle(lane.multi, easy) != CURLM_OK { disconnected(host) }
    }

    /// Starts sending once libcurl has connected, or handles the failure.
    ///
    /// - Returns: False if the handle does not belong to a pipeline.
    func connected(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) -> Bool {
        guard let host = byHandle[easy], let connection = host.connection else { return false }
        if connection.connected(result), let socket = connection.socket {
            bySocket[socket] = host
            host.usedAt = Monotonic.now()
            send(host)
        } else {
            disconnected(host)
        }
        return true
    }

    /// Sends and receives on a ready socket.
    ///
    /// - Returns: False if the socket does not belong to a pipeline.
    func act(on socket: curl_socket_t) -> Bool {
        guard let host = bySocket[socket], let connection = host.connection else { return false }
        let isOpen = connection.receive(lane.buffer) { bytes in
            let deliveries = host.pipeline.receive(bytes)
            for delivery in deliveries { end(delivery.id, delivery.outcome, of: host) }
            return !host.pipeline.isBroken && !host.pipeline.isEnding
        }
        host.usedAt = Monotonic.now()
        if isOpen, !host.pipeline.isBroken, !host.pipeline.isEnding {
            send(host)
        } else {
            disconnected(host)
        }
        return true
    }

    private func send(_ host: Host) {
        guard let connection = host.connection, connection.socket != nil else { return }
        if host.pipeline.isIdle { connection.expectsAnswer() }
        guard connection.send({ host.pipeline.bytesToSend() }) else { return disconnected(host) }
        connection.watch(lane.sockets)
    }

    /// Closes the connection, and opens another one if requests remain that may be pipelined.
    private func disconnected(_ host: Host) {
        for delivery in host.pipeline.disconnected() { end(delivery.id, delivery.outcome, of: host) }
        close(host)
        if host.pipeline.isNeeded { connect(host) }
    }

    private func close(_ host: Host) {
        guard let connection = host.connection else { return }
        host.connection = nil
        byHandle[connection.easy] = nil
        if let socket = connection.socket { bySocket[socket] = nil }
        connection.close(lane)
    }

    /// Closes the connection to a host unless a response over it is awaited.
    ///
    /// - Returns: False if it is not idle, or does not exist.
    func closeIdle(to name: String) -> Bool {
        guard let host = hosts[name], host.connection != nil, !host.pipeline.isNeeded else { return false }
        close(host)
        return true
    }

    /// Closes one idle connection, if any.
    func closeIdle() -> Bool { hosts.keys.contains { closeIdle(to: $0) } }

    /// Closes idle connections, and those whose server has been silent for too long.
    func tick(now: Double) {
        for host in Array(byHandle.values) {
            guard let connection = host.connection, connection.socket != nil else { continue }
            if !host.pipeline.hasRequests {
                if now - host.usedAt > Self.idleSeconds { close(host) }
            } else if now - connection.heardAt > Self.patienceSeconds {
                disconnected(host)
            }
        }
    }

    // MARK: The end of a request

    private func end(_ id: TransferID, _ outcome: FetchPipeline.Outcome, of host: Host) {
        guard let waiter = waiters[id] else { return }
        switch outcome {
        case .answered(let head, let body):
            let connections = host.isNew ? 1 : 0
            host.isNew = false
            end(
                waiter,
                .success(
                    OpenedResponse(head: head, isShared: true, isFirst: connections > 0, body: body)),
                connections: connections, bytes: body.count)
        case .unanswered:
            let error = NotPipelined(isLasting: host.pipeline.isBroken)
            end(waiter, .failure(error), connections: 0, bytes: 0)
        }
    }

    private func end(
        _ waiter: Waiter, _ result: Result<OpenedResponse, any Error>, connections: Int, bytes: Int
    ) {
        waiters[waiter.ticket.id] = nil
        waiter.counters?.ended(connections: connections, bytes: Int64(bytes))
        lane.table.end(waiter.ticket, keepsConnection: hosts[waiter.ticket.host]?.connection != nil)
        continuations.add(waiter.opening, result)
    }
}

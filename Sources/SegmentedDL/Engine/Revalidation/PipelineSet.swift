internal import CSegCurl

/// The pipelines of one engine thread. Not `Sendable`: it is confined to that thread.
final class PipelineSet {
    private let lane: RawLane
    private let transport: Transport
    private var byTicket: [TransferID: PipelineConnection] = [:]
    private var byHandle: [UnsafeMutableRawPointer: PipelineConnection] = [:]
    private var bySocket: [curl_socket_t: PipelineConnection] = [:]

    init(_ lane: RawLane, _ transport: Transport) {
        self.lane = lane
        self.transport = transport
    }

    var isEmpty: Bool { byTicket.isEmpty }

    /// - Parameters:
    ///   - easy: A handle that is set up as for any request; `nil` if out of memory. The set frees it at the
    ///     end.
    ///   - seconds: The duration after which no more requests are sent.
    func begin(
        _ ticket: LaneChoice.Ticket, _ easy: UnsafeMutableRawPointer?, _ batch: ConditionalRequests,
        seconds: Double,
        _ continuation: CheckedContinuation<ConditionalAnswers, any Error>
    ) {
        guard let easy else {
            lane.table.end(ticket, keepsConnection: false)
            continuation.resume(
                returning: ConditionalAnswers(answers: batch.requests.map { _ in .none }, wasUseless: true))
            return
        }
        let connection = PipelineConnection(ticket, easy, batch, seconds: seconds, transport, continuation)
        byTicket[ticket.id] = connection
        byHandle[easy] = connection
        if curl_multi_add_handle(lane.multi, easy) != CURLM_OK {
            connection.connected(CURLE_OUT_OF_MEMORY)
            update(connection)
        }
    }

    /// Starts a pipeline once libcurl has connected it, or fails it.
    func connected(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
        guard let connection = byHandle[easy] else { return }
        connection.connected(result)
        if let socket = connection.raw.socket { bySocket[socket] = connection }
        update(connection)
    }

    /// Sends and receives on a ready socket.
    ///
    /// - Returns: False if the socket does not belong to a pipeline.
    func act(on socket: curl_socket_t) -> Bool {
        guard let connection = bySocket[socket] else { return false }
        connection.exchange(lane.buffer)
        update(connection)
        return true
    }

    func tick(now: Double) {
        for connection in Array(byTicket.values) {
            connection.tick(now: now)
            if connection.isOver { end(connection) }
        }
    }

    /// Ends the pipeline with this number, if it exists.
    func abandon(_ id: TransferID) {
        if let connection = byTicket[id] { end(connection, isCancelled: true) }
    }

    func cancelAll() {
        for connection in Array(byTicket.values) { end(connection, isCancelled: true) }
    }

    private func update(_ connection: PipelineConnection) {
        if connection.isOver { end(connection) } else { connection.raw.watch(lane.sockets) }
    }

    private func end(_ connection: PipelineConnection, isCancelled: Bool = false) {
        if let socket = connection.raw.socket { bySocket[socket] = nil }
        byTicket[connection.ticket.id] = nil
        byHandle[connection.raw.easy] = nil
        connection.raw.close(lane)
        lane.table.end(connection.ticket, keepsConnection: false)
        connection.finish(isCancelled: isCancelled)
    }
}

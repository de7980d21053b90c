internal import CSegCurl

/// The pipelines of one of the engine's threads. Not `Sendable`: it lives on that thread.
final class PipelineSet {
    /// As many bytes are read at a time: the heads of some three hundred answers.
    private static let bufferSize = 64 * 1024

    private let multi: UnsafeMutableRawPointer
    private let sockets: SocketPoll
    private let table: LaneTable
    private let transport: Transport
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    private var byPlace: [TransferID: PipelineConnection] = [:]
    private var byHandle: [UnsafeMutableRawPointer: PipelineConnection] = [:]
    private var bySocket: [curl_socket_t: PipelineConnection] = [:]

    init(_ multi: UnsafeMutableRawPointer, _ sockets: SocketPoll, _ table: LaneTable, _ transport: Transport)
    {
        self.multi = multi
        self.sockets = sockets
        self.table = table
        self.transport = transport
    }

    deinit {
        buffer.deallocate()
    }

    var isEmpty: Bool { byPlace.isEmpty }

    /// - Parameters:
    ///   - easy: A handle that is set up as for any request; `nil` if there is none. It is cleaned up at the end.
    ///   - seconds: After so many no more is sent.
    func begin(
        _ place: LaneChoice.Place, _ easy: UnsafeMutableRawPointer?, _ batch: ConditionalRequests,
        seconds: Double,
        _ continuation: CheckedContinuation<ConditionalAnswers, any Error>
    ) {
        guard let easy else {
            table.end(place, keepsConnection: false)
            continuation.resume(
                returning: ConditionalAnswers(answers: batch.requests.map { _ in .none }, isInVain: true))
            return
        }
        let connection = PipelineConnection(place, easy, batch, seconds: seconds, transport, continuation)
        byPlace[place.id] = connection
        byHandle[easy] = connection
        if curl_multi_add_handle(multi, easy) != CURLM_OK {
            connection.connected(CURLE_OUT_OF_MEMORY)
            goOn(connection)
        }
    }

    /// libcurl is done with connecting a pipeline, or cannot.
    func connected(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
        guard let connection = byHandle[easy] else { return }
        connection.connected(result)
        if let socket = connection.socket { bySocket[socket] = connection }
        goOn(connection)
    }

    /// Something can be done on a socket.
    ///
    /// - Returns: Whether it is a pipeline's.
    func act(on socket: curl_socket_t) -> Bool {
        guard let connection = bySocket[socket] else { return false }
        connection.exchange(buffer)
        goOn(connection)
        return true
    }

    func tick(now: Double) {
        for connection in Array(byPlace.values) {
            connection.tick(now: now)
            if connection.isOver { end(connection) }
        }
    }

    /// Ends a pipeline, if there is such a one.
    func abandon(_ id: TransferID) {
        if let connection = byPlace[id] { end(connection, isCancelled: true) }
    }

    func cancelAll() {
        for connection in Array(byPlace.values) { end(connection, isCancelled: true) }
    }

    private func goOn(_ connection: PipelineConnection) {
        if connection.isOver {
            end(connection)
        } else if let socket = connection.socket, connection.watched != connection.interest {
            connection.watched = connection.interest
            sockets.watch(socket, for: connection.interest)
        }
    }

    private func end(_ connection: PipelineConnection, isCancelled: Bool = false) {
        if let socket = connection.socket {
            sockets.watch(socket, for: [])
            bySocket[socket] = nil
        }
        byPlace[connection.place.id] = nil
        byHandle[connection.easy] = nil
        // This closes the connection.
        curl_multi_remove_handle(multi, connection.easy)
        curl_easy_cleanup(connection.easy)
        table.end(connection.place, keepsConnection: false)
        connection.finish(isCancelled: isCancelled)
    }
}

internal import CSegCurl
import SegmentedDLSupport

/// The connections for small files of one engine thread. Not `Sendable`: it lives on that thread.
///
/// libcurl opens them, and this program writes the requests and reads the answers itself: a handle for each
/// request is most of what a small file costs.
final class FastPathConnections {
    private static let bufferBytes = 64 * 1024
    /// The seconds of a server's silence after which a request is left to the ordinary way, which waits
    /// longer, and reports it.
    private static let patienceSeconds = 3.0

    private final class Line {
        let ticket: LaneChoice.Ticket
        let raw: RawConnection
        let source: any FastPathSource
        let continuation: CheckedContinuation<Void, any Error>
        var exchange = FastPathExchange()
        /// The request that awaits its answer.
        var request: Int?
        /// True once a request was answered.
        var isUsed = false

        init(
            _ ticket: LaneChoice.Ticket, _ raw: RawConnection, _ source: any FastPathSource,
            _ continuation: CheckedContinuation<Void, any Error>
        ) {
            self.ticket = ticket
            self.raw = raw
            self.source = source
            self.continuation = continuation
        }
    }

    private let multi: UnsafeMutableRawPointer
    private let sockets: SocketPoll
    private let table: LaneTable
    private let patience: Double
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 16)
    private var byTicket: [TransferID: Line] = [:]
    private var byHandle: [UnsafeMutableRawPointer: Line] = [:]
    private var bySocket: [curl_socket_t: Line] = [:]
    /// The connections whose source had no request.
    private var waiting: [TransferID: Line] = [:]

    init(
        _ multi: UnsafeMutableRawPointer, _ sockets: SocketPoll, _ table: LaneTable, _ transport: Transport
    ) {
        self.multi = multi
        self.sockets = sockets
        self.table = table
        patience = min(transport.patience.answer ?? .infinity, Self.patienceSeconds)
    }

    deinit {
        buffer.deallocate()
    }

    /// True if no timer is needed.
    var isEmpty: Bool { byTicket.isEmpty }

    /// Opens a connection, and resumes the caller when it is closed.
    ///
    /// - Parameter easy: `nil` if there is no memory for a handle.
    func begin(
        _ ticket: LaneChoice.Ticket, _ easy: UnsafeMutableRawPointer?, to url: String,
        _ source: any FastPathSource, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        guard let easy else {
            table.end(ticket, keepsConnection: false)
            continuation.resume()
            return
        }
        let line = Line(ticket, RawConnection(easy, to: url), source, continuation)
        byTicket[ticket.id] = line
        byHandle[easy] = line
        if curl_multi_add_handle(multi, easy) != CURLM_OK { end(line) }
    }

    /// Begins to send when libcurl has connected, or failed to.
    ///
    /// - Returns: False if the handle belongs to no connection for small files.
    func connected(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) -> Bool {
        guard let line = byHandle[easy] else { return false }
        if line.raw.connected(result), let socket = line.raw.socket {
            bySocket[socket] = line
            line.raw.watch(sockets)
            advance(line)
        } else {
            end(line)
        }
        return true
    }

    /// Exchanges bytes on a ready socket.
    ///
    /// - Returns: False if the socket belongs to no connection for small files.
    func act(on socket: curl_socket_t) -> Bool {
        guard let line = bySocket[socket] else { return false }
        // Read all that has arrived: bytes behind an answer show that the connection must not be used again.
        let isOpen = line.raw.receive(buffer) { bytes in
            line.exchange.receive(bytes)
            return !line.exchange.isEnding
        }
        if let answer = line.exchange.takeAnswer(), let id = line.request {
            line.request = nil
            let goesOn = line.source.answered(id, FastPathAnswer(answer, opened: !line.isUsed))
            line.isUsed = true
            if isOpen, goesOn, !line.exchange.isEnding { advance(line) } else { end(line) }
        } else if !isOpen || line.exchange.isEnding || !line.raw.send({ [] }) {
            end(line)
        } else {
            line.raw.watch(sockets)
        }
        return true
    }

    /// Asks the sources again that had no request.
    func resumeWaiting() {
        guard !waiting.isEmpty else { return }
        for line in Array(waiting.values) { advance(line) }
    }

    private func advance(_ line: Line) {
        switch line.source.next() {
        case .send(let request):
            waiting[line.ticket.id] = nil
            line.request = request.id
            line.exchange.begin()
            line.raw.expectsAnswer()
            guard line.raw.send({ request.bytes }) else { return end(line) }
            line.raw.watch(sockets)
        case .wait:
            waiting[line.ticket.id] = line
        case .close:
            end(line)
        }
    }

    /// Gives up the connections whose server is silent.
    func tick(now: Double) {
        for line in Array(byTicket.values)
        where line.request != nil && now - line.raw.heardAt > patience {
            end(line)
        }
        resumeWaiting()
    }

    /// Closes the connection with this number, if it exists.
    func abandon(_ id: TransferID) {
        if let line = byTicket[id] { end(line, isCancelled: true) }
    }

    func cancelAll() {
        for line in Array(byTicket.values) { end(line, isCancelled: true) }
    }

    private func end(_ line: Line, isCancelled: Bool = false) {
        if let id = line.request {
            line.request = nil
            _ = line.source.answered(id, .lost)
        }
        byTicket[line.ticket.id] = nil
        waiting[line.ticket.id] = nil
        byHandle[line.raw.easy] = nil
        if let socket = line.raw.socket { bySocket[socket] = nil }
        line.raw.close(multi, sockets)
        table.end(line.ticket, keepsConnection: false)
        if isCancelled {
            line.continuation.resume(throwing: CancellationError())
        } else {
            line.continuation.resume()
        }
    }
}

extension FastPathAnswer {
    fileprivate init(_ answer: FastPathExchange.Answer, opened: Bool) {
        self =
            switch answer {
            case .complete(let head, let body): .complete(head, body: body, opened: opened)
            case .otherwise(let head): .otherwise(head)
            case .malformed: .malformed
            }
    }
}

internal import CSegCurl
internal import DequeModule
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
        /// The requests that await their answers.
        var requests: Deque<Int> = []
        /// True once a request was answered.
        var isUsed = false
        /// False if requests were sent while others had no answer.
        var wasAlone = true

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
        var goesOn = true
        // Read all that has arrived: bytes behind an answer show that the connection must not be used again.
        let isOpen = line.raw.receive(buffer) { bytes in
            for answer in line.exchange.receive(bytes) { goesOn = take(answer, for: line) && goesOn }
            return !line.exchange.isEnding
        }
        if isOpen, goesOn, !line.exchange.isEnding, line.raw.send({ [] }) {
            advance(line)
        } else {
            end(line)
        }
        return true
    }

    /// - Returns: False to send no more requests over the connection.
    private func take(_ answer: FastPathExchange.Answer, for line: Line) -> Bool {
        guard let id = line.requests.popFirst() else { return true }
        let wasUsed = line.isUsed
        let wasAlone = line.wasAlone
        line.isUsed = true
        line.wasAlone = line.requests.isEmpty
        return line.source.answered(id, FastPathAnswer(answer, opened: !wasUsed, wasAlone: wasAlone))
    }

    /// Asks the sources again that had no request.
    func resumeWaiting() {
        guard !waiting.isEmpty else { return }
        for line in Array(waiting.values) { advance(line) }
    }

    private func advance(_ line: Line) {
        waiting[line.ticket.id] = nil
        guard line.raw.isSent else { return line.raw.watch(sockets) }
        var bytes: [UInt8] = []
        requests: while line.exchange.hasRoom {
            switch line.source.next(isBehind: !line.requests.isEmpty) {
            case .send(let request):
                if line.requests.isEmpty { line.raw.expectsAnswer() } else { line.wasAlone = false }
                line.requests.append(request.id)
                line.exchange.begin(isVouchedFor: request.isVouchedFor)
                bytes += request.bytes
            case .wait:
                if line.requests.isEmpty { waiting[line.ticket.id] = line }
                break requests
            case .close:
                if line.requests.isEmpty { return end(line) }
                break requests
            }
        }
        guard line.raw.send({ bytes }) else { return end(line) }
        line.raw.watch(sockets)
    }

    /// Gives up the connections whose server is silent.
    func tick(now: Double) {
        for line in Array(byTicket.values)
        where !line.requests.isEmpty && now - line.raw.heardAt > patience {
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
        let rest = line.requests
        line.requests = []
        // The last one first, because each that is sent again goes before all others.
        for id in rest.reversed() {
            _ = line.source.answered(id, line.exchange.isOrderly ? .notAnswered : .lost)
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
    fileprivate init(_ answer: FastPathExchange.Answer, opened: Bool, wasAlone: Bool) {
        self =
            switch answer {
            case .complete(let head, let body):
                .complete(head, body: body, opened: opened, wasAlone: wasAlone)
            case .otherwise(let head): .otherwise(head)
            case .malformed: .malformed
            }
    }
}

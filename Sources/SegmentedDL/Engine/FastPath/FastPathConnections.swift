internal import CSegCurl
internal import DequeModule
import SegmentedDLSupport

/// The connections for small files of one engine thread. Not `Sendable`: it is confined to that thread.
///
/// libcurl opens them, but this program itself writes the requests and reads the responses, because a handle
/// for each request would account for most of the cost of a small file.
final class FastPathConnections {
    /// The number of seconds of silence after which a request is left to the ordinary path, which waits
    /// longer and reports the silence.
    private static let patienceSeconds = 3.0

    private final class Line {
        let ticket: LaneChoice.Ticket
        let raw: RawConnection
        let source: any FastPathSource
        let continuation: CheckedContinuation<Void, any Error>
        var exchange = FastPathExchange()
        /// The requests that await their responses.
        var requests: Deque<Int> = []
        /// True once a request has been answered.
        var isUsed = false
        /// False if requests were sent while others were unanswered.
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

    private let lane: RawLane
    private let patience: Double
    private var byTicket: [TransferID: Line] = [:]
    private var byHandle: [UnsafeMutableRawPointer: Line] = [:]
    private var bySocket: [curl_socket_t: Line] = [:]
    /// The connections whose source had no request.
    private var waiting: [TransferID: Line] = [:]

    init(_ lane: RawLane, _ transport: Transport) {
        self.lane = lane
        patience = min(transport.patience.answer ?? .infinity, Self.patienceSeconds)
    }

    /// True if no timer is needed.
    var isEmpty: Bool { byTicket.isEmpty }

    /// Opens a connection, and resumes the caller when it is closed.
    ///
    /// - Parameter easy: `nil` if out of memory.
    func begin(
        _ ticket: LaneChoice.Ticket, _ easy: UnsafeMutableRawPointer?, to url: String,
        _ source: any FastPathSource, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        guard let easy else {
            lane.table.end(ticket, keepsConnection: false)
            continuation.resume()
            return
        }
        let line = Line(ticket, RawConnection(easy, to: url), source, continuation)
        byTicket[ticket.id] = line
        byHandle[easy] = line
        if curl_multi_add_handle(lane.multi, easy) != CURLM_OK { end(line) }
    }

    /// Starts sending once libcurl has connected, or handles the failure.
    ///
    /// - Returns: False if the handle does not belong to a connection for small files.
    func connected(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) -> Bool {
        guard let line = byHandle[easy] else { return false }
        if line.raw.connected(result), let socket = line.raw.socket {
            bySocket[socket] = line
            line.raw.watch(lane.sockets)
            advance(line)
        } else {
            end(line)
        }
        return true
    }

    /// Sends and receives on a ready socket.
    ///
    /// - Returns: False if the socket does not belong to a connection for small files.
    func act(on socket: curl_socket_t) -> Bool {
        guard let line = bySocket[socket] else { return false }
        var goesOn = true
        // Read all available bytes: bytes after a response show that the connection must not be reused.
        let isOpen = line.raw.receive(lane.buffer) { bytes in
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

    /// Polls the sources that had no request again.
    func resumeWaiting() {
        guard !waiting.isEmpty else { return }
        for line in Array(waiting.values) { advance(line) }
    }

    private func advance(_ line: Line) {
        waiting[line.ticket.id] = nil
        guard line.raw.isSent else { return line.raw.watch(lane.sockets) }
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
        line.raw.watch(lane.sockets)
    }

    /// Closes the connections whose server has been silent for too long.
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
        // In reverse order, because each request that is sent again is placed before all others.
        for id in rest.reversed() {
            _ = line.source.answered(id, line.exchange.isOrderly ? .notAnswered : .lost)
        }
        byTicket[line.ticket.id] = nil
        waiting[line.ticket.id] = nil
        byHandle[line.raw.easy] = nil
        if let socket = line.raw.socket { bySocket[socket] = nil }
        line.raw.close(lane)
        lane.table.end(line.ticket, keepsConnection: false)
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
            case .otherwise(let head): .otherwise(head, wasAlone: wasAlone)
            case .malformed: .malformed
            }
    }
}

/// Requests to one host for small files, each sent without waiting for the answers to earlier ones (RFC 9112,
/// section 9.3.2): the bytes to send, and the answers in the received bytes. A plain value.
///
/// A server that answers out of order, or twice, gives a file the bytes of another one. So only files with a
/// known digest are requested here, and at the first sign of disorder all requests are sent normally.
struct FetchPipeline: Sendable {
    typealias ID = TransferID

    enum Outcome: Equatable, Sendable {
        case answered(ResponseHead, body: [UInt8])
        /// The request must be sent normally.
        case unanswered
    }

    struct Delivery: Equatable, Sendable {
        let id: ID
        let outcome: Outcome
    }

    private struct Request {
        /// `nil` if its answer is no longer needed.
        var id: ID?
        let bytes: [UInt8]
    }

    /// The number of active requests, initially and at most: 640 a second if an answer takes 0.1 s.
    static let window = (first: 4, last: 64)
    /// A connection that ends after fewer answers shows that the host does not answer all requests on it.
    static let minimumAnswers = 16
    /// The number of answers other than small bodies with a length after which nothing is pipelined any more.
    private static let maximumLong = 2
    private static let maximumInterim = 8

    /// The maximum body, in bytes: the same as one that may arrive with any head.
    static let maximumBodyBytes = 64 * 1024

    private var unsent: ArraySlice<Request> = []
    private var sent: ArraySlice<Request> = []
    private var window = Self.window.first
    private var reader = HeadReader()
    /// The head whose body is not complete, and the body's bytes so far.
    private var open: (head: ResponseHead, length: Int, body: [UInt8])?
    /// The answers on this connection.
    private var answered = 0
    private var interim = 0
    private var long = 0
    /// True if the host gets no more pipelined requests.
    private(set) var isBroken = false
    /// True if the connection accepts no more requests, and another one must be opened.
    private(set) var isEnding = false

    /// True if no request is active.
    var isIdle: Bool { sent.isEmpty }
    /// True if a connection is needed.
    var hasRequests: Bool { !sent.isEmpty || !unsent.isEmpty }

    mutating func add(_ id: ID, _ request: [UInt8]) {
        unsent.append(Request(id: id, bytes: request))
    }

    /// Removes a request. If it was sent, its answer is read and dropped.
    mutating func remove(_ id: ID) {
        unsent.removeAll { $0.id == id }
        if let index = sent.firstIndex(where: { $0.id == id }) { sent[index].id = nil }
    }

    /// Returns the requests to send now.
    mutating func bytesToSend() -> [UInt8] {
        guard !isBroken, !isEnding else { return [] }
        var bytes: [UInt8] = []
        while sent.count < window, let next = unsent.popFirst() {
            bytes += next.bytes
            sent.append(next)
        }
        return bytes
    }

    /// Processes bytes from the server.
    ///
    /// - Returns: The requests that are now answered, in order. If the pipeline breaks, all others too.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Delivery] {
        reader.append(bytes)
        var deliveries: [Delivery] = []
        while !isBroken, !isEnding, readBody(&deliveries), readHead(&deliveries) {}
        if isBroken { deliveries += giveUp() }
        return deliveries
    }

    /// - Returns: False if more bytes are needed.
    private mutating func readBody(_ deliveries: inout [Delivery]) -> Bool {
        guard var open else { return true }
        open.body += reader.body(upTo: open.length - open.body.count)
        guard open.body.count == open.length else {
            self.open = open
            return false
        }
        self.open = nil
        finish(.answered(open.head, body: open.body), &deliveries)
        window = min(window + 1, Self.window.last)
        if open.head.closesConnection { isEnding = true }
        return true
    }

    /// - Returns: False if more bytes are needed.
    private mutating func readHead(_ deliveries: inout [Delivery]) -> Bool {
        guard !isEnding else { return false }
        switch reader.next() {
        case .incomplete:
            return false
        case .malformed:
            isBroken = true
        case .head(let head) where head.status < 200:
            interim += 1
            isBroken = interim > Self.maximumInterim
        // A proxy may reorder answers, and an answer without a request is invalid.
        case .head(let head) where sent.isEmpty || head["via"] != nil:
            isBroken = true
        case .head(let head):
            interim = 0
            if let length = head.shortBodyLength {
                open = (head, length, [])
            } else {
                // Its body is not awaited, which closes the connection.
                finish(.unanswered, &deliveries)
                long += 1
                if long < Self.maximumLong { isEnding = true } else { isBroken = true }
            }
        }
        return true
    }

    private mutating func finish(_ outcome: Outcome, _ deliveries: inout [Delivery]) {
        answered += 1
        if let id = sent.popFirst()?.id { deliveries.append(Delivery(id: id, outcome: outcome)) }
    }

    /// Begins another connection: unanswered requests are sent again.
    mutating func connect() {
        unsent = sent.filter { $0.id != nil } + unsent
        sent = []
        (open, reader, answered, interim, isEnding) = (nil, HeadReader(), 0, 0, false)
        window = Self.window.first
    }

    /// Learns that the connection has ended, or that the server is silent.
    ///
    /// - Returns: All requests if no other connection should be opened.
    mutating func disconnected() -> [Delivery] {
        let isOrderly = isEnding || open == nil && reader.isEmpty && answered >= Self.minimumAnswers
        if isOrderly, !isBroken { return [] }
        isBroken = true
        return giveUp()
    }

    private mutating func giveUp() -> [Delivery] {
        defer { (sent, unsent, open) = ([], [], nil) }
        return (sent + unsent).compactMap { $0.id }.map { Delivery(id: $0, outcome: .unanswered) }
    }
}

extension ResponseHead {
    /// The length of a short body; `nil` for any other, and if it is not determined by a length alone.
    var shortBodyLength: Int? {
        if status == 204 || status == 304 { return 0 }
        let lengths = values("content-length")
        guard lengths.count == 1, values("transfer-encoding").isEmpty,
            lengths[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(lengths[0]),
            length <= FetchPipeline.maximumBodyBytes
        else { return nil }
        return length
    }
}

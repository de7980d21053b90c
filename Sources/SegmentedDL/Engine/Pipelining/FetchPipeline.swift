/// Requests to one host for small files, each sent without waiting for the responses to earlier ones (RFC
/// 9112, section 9.3.2): the bytes to send, and the responses in the received bytes. A plain value.
///
/// If a server responds out of order, or twice, a file is assigned the bytes of another one. Only files with
/// a known digest are therefore requested here, and at the first sign of disorder all requests are sent
/// normally.
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
        /// `nil` if the response is no longer needed.
        var id: ID?
        let bytes: [UInt8]
    }

    /// The initial and the maximum number of active requests. 64 allow 640 requests a second if a response
    /// takes 0.1 s.
    static let window = (first: 4, last: 64)
    /// A connection that ends after fewer responses shows that the host does not answer all requests on it.
    static let minimumAnswers = 16
    /// The number of responses, other than short bodies with a length, after which pipelining is disabled.
    private static let maximumLong = 2

    private var unsent: ArraySlice<Request> = []
    private var sent: ArraySlice<Request> = []
    private var window = Self.window.first
    private var reader = ShortAnswerReader(isStrict: false)
    /// The number of responses on this connection.
    private var answered = 0
    private var long = 0
    /// True if no more requests are pipelined to the host.
    private(set) var isBroken = false
    /// True if the connection accepts no more requests, and another one must be opened.
    private(set) var isEnding = false

    /// True if no request is active.
    var isIdle: Bool { sent.isEmpty }
    /// True if a response is expected, or will be.
    var hasRequests: Bool { !sent.isEmpty || !unsent.isEmpty }
    /// True if a connection is needed: responses to removed requests are only read and dropped.
    var isNeeded: Bool { !unsent.isEmpty || sent.contains { $0.id != nil } }

    mutating func add(_ id: ID, _ request: [UInt8]) {
        unsent.append(Request(id: id, bytes: request))
    }

    /// Removes a request. If it was already sent, its response is read and dropped.
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
    /// - Returns: The requests that are now answered, in order, followed by all others if the pipeline
    ///   breaks.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Delivery] {
        reader.append(bytes)
        var deliveries: [Delivery] = []
        while !isBroken, !isEnding, !sent.isEmpty, let answer = reader.next() { take(answer, &deliveries) }
        // A response without a request is invalid.
        if !isEnding, sent.isEmpty, !reader.isAtEnd { isBroken = true }
        if isBroken { deliveries += giveUp() }
        return deliveries
    }

    private mutating func take(_ answer: ShortAnswerReader.Answer, _ deliveries: inout [Delivery]) {
        switch answer {
        case .malformed:
            isBroken = true
        // A proxy may reorder responses.
        case .complete(let head, _) where head["via"] != nil, .otherwise(let head) where head["via"] != nil:
            isBroken = true
        case .complete(let head, let body):
            finish(.answered(head, body: body), &deliveries)
            window = min(window + 1, Self.window.last)
            if head.closesConnection { isEnding = true }
        case .otherwise:
            // Its body is not read, which closes the connection.
            finish(.unanswered, &deliveries)
            long += 1
            if long < Self.maximumLong { isEnding = true } else { isBroken = true }
        }
    }

    private mutating func finish(_ outcome: Outcome, _ deliveries: inout [Delivery]) {
        answered += 1
        if let id = sent.popFirst()?.id { deliveries.append(Delivery(id: id, outcome: outcome)) }
    }

    /// Starts another connection: unanswered requests are sent again.
    mutating func connect() {
        unsent = sent.filter { $0.id != nil } + unsent
        sent = []
        (reader, answered, isEnding) = (ShortAnswerReader(isStrict: false), 0, false)
        window = Self.window.first
    }

    /// Records that the connection has ended, or that the server is silent.
    ///
    /// - Returns: All requests if no other connection should be opened.
    mutating func disconnected() -> [Delivery] {
        let isOrderly = isEnding || reader.isAtEnd && answered >= Self.minimumAnswers
        if isOrderly, !isBroken { return [] }
        isBroken = true
        return giveUp()
    }

    private mutating func giveUp() -> [Delivery] {
        defer { (sent, unsent) = ([], []) }
        return (sent + unsent).compactMap { $0.id }.map { Delivery(id: $0, outcome: .unanswered) }
    }
}

/// Conditional requests on one connection, each sent without waiting for the responses to earlier ones (RFC
/// 9112, section 9.3.2): the bytes to send, and the meaning of the received bytes.
///
/// HTTP/2 over libcurl is not a substitute: the streams of the one connection allow fewer requests in flight
/// than a few pipelined connections, and libcurl with its system calls took four tenths of the CPU time of a
/// second run over unchanged copies (docs/measurements.md).
///
/// libcurl has not supported pipelining since 7.65, so this type implements HTTP itself, like
/// `FetchPipeline`. All requests are HEAD requests: no response has a body, so only heads are read, and the
/// response for a changed file is like any other. A copy counts as unchanged only if the response has the
/// validator of the request. Every other case is left to an ordinary request.
struct Pipeline: Sendable {
    /// The initial and the maximum number of active requests. 64 allow 640 requests a second if a response
    /// takes 0.1 s. A host that has answered such requests before is sent the maximum at once, because each
    /// batch has its own connection, and would otherwise need one or two more round trips.
    private static let window = (first: 16, last: 64)

    /// The minimum number of responses per connection. With fewer, ordinary requests are better.
    private static let minimumAnswers = 16

    /// The number of responses after which the host is assumed to have no unchanged copies, if none was
    /// unchanged.
    private static let minimumChanged = 8

    /// The maximum number of interim answers (1xx) before an answer.
    private static let maximumInterim = 8

    private let requests: [ConditionalRequests.Request]
    private let stopsAfter: @Sendable (ResponseHead) -> Bool
    /// The fields common to all requests, as sent.
    private let fields: [UInt8]
    private var outcome: ConditionalAnswers
    private var answered = 0
    private var interim = 0
    private var sent = 0
    private var window: Int
    private var reader = HeadReader()
    /// True if no further response is expected, whatever was sent.
    private var isBroken = false
    /// True if no further requests will be sent.
    private var isStopped = false

    /// - Parameter userAgent: The User-Agent field, unless `batch` has one.
    init(_ batch: ConditionalRequests, userAgent: String) {
        requests = batch.requests
        stopsAfter = batch.stopsAfter
        window = batch.isProven ? Self.window.last : Self.window.first
        outcome = ConditionalAnswers(answers: Array(repeating: .none, count: batch.requests.count))
        fields = RequestText.fields(batch.headers, authority: batch.authority, userAgent: userAgent)
    }

    /// True when no more responses are expected.
    var isOver: Bool { isBroken || answered == (isStopped ? sent : requests.count) }

    /// Returns the requests to send now; none if responses must arrive first.
    mutating func bytesToSend() -> [UInt8] {
        // Do not send one request for each response: many small writes cost more than one.
        guard !isBroken, !isStopped, sent - answered <= window / 2 else { return [] }
        var bytes: [UInt8] = []
        while sent < requests.count, sent - answered < window {
            let request = requests[sent]
            bytes += Array("HEAD ".utf8)
            bytes += Array(request.target.utf8)
            bytes += Array(" HTTP/1.1\r\n".utf8)
            bytes += fields
            bytes += RequestText.line(request.condition.header)
            bytes += [0x0d, 0x0a]
            sent += 1
        }
        return bytes
    }

    /// Processes bytes from the server.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        reader.append(bytes)
        while !isBroken {
            switch reader.next() {
            case .incomplete: return
            case .head(let head) where answered < sent: take(head)
            case .head, .malformed: isBroken = true
            }
        }
    }

    private mutating func take(_ head: ResponseHead) {
        guard head.status >= 200 else {
            interim += 1
            if interim > Self.maximumInterim { isBroken = true }
            return
        }
        interim = 0
        let isUnchanged = head.status == 304 && requests[answered].condition.isConfirmed(by: head)
        outcome.answers[answered] = isUnchanged ? .unchanged : .other
        answered += 1
        window = min(window * 2, Self.window.last)
        // A host that limits requests states that in each response.
        if answered == 1, stopsAfter(head) {
            outcome.limiting = head
            isStopped = true
        }
        if Self.refuses(head) {
            isBroken = true
            outcome.refusal = head
        } else if head.closesConnection {
            // The host does not respond to the requests after it.
            isBroken = true
        }
    }

    /// True if the host refuses such requests, either because of HEAD or because of their rate.
    private static func refuses(_ head: ResponseHead) -> Bool {
        head.status == 405 || head.status == 429 || head.status >= 500
    }

    /// Sends no more requests, so that other work can proceed. Responses to sent requests are still awaited.
    mutating func stop() {
        isStopped = true
    }

    /// Ends the pipeline because the connection was lost or could not be opened.
    mutating func fail() {
        isBroken = true
    }

    /// The responses so far.
    var answers: ConditionalAnswers {
        var outcome = outcome
        let isUseful = outcome.answers.contains { $0 == .unchanged }
        outcome.wasUseless =
            outcome.refusal != nil || outcome.limiting != nil
            || isBroken && answered < min(Self.minimumAnswers, requests.count)
            || answered >= Self.minimumChanged && !isUseful
        return outcome
    }
}

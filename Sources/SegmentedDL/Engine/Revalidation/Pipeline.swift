/// Conditional requests on one connection, each sent without waiting for the answers to those before it (RFC
/// 9112, section 9.3.2): the bytes to send, and the meaning of the bytes that come.
///
/// HTTP/2 over libcurl is no substitute: it would share no connection among files here, and libcurl with its
/// system calls took four tenths of the CPU time of a second run over unchanged copies
/// (docs/measurements.md).
///
/// libcurl has had no pipelining since 7.65, and this is the only place that speaks HTTP without it. All
/// requests are HEAD requests: no answer has a body, so only heads are read, and the answer for a file that
/// has changed is like any other. A copy counts as unchanged only if the answer has the validator of the
/// request; every other case is left to an ordinary request.
struct Pipeline: Sendable {
    /// How many requests are sent at once at first, and how many are under way at most: with 0.1 s until an
    /// answer comes, 640 a second.
    private static let window = (first: 16, last: 64)

    /// A host that ends a connection after fewer answers is better asked in the usual way.
    private static let fewestAnswers = 16

    /// So many copies must have been asked about to say that none is ever unchanged.
    private static let fewestChanged = 8

    /// How many interim answers (1xx) may come before one.
    private static let mostInterim = 8

    /// Heads longer than this are refused, in bytes.
    private static let longestHead = 64 * 1024

    private let requests: [ConditionalRequests.Request]
    /// What each request ends with, but for its condition.
    private let fields: [UInt8]
    private var outcome: ConditionalAnswers
    private var answered = 0
    private var interim = 0
    private var sent = 0
    private var window = Self.window.first
    /// What has come of a head that is not complete.
    private var rest: [UInt8] = []
    /// Whether no answer is to come any more, whatever was sent.
    private var isBroken = false
    /// Whether nothing more is to be sent.
    private var isStopped = false

    /// - Parameter userAgent: The User-Agent field, unless `batch` has one.
    init(_ batch: ConditionalRequests, userAgent: String) {
        requests = batch.requests
        outcome = ConditionalAnswers(answers: Array(repeating: .none, count: batch.requests.count))
        var headers = batch.headers
        var usuals = [HTTPHeader("Host", batch.authority), HTTPHeader("Accept", "*/*")]
        if !userAgent.isEmpty { usuals.append(HTTPHeader("User-Agent", userAgent)) }
        for usual in usuals
        where !headers.contains(where: { $0.name.lowercased() == usual.name.lowercased() }) {
            headers.insert(usual, at: 0)
        }
        fields = headers.flatMap { Self.line($0) }
    }

    private static func line(_ header: HTTPHeader) -> [UInt8] {
        Array(header.name.utf8) + Array(": ".utf8) + Array(header.value.utf8) + Array("\r\n".utf8)
    }

    /// Whether nothing is waited for any more.
    var isOver: Bool { isBroken || answered == (isStopped ? sent : requests.count) }

    /// What is to be sent now; empty if answers are to come first.
    mutating func bytesToSend() -> [UInt8] {
        // Not one for each answer: many small pieces cost more than one.
        guard !isBroken, !isStopped, sent - answered <= window / 2 else { return [] }
        var bytes: [UInt8] = []
        while sent < requests.count, sent - answered < window {
            let request = requests[sent]
            bytes += Array("HEAD ".utf8)
            bytes += Array(request.target.utf8)
            bytes += Array(" HTTP/1.1\r\n".utf8)
            bytes += fields
            bytes += Self.line(request.condition.header)
            bytes += [0x0d, 0x0a]
            sent += 1
        }
        return bytes
    }

    /// Takes what came.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        rest += bytes
        let taken = rest.withUnsafeBytes { rest in
            var (start, line) = (0, 0)
            var head: ResponseHead?
            // Heads that are complete, line by line.
            while !isBroken, let end = rest[line...].firstIndex(of: 0x0a) {
                let text = rest[line..<(end > line && rest[end - 1] == 0x0d ? end - 1 : end)]
                line = end + 1
                if text.isEmpty {
                    take(head)
                    (head, start) = (nil, line)
                } else if head == nil {
                    head = self.head(statusLine: UnsafeRawBufferPointer(rebasing: text))
                } else {
                    head?.append(line: UnsafeRawBufferPointer(rebasing: text))
                }
            }
            return start
        }
        rest.removeFirst(taken)
        if rest.count > Self.longestHead { isBroken = true }
    }

    private mutating func head(statusLine line: UnsafeRawBufferPointer) -> ResponseHead? {
        guard line.starts(with: "HTTP/1.1 ".utf8), let head = ResponseHead(statusLine: line), answered < sent
        else {
            isBroken = true
            return nil
        }
        return head
    }

    private mutating func take(_ head: ResponseHead?) {
        guard let head else {
            isBroken = true
            return
        }
        guard head.status >= 200 else {
            interim += 1
            if interim > Self.mostInterim { isBroken = true }
            return
        }
        interim = 0
        let isUnchanged = head.status == 304 && Self.has(head, requests[answered].condition)
        outcome.answers[answered] = isUnchanged ? .unchanged : .other
        answered += 1
        window = min(window * 2, Self.window.last)
        if Self.refuses(head) {
            isBroken = true
            outcome.refusal = head
        } else if Self.closes(head) {
            // What was sent behind it is not answered.
            isBroken = true
        }
    }

    /// Whether a host wants no such requests: no HEAD, or not so many.
    private static func refuses(_ head: ResponseHead) -> Bool {
        head.status == 405 || head.status == 429 || head.status >= 500
    }

    private static func closes(_ head: ResponseHead) -> Bool {
        // What most servers say need not be taken apart.
        guard let options = head["connection"], options != "keep-alive" else { return false }
        return options.lowercased().split(separator: ",").contains { $0.trimmingBlanks() == "close" }
    }

    /// Whether an answer is to the question with a condition, and to no other one.
    private static func has(_ head: ResponseHead, _ condition: Condition) -> Bool {
        switch condition {
        case .etag(let tag): head["etag"].map { weak($0) == weak(tag) } ?? false
        case .lastModified(let date): head["last-modified"] == date
        }
    }

    /// A tag without the mark of a weak one, which a 304 is compared without (RFC 9110, section 8.8.3.2).
    private static func weak(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// Others have their turn: what was sent is waited for, and no more is sent.
    mutating func stop() {
        isStopped = true
    }

    /// The connection is lost, or could not be made.
    mutating func fail() {
        isBroken = true
    }

    /// What came of it.
    var answers: ConditionalAnswers {
        var outcome = outcome
        let isUseful = outcome.answers.contains { $0 == .unchanged }
        outcome.isInVain =
            outcome.refusal != nil || isBroken && answered < min(Self.fewestAnswers, requests.count)
            || answered >= Self.fewestChanged && !isUseful
        return outcome
    }
}

/// One connection for small files: one request at a time, and its answer in the received bytes (RFC 9112). A
/// plain value.
///
/// It accepts only answers with a short body that a Content-Length alone determines. All others are left to
/// libcurl, so that the meaning of an unusual head is decided in one place.
struct FastPathExchange: Sendable {
    enum Answer: Equatable, Sendable {
        case complete(ResponseHead, body: [UInt8])
        /// A body that is long, or of another framing.
        case otherwise(ResponseHead)
        /// The bytes are no head.
        case malformed
    }

    private static let maximumInterim = 8

    private var reader = HeadReader(isStrict: true)
    /// The head whose body is not complete, and the body's bytes so far.
    private var open: (head: ResponseHead, length: Int, body: [UInt8])?
    private var answer: Answer?
    private var isAwaited = false
    private var interim = 0
    /// True if no other request may be sent: the connection is not at the end of an answer, or closes there.
    private(set) var isEnding = false

    /// Learns that a request was sent. The previous one must be answered.
    mutating func begin() {
        isAwaited = true
        interim = 0
    }

    /// Returns the answer, once.
    mutating func takeAnswer() -> Answer? {
        defer { answer = nil }
        return answer
    }

    /// Processes bytes from the server.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        guard isAwaited else {
            // An answer without a request: the next one would be taken for the answer to another.
            isEnding = true
            return
        }
        reader.append(bytes)
        while isAwaited, readBody(), readHead() {}
        if !isAwaited, !reader.isEmpty { isEnding = true }
    }

    /// - Returns: False if more bytes are needed, or the answer is complete.
    private mutating func readBody() -> Bool {
        guard var current = open else { return true }
        // The only reference, or each append would copy the body.
        open = nil
        current.body += reader.body(upTo: current.length - current.body.count)
        guard current.body.count == current.length else {
            open = current
            return false
        }
        if current.head.closesConnection { isEnding = true }
        end(.complete(current.head, body: current.body))
        return false
    }

    /// - Returns: False if more bytes are needed, or the answer is complete.
    private mutating func readHead() -> Bool {
        switch reader.next() {
        case .incomplete:
            return false
        case .malformed:
            isEnding = true
            end(.malformed)
        case .head(let head) where head.status < 200:
            interim += 1
            guard head.status == 101 || interim > Self.maximumInterim else { return true }
            isEnding = true
            end(.otherwise(head))
        case .head(let head):
            if let length = head.shortBodyLength {
                open = (head, length, [])
                open?.body.reserveCapacity(length)
                return true
            }
            isEnding = true
            end(.otherwise(head))
        }
        return false
    }

    private mutating func end(_ answer: Answer) {
        self.answer = answer
        isAwaited = false
    }
}

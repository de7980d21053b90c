/// One connection for small files: its requests, and the responses in the received bytes. A plain value.
///
/// Only files with a known digest are requested without waiting for the responses to earlier requests. If a
/// server responds out of order, or twice, a file is assigned the bytes of another one.
struct FastPathExchange: Sendable {
    typealias Answer = ShortAnswerReader.Answer

    private var reader = ShortAnswerReader(isStrict: true)
    /// The number of requests that await their responses.
    private(set) var awaited = 0
    private var window = FetchPipeline.window.first
    private var isVouchedFor = false
    /// The number of responses on this connection.
    private var answered = 0
    /// True if no other request may be sent, because the connection is not at the end of a response, or will
    /// be closed after it.
    private(set) var isEnding = false
    private var isBroken = false

    /// True if another request may be sent now.
    var hasRoom: Bool { !isEnding && (awaited == 0 || isVouchedFor && awaited < window) }

    /// True if unanswered requests may be sent again, because the server has closed the connection in an
    /// orderly way.
    var isOrderly: Bool {
        !isBroken && (isEnding || reader.isAtEnd && answered >= FetchPipeline.minimumAnswers)
    }

    /// Records that a request was sent.
    ///
    /// - Parameter isVouchedFor: True if a digest of its file is known.
    mutating func begin(isVouchedFor: Bool = false) {
        awaited += 1
        self.isVouchedFor = isVouchedFor
    }

    /// Processes bytes from the server.
    ///
    /// - Returns: The responses, in the order of the requests.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Answer] {
        reader.append(bytes)
        var answers: [Answer] = []
        while awaited > 0, !isEnding, let next = reader.next() {
            awaited -= 1
            answered += 1
            answers.append(next)
            switch next {
            case .complete(let head, _):
                isEnding = head.closesConnection
                window = min(window + 1, FetchPipeline.window.last)
            case .otherwise:
                isEnding = true
            case .malformed:
                (isEnding, isBroken) = (true, true)
            }
        }
        // A response without a request. It would be mistaken for the response to the next request.
        if awaited == 0, !reader.isAtEnd { isEnding = true }
        return answers
    }
}

/// One connection for small files: its requests, and their answers in the received bytes. A plain value.
///
/// Only files with a known digest are requested without waiting for the answers to earlier requests: a server
/// that answers out of order, or twice, gives a file the bytes of another one.
struct FastPathExchange: Sendable {
    typealias Answer = ShortAnswerReader.Answer

    private var reader = ShortAnswerReader(isStrict: true)
    /// The requests that await their answers.
    private(set) var awaited = 0
    private var window = FetchPipeline.window.first
    private var isVouchedFor = false
    /// The answers on this connection.
    private var answered = 0
    /// True if no other request may be sent: the connection is not at the end of an answer, or closes there.
    private(set) var isEnding = false
    private var isBroken = false

    /// True if another request may be sent now.
    var hasRoom: Bool { !isEnding && (awaited == 0 || isVouchedFor && awaited < window) }

    /// True if requests without an answer may be sent again: the server has closed the connection in good
    /// order.
    var isOrderly: Bool {
        !isBroken && (isEnding || reader.isAtEnd && answered >= FetchPipeline.minimumAnswers)
    }

    /// Learns that a request was sent.
    ///
    /// - Parameter isVouchedFor: True if a digest of its file is known.
    mutating func begin(isVouchedFor: Bool = false) {
        awaited += 1
        self.isVouchedFor = isVouchedFor
    }

    /// Processes bytes from the server.
    ///
    /// - Returns: The answers, in the order of the requests.
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
        // An answer without a request: the next one would be taken for the answer to another.
        if awaited == 0, !reader.isAtEnd { isEnding = true }
        return answers
    }
}

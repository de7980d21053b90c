/// Supplies the requests for one connection for small files, and receives their responses. Its functions are
/// called on the engine's thread and must not block.
protocol FastPathSource: AnyObject, Sendable {
    /// Returns the next action of the connection.
    ///
    /// - Parameter isBehind: True if an earlier request is still unanswered. Then only a request for a file
    ///   with a known digest may follow.
    func next(isBehind: Bool) -> FastPathNext

    /// Receives the response to the last request.
    ///
    /// - Returns: False to send no more requests over the connection.
    func answered(_ id: Int, _ answer: FastPathAnswer) -> Bool
}

enum FastPathNext: Sendable {
    case send(FastPathRequest)
    /// Wait. The source is asked again after a call to `CurlEngine.wake` and about twenty times a second, or
    /// after a call to `FastPathStream.resume`.
    case wait
    case close
}

struct FastPathRequest: Sendable {
    /// A number chosen by the source.
    let id: Int
    let url: String
    let range: TransferRequest.Range
    /// True if a digest of the file is known.
    let isVouchedFor: Bool
    /// All fields except those common to all requests.
    let headers: [HTTPHeader]
    /// The bytes of the same request in HTTP/1.1.
    let bytes: [UInt8]
}

enum FastPathAnswer: Sendable {
    /// - Parameters:
    ///   - opened: True if the connection was opened for the request.
    ///   - wasAlone: False if other requests were still unanswered.
    case complete(ResponseHead, body: [UInt8], opened: Bool, wasAlone: Bool)
    /// Any other response. Its body is not delivered, except for the beginning of a refusal's if known.
    case otherwise(ResponseHead, refusalText: [UInt8] = [], wasAlone: Bool)
    case malformed
    /// The connection ended, or the server was silent for too long.
    case lost
    /// The server closed the connection in an orderly way before the response, so the request may be sent
    /// again.
    case notAnswered
}

/// The requests for one connection for small files, and the receiver of their answers. Its functions are
/// called on the engine's thread, and must not block.
protocol FastPathSource: AnyObject, Sendable {
    /// Returns what the connection does next.
    ///
    /// - Parameter isBehind: True if an earlier request has no answer yet: only one whose file has a known
    ///   digest may follow.
    func next(isBehind: Bool) -> FastPathNext

    /// Receives the answer to the last request.
    ///
    /// - Returns: False to send no more requests over the connection.
    func answered(_ id: Int, _ answer: FastPathAnswer) -> Bool
}

enum FastPathNext: Sendable {
    case send(FastPathRequest)
    /// Wait: the source is asked again after a call of `CurlEngine.wake` and about twenty times a second, or
    /// after a call of `FastPathStream.resume`.
    case wait
    case close
}

struct FastPathRequest: Sendable {
    /// A number that the source has chosen.
    let id: Int
    let url: String
    let range: TransferRequest.Range
    /// True if a digest of the file is known.
    let isVouchedFor: Bool
    /// All fields but those that every request has.
    let headers: [HTTPHeader]
    /// The bytes of the same request in HTTP/1.1.
    let bytes: [UInt8]
}

enum FastPathAnswer: Sendable {
    /// - Parameters:
    ///   - opened: True if the connection was opened for the request.
    ///   - wasAlone: False if other requests had no answer yet.
    case complete(ResponseHead, body: [UInt8], opened: Bool, wasAlone: Bool)
    /// Its body is not delivered.
    case otherwise(ResponseHead)
    case malformed
    /// The connection ended, or the server was silent.
    case lost
    /// The server has closed the connection in good order before the answer: the request may be sent again.
    case notAnswered
}

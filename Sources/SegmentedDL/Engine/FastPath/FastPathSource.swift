/// The requests for one connection for small files, and the receiver of their answers. Its functions are
/// called on the engine's thread, and must not block.
protocol FastPathSource: AnyObject, Sendable {
    /// Returns what the connection does next.
    func next() -> FastPathNext

    /// Receives the answer to the last request.
    ///
    /// - Returns: False to send no more requests over the connection.
    func answered(_ id: Int, _ answer: FastPathAnswer) -> Bool
}

enum FastPathNext: Sendable {
    case send(FastPathRequest)
    /// Wait: the source is asked again after a call of `CurlEngine.wake`, and about twenty times a second.
    case wait
    case close
}

struct FastPathRequest: Sendable {
    /// A number that the source has chosen.
    let id: Int
    /// The bytes of an HTTP/1.1 request without a body.
    let bytes: [UInt8]
}

enum FastPathAnswer: Sendable {
    /// - Parameter opened: True if the connection was opened for the request.
    case complete(ResponseHead, body: [UInt8], opened: Bool)
    /// Its body is not delivered.
    case otherwise(ResponseHead)
    case malformed
    /// The connection ended, or the server was silent.
    case lost
}

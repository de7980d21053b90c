internal import NIOCore
internal import NIOHTTP1

/// The limits on the size and duration of a connection's messages.
enum ConnectionLimits {
    /// Bytes of a request's body, and of a WebSocket's message. Equals aria2's `--rpc-max-request-size`.
    static let body = 2 << 20
    /// Simultaneous connections.
    static let connections = 1_000
    /// The timeout for a whole head, from the connection or the last answer.
    static let head = TimeAmount.seconds(60)
    /// The time from a head to the end of its body.
    static let bodyTime = TimeAmount.seconds(30)
    /// The time between the answer to a partly read request and the close of the connection.
    static let linger = TimeAmount.seconds(1)
    /// The timeout for a client that reads none of its pending data.
    static let stall = TimeAmount.seconds(60)

    static var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 32 << 10
        limits.maxHeaderListSize = 64 << 10
        limits.maxHeaderFieldCount = 100
        return limits
    }
}

internal import NIOCore
internal import NIOHTTP1

/// The bounds on what a connection may send and how long it may take.
enum ConnectionLimits {
    /// Bytes of a request's body, and of a WebSocket's message. aria2's `--rpc-max-request-size` is the same.
    static let body = 2 << 20
    /// Connections at the same time.
    static let connections = 1_000
    /// The time for a whole head, from the connection or the last answer on.
    static let head = TimeAmount.seconds(60)
    /// The time from a head to the end of its body.
    static let bodyTime = TimeAmount.seconds(30)
    /// The time from the answer to a request that is not read to the end, to the end of the connection.
    static let linger = TimeAmount.seconds(1)
    /// The time for which a client may read nothing of what waits for it.
    static let stall = TimeAmount.seconds(60)

    static var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 32 << 10
        limits.maxHeaderListSize = 64 << 10
        limits.maxHeaderFieldCount = 100
        return limits
    }
}

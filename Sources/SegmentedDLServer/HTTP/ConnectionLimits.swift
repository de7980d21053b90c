internal import NIOCore
internal import NIOHTTP1

/// The limits on the size and duration of a connection's messages.
enum ConnectionLimits {
    /// The maximum size of a request body or a WebSocket message, in bytes. Equal to aria2's
    /// `--rpc-max-request-size`.
    static let body = 2 << 20
    /// The maximum number of simultaneous connections.
    static let connections = 1_000
    /// The timeout for receiving a whole head, from the connection or the last response.
    static let head = TimeAmount.seconds(60)
    /// The timeout from a head to the end of its body.
    static let bodyTime = TimeAmount.seconds(30)
    /// The time between the response to a partly read request and closing the connection.
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

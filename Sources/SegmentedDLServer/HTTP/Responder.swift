/// The answers to the requests of a socket.
package protocol Responder: Sendable {
    func answer(_ request: HTTPRequest) async -> HTTPAnswer

    /// Returns the protocol of the WebSocket that a request may open; `nil` for none.
    func webSocket(for request: HTTPRequest) -> RPCService?
}

/// The answers to the requests of a socket.
package protocol Responder: Sendable {
    func answer(_ request: HTTPRequest) async -> HTTPAnswer

    /// Returns the protocol of the WebSocket that a request may open; `nil` if it may open none.
    func webSocket(for request: HTTPRequest) -> RPCService?
}

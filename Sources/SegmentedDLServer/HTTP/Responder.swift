/// The responses to the requests of a socket.
package protocol Responder: Sendable {
    func answer(_ request: HTTPRequest) async -> HTTPAnswer

    /// Returns the protocol of the WebSocket that a request may open; `nil` for none.
    func webSocket(for request: HTTPRequest) -> RPCService?
}

/// The socket next to a queue, for commands of the local user, at the same path as in the daemon's API.
package struct CommandResponder: Responder {
    package static let path = "/api/v1/commands"

    /// Runs a command given as JSON, and returns the reply.
    private let run: @Sendable ([UInt8]) async -> [UInt8]

    package init(_ run: @escaping @Sendable ([UInt8]) async -> [UInt8]) {
        self.run = run
    }

    package func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        guard request.path == Self.path else { return .text(404, "This socket supports only \(Self.path).") }
        guard request.method == "POST" else { return .methodNotAllowed("POST") }
        return .json(200, await run(request.body))
    }

    package func webSocket(for request: HTTPRequest) -> RPCService? { nil }
}

/// The paths of the daemon.
package struct Router: Responder {
    package var access: AccessRule
    package var rpc: RPCService
    package var interface: Interface

    package init(access: AccessRule, rpc: RPCService, interface: Interface) {
        self.access = access
        self.rpc = rpc
        self.interface = interface
    }

    /// The path of aria2's protocol, for requests and WebSockets.
    static let rpcPath = "/jsonrpc"

    package func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        if let refusal = access.refusal(of: request) { return refusal }
        var answer = await allowed(request)
        answer.fields += access.sharing(with: request)
        answer.fields.append(("X-Content-Type-Options", "nosniff"))
        return answer
    }

    package func webSocket(for request: HTTPRequest) -> RPCService? {
        let isAllowed =
            request.method == "GET" && request.path == Self.rpcPath && access.refusal(of: request) == nil
        return isAllowed ? rpc : nil
    }

    private func allowed(_ request: HTTPRequest) async -> HTTPAnswer {
        if request.method == "OPTIONS" { return .empty }
        if request.path == Self.rpcPath { return await call(request) }
        if request.path == "/healthz" { return .text(200, "ok") }
        if let steps = Interface.steps(of: request.path) { return await interface.answer(request, steps) }
        return PageFiles.answer(request)
    }

    private func call(_ request: HTTPRequest) async -> HTTPAnswer {
        let result: RPCAnswer
        switch request.method {
        case "POST": result = await rpc.answer(request.body)
        case "GET": result = await rpc.answer(query: request.query)
        default: return .methodNotAllowed("POST, GET, OPTIONS")
        }
        var answer = HTTPAnswer(result.status, type: "application/json-rpc", .bytes(result.body))
        answer.fields.append(("Cache-Control", "no-cache"))
        return answer
    }
}

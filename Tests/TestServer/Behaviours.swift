/// The behaviours, by the first component of a URL's path. They are grouped into files by kind.
enum Behaviours {
    typealias Behaviour = @Sendable (Exchange) -> Response

    static let all: [String: Behaviour] =
        [
            framing, heads, rangeSupport, wrongRanges, wrongLengths, versions, statuses, connectionFaults,
            redirects, misc,
        ]
        .reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    /// The answer, with the modifiers that apply to every behaviour.
    static func answer(_ exchange: Exchange) -> Response {
        guard let behaviour = all[exchange.target.behaviour] else { return .page(404) }
        var response = behaviour(exchange)
        let query = exchange.query
        for field in query.all("header") {
            guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else { continue }
            response.add(lenientString(field[..<colon]), Array(field[(colon + 1)...].drop { $0 == 32 }))
        }
        if exchange.ordinal == 1, let rate = query.int("first-rate") { response.bytesPerSecond = rate }
        if response.bytesPerSecond == nil { response.bytesPerSecond = query.int("rate") }
        if let line = query.int("line") { response.line = exchange.state.line(bytesPerSecond: line) }
        response.scanned = query.int("scan") ?? 0
        if let count = query.int("await") { exchange.state.awaitRequests(count) }
        if response.body.content?.lowerBound == 0 { response.awaiting = exchange.state }
        if query.flag("close") { response.closesConnection = true }
        response.hold = heldFrom(response, exchange).map { Response.Hold(start: $0, state: exchange.state) }
        return response
    }

    /// The offset in the body from which the answer is held; `nil` if it is not held.
    private static func heldFrom(_ response: Response, _ exchange: Exchange) -> Int64? {
        if let tail = exchange.query.int("hold-tail"), let content = response.body.content {
            let start = exchange.resource.size - tail
            return start < content.upperBound ? max(0, start - content.lowerBound) : nil
        }
        guard let start = exchange.query.int("hold"), response.body.length > start,
            exchange.state.holdsFirst()
        else { return nil }
        return start
    }

    static let misc: [String: Behaviour] = [
        "plain": { $0.honest() },
        "interim": { exchange in
            var response = exchange.honest()
            response.interimHeads = exchange.query.int("n") ?? 1
            return response
        },
        "encoded": { exchange in
            var response = exchange.honest()
            let isMeant = !exchange.query.flag("ranges") || exchange.part(of: exchange.resource) != nil
            if isMeant, exchange.isFaulty(.later) { response.add("Content-Encoding", "gzip") }
            return response
        },
        "drip": { exchange in
            var response = exchange.honest()
            let every = max(1, exchange.query.int("every") ?? 5)
            if exchange.laterOrdinal > 0, exchange.laterOrdinal % every == 0 {
                response.bytesPerSecond = exchange.query.int("bps") ?? 1000
            }
            return response
        },
        "stale-digest": { exchange in
            var response = Response.page(401)
            let challenge = "Digest realm=\"test\", nonce=\"\(exchange.state.newToken())\", stale=true"
            response.add("WWW-Authenticate", challenge)
            return response
        },
        "auth": { exchange in
            let user = exchange.query.bytes("u") ?? []
            let password = exchange.query.bytes("p") ?? []
            if exchange.head["authorization"] == "Basic " + base64(user + [UInt8(ascii: ":")] + password) {
                return exchange.honest()
            }
            var response = Response.page(401)
            response.add("WWW-Authenticate", "Basic realm=\"test\"")
            return response
        },
        "echo-headers": { exchange in
            var response = Response(status: 200, body: Body(parts: [.bytes(exchange.head.raw)]))
            response.add("Content-Type", "text/plain")
            return response
        },
    ]
}

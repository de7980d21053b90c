extension Behaviours {
    /// How the end of the body is told; all but the last ignore Range.
    static let framing: [String: Behaviour] = [
        "no-ranges": { $0.whole($0.resource) },
        "no-length": { exchange in
            var response = exchange.whole(exchange.resource)
            response.framing = .untilClose
            response.closesConnection = true
            return response
        },
        "chunked": { exchange in
            var response = exchange.whole(exchange.resource)
            response.framing = .chunked
            return response
        },
        "chunked-truncated": { exchange in
            var response = exchange.whole(exchange.resource)
            response.framing = .chunked
            response.cut = (exchange.query.int("at") ?? response.body.length / 2, .close)
            return response
        },
        "close-truncated": { exchange in
            var response = exchange.whole(exchange.resource)
            response.cut = (exchange.query.int("at") ?? response.body.length / 2, .close)
            return response
        },
        "chunked-ranges": { exchange in
            var response = exchange.honest()
            response.framing = .chunked
            return response
        },
    ]
}

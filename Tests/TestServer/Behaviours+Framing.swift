extension Behaviours {
    /// How the end of the body is indicated; those up to `close-truncated` ignore Range.
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
        "chunked-trailer": { exchange in
            var response = exchange.honest()
            response.framing = .chunked
            response.trailer = "ETag: \"trailer\"\r\nContent-Range: bytes 1-2/3\r\n"
            return response
        },
        "chunked-garbage": { exchange in
            var response = exchange.honest()
            response.framing = .chunked
            if exchange.isFaulty(.all) {
                response.cut = (exchange.query.int("at") ?? response.body.length / 2, .garbage)
            }
            return response
        },
        "no-length-ranges": { exchange in
            var response = exchange.honest()
            response.framing = .untilClose
            response.closesConnection = true
            if exchange.isFaulty(.all), let at = exchange.query.int("at") {
                let how: Response.Fault = exchange.query.string("how") == "reset" ? .reset : .close
                response.cut = (at, how)
            }
            return response
        },
        "no-length-truncated": { exchange in
            var response = exchange.whole(exchange.resource)
            response.framing = .untilClose
            response.closesConnection = true
            let how: Response.Fault = exchange.query.string("how") == "reset" ? .reset : .close
            response.cut = (exchange.query.int("at") ?? response.body.length / 2, how)
            return response
        },
    ]
}

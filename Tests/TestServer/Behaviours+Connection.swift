extension Behaviours {
    static let connectionFaults: [String: Behaviour] = [
        "reset": cut(.reset),
        "stall": cut(.stall),
        "stall-head": noAnswer(.stall),
        "hang-up-before-head": noAnswer(.close),
        "stop-listening": { exchange in
            exchange.stopListening()
            return exchange.honest()
        },
    ]

    private static func cut(_ how: Response.Fault) -> Behaviour {
        { exchange in
            var response =
                exchange.query.flag("whole") ? exchange.whole(exchange.resource) : exchange.honest()
            let at = exchange.query.int("at") ?? response.body.length / 2
            // A body that ends before the position of the fault is complete.
            if at < response.body.length, exchange.isFaulty(.all, times: 1) { response.cut = (at, how) }
            return response
        }
    }

    private static func noAnswer(_ how: Response.Fault) -> Behaviour {
        { $0.isFaulty(.all, times: 1) ? .none(how) : $0.honest() }
    }
}

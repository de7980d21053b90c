extension Behaviours {
    static let statuses: [String: Behaviour] = [
        "status": { exchange in
            guard exchange.isFaulty(.all), exchange.ordinal > exchange.query.int("after") ?? 0 else {
                var response = exchange.honest()
                if let at = exchange.query.int("at") { response.cut = (at, .close) }
                return response
            }
            var response = Response.page(Int(exchange.query.int("code") ?? 503))
            if let text = exchange.query.string("text") {
                response = Response(
                    status: response.status, body: .text(text.split(separator: "_").joined(separator: " ")))
                response.add("Content-Type", exchange.query.string("type") ?? "text/plain")
            }
            if exchange.query.int("silent") == 1 { response.cut = (0, .stall) }
            exchange.addRetryAfter(to: &response)
            return response
        },
        "unsatisfiable": { exchange in
            guard exchange.isFaulty(.later), exchange.head["range"] != nil else { return exchange.honest() }
            var response = Response.page(416)
            switch exchange.query.string("total") {
            case "none": break
            case let total: response.add("Content-Range", "bytes */\(total ?? "\(exchange.resource.size)")")
            }
            return response
        },
        "limit": { exchange in
            if exchange.state.admit(exchange.record, limit: exchange.query.int("k") ?? 1) {
                return exchange.honest()
            }
            switch exchange.query.string("how") {
            case "reset": return .none(.reset)
            case "silence": return .none(.stall)
            case "refuse": return .none(.close)
            case let how:
                var response = Response.page(how.flatMap { Int($0) } ?? 503)
                exchange.addRetryAfter(to: &response)
                return response
            }
        },
    ]
}

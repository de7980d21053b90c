extension Behaviours {
    /// Bodies whose length differs from the head's.
    static let wrongLengths: [String: Behaviour] = [
        "short-body": { exchange in
            var response = exchange.honest()
            if exchange.isFaulty(.all, times: 1_000_000) {
                response.cut = (exchange.query.int("at") ?? response.body.length / 2, .close)
            }
            return response
        },
        "long-body": { exchange in
            var response = exchange.honest()
            if exchange.isFaulty(.all) {
                let count = exchange.query.flag("answer") ? Int(response.body.length) : 1000
                let further = [UInt8](repeating: UInt8(ascii: "#"), count: count)
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"
                response.survivesExcess = exchange.query.flag("answer")
                response.excess = (response.survivesExcess ? Array(head.utf8) : []) + further
            }
            return response
        },
        "huge-length": { exchange in
            var response = exchange.honest()
            if exchange.isFaulty(.all) {
                response.framing = .length("99999999999999999999")
                response.cut = (response.body.length, .close)
            }
            return response
        },
        "garbled-length": { exchange in
            var response =
                exchange.query.flag("whole") ? exchange.whole(exchange.resource) : exchange.honest()
            if exchange.isFaulty(.all) {
                response.framing = .length(exchange.query.string("value") ?? "banana")
                response.cut = (exchange.query.int("at") ?? response.body.length, .close)
            }
            return response
        },
        "chunked-with-length": { exchange in
            var response =
                exchange.query.flag("whole") ? exchange.whole(exchange.resource) : exchange.honest()
            response.framing = .chunked
            if exchange.isFaulty(.all) {
                response.add("Content-Length", "\(response.body.length + (exchange.query.int("by") ?? -7))")
            }
            return response
        },
        // Here the body agrees with Content-Length, but not with Content-Range.
        "contradicting-length": { exchange in
            var response = exchange.honest()
            guard exchange.isFaulty(.all), let range = exchange.part(of: exchange.resource) else {
                return response
            }
            let count = max(0, range.upperBound - range.lowerBound + (exchange.query.int("by") ?? 7))
            let content = exchange.resource.content
            response.body = Body(parts: [.content(content, range.lowerBound..<range.lowerBound + count)])
            response.framing = exchange.query.flag("chunked") ? .chunked : .length("\(count)")
            return response
        },
    ]
}

extension Behaviours {
    /// Heads that violate HTTP/1.1, or state more than they should.
    static let heads: [String: Behaviour] = [
        "extra-field": faultyHead { exchange, response in
            guard let field = exchange.query.bytes("field"), let colon = field.firstIndex(of: 0x3a) else {
                return
            }
            response.add(lenientString(field[..<colon]), Array(field[(colon + 1)...]))
        },
        "bare-lf": faultyHead { _, response in response.lineEnd = "\n" },
        "http10": faultyHead { _, response in
            response.version = "HTTP/1.0"
            response.closesConnection = true
        },
        "odd-version": faultyHead { exchange, response in
            response.version = exchange.query.string("version") ?? "HTTP/7.3"
        },
        "status-line": faultyHead { exchange, response in
            response.statusLine = "HTTP/1.1 \(response.status)\(exchange.query.string("end") ?? "OK")"
        },
        "folded": faultyHead { _, response in
            response.lineEnd = "\r\n"
            for index in response.fields.indices where response.fields[index].name == "Content-Range" {
                let value = response.fields[index].value
                guard let blank = value.firstIndex(of: 0x20) else { continue }
                response.set("Content-Range", nil)
                response.add("Content-Range", value[..<blank] + [13, 10] + value[blank...])
                return
            }
        },
        "nul-in-head": faultyHead { _, response in response.add("X-Nul", [0x61, 0, 0x62]) },
        "garbage-head": faultyHead { exchange, response in
            response.rawHead = Array("GARBAGE \(response.status)\r\nno field\r\n\r\n".utf8)
            response.closesConnection = true
        },
        "no-head": faultyHead { _, response in
            response.rawHead = []
            response.closesConnection = true
        },
        "cut-head": faultyHead { _, response in
            response.rawHead = Array(response.head.dropLast(20))
            response.cut = (0, .close)
        },
        "long-head": faultyHead { exchange, response in
            for _ in 0..<Int(exchange.query.int("lines") ?? 280) {
                response.add("X-Padding", String(repeating: "x", count: 1000))
            }
        },
        "endless-head": faultyHead { exchange, response in
            let line = Array("X-Padding: \(String(repeating: "x", count: 1000))\r\n".utf8)
            let count = Int(exchange.query.int("lines") ?? 1000)
            response.rawHead = response.head.dropLast(2) + (0..<count).flatMap { _ in line }
            response.cut = (0, .stall)
        },
        "long-field": faultyHead { exchange, response in
            let count = Int(exchange.query.int("bytes") ?? 1 << 20)
            response.rawHead =
                response.head.dropLast(2) + Array("X-Long: ".utf8)
                + [UInt8](repeating: 0x78, count: count)
            response.cut = (0, .stall)
        },
    ]

    private static func faultyHead(
        _ spoil: @escaping @Sendable (Exchange, inout Response) -> Void
    ) -> Behaviour {
        { exchange in
            var response =
                exchange.query.flag("whole") ? exchange.whole(exchange.resource) : exchange.honest()
            if exchange.isFaulty(.all) { spoil(exchange, &response) }
            return response
        }
    }
}

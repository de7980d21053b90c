extension Behaviours {
    /// Servers that honour only some ranges.
    static let rangeSupport: [String: Behaviour] = [
        "ranges-sometimes": { exchange in
            let every = max(1, exchange.query.int("every") ?? 2)
            let ignoresRange = exchange.laterOrdinal > 0 && exchange.laterOrdinal % every == 0
            return ignoresRange ? exchange.whole(exchange.resource) : exchange.honest()
        },
        "ranges-only-first": { exchange in
            exchange.ordinal == 1 ? exchange.honest() : exchange.whole(exchange.resource)
        },
        "ranges-only-later": { exchange in
            let isLater = exchange.part(of: exchange.resource).map { $0.lowerBound > 0 } ?? false
            var response = isLater ? exchange.honest() : exchange.whole(exchange.resource)
            response.cut = (exchange.query.int("at") ?? response.body.length, .close)
            return response
        },
        "ranges-under-200": { exchange in
            var response = exchange.honest()
            guard response.status == 206, exchange.isFaulty(.all) else { return response }
            response.status = 200
            if exchange.query.flag("silent") { response.set("Content-Range", nil) }
            return response
        },
        "ranges-refused": { exchange in
            guard exchange.isFaulty(.all), exchange.head["range"] != nil,
                exchange.part(of: exchange.resource)?.lowerBound ?? .max >= exchange.query.int("behind") ?? 0
            else { return exchange.honest() }
            let code = Int(exchange.query.int("code") ?? 403)
            if exchange.query.flag("reset") { return .none(.reset) }
            if code == 302 { return redirect(exchange, to: Array(exchange.head.target.utf8)) }
            if let empty = exchange.query.string("empty") { return nothing(exchange, code, empty) }
            return code == 0 ? .none(.close) : .page(code)
        },
        "coding-refused": { exchange in
            exchange.head["accept-encoding"] == nil
                ? exchange.honest() : .page(Int(exchange.query.int("code") ?? 406))
        },
        "short-ranges": { exchange in
            guard let range = exchange.part(of: exchange.resource) else { return bare(exchange) }
            let end = min(range.upperBound, range.lowerBound + (exchange.query.int("most") ?? 100_000))
            return exchange.partial(range.lowerBound..<end, of: exchange.resource)
        },
        "long-ranges-refused": { exchange in
            let most = exchange.query.int("most") ?? 100_000
            guard let range = exchange.part(of: exchange.resource) else { return bare(exchange) }
            let isOpen = exchange.head["range"]?.hasSuffix("-") ?? false
            let isRefused =
                isOpen ? !exchange.query.flag("open") : range.upperBound - range.lowerBound > most
            return isRefused ? .page(Int(exchange.query.int("code") ?? 400)) : exchange.honest()
        },
        "ranges-on-first-connection": { exchange in
            let first = exchange.state.records.first?.origin.connection
            return first == exchange.record.origin.connection
                ? exchange.honest() : exchange.whole(exchange.resource)
        },
    ]

    /// An answer that ends before the first byte of its body.
    private static func nothing(_ exchange: Exchange, _ code: Int, _ form: String) -> Response {
        var response = exchange.honest()
        response.status = code
        if code != 206 { response.set("Content-Range", code == 416 ? "bytes */0" : nil) }
        switch form {
        case "cut": response.cut = (0, .close)
        case "chunked":
            response.body = Body()
            response.framing = .chunked
        case "closed":
            response.body = Body()
            response.framing = .untilClose
            response.closesConnection = true
        default:
            response.body = Body()
            response.framing = .length("0")
        }
        return response
    }

    /// The answer to a request without a range.
    private static func bare(_ exchange: Exchange) -> Response {
        exchange.query.int("bare").map { .page(Int($0)) } ?? exchange.honest()
    }

    /// 206 answers with other bytes than requested. Without a range in the request they are correct.
    static let wrongRanges: [String: Behaviour] = [
        "wrong-start": faultyRange { exchange, range in
            let size = exchange.resource.size
            let shift = exchange.query.int("by") ?? 1
            let start = min(max(0, range.lowerBound + shift), size - 1)
            return exchange.partial(
                start..<min(max(start + 1, range.upperBound + shift), size), of: exchange.resource)
        },
        "aligned-start": faultyRange { exchange, range in
            let block = max(1, exchange.query.int("block") ?? 65_536)
            return exchange.partial(
                range.lowerBound / block * block..<range.upperBound, of: exchange.resource)
        },
        "open-end": faultyRange { exchange, range in
            exchange.partial(range.lowerBound..<exchange.resource.size, of: exchange.resource)
        },
        "whole-range": faultyRange { exchange, _ in
            exchange.partial(0..<exchange.resource.size, of: exchange.resource)
        },
        "no-seek": { exchange in
            let (resource, query) = (exchange.resource, exchange.query)
            var response = faultyRange { exchange, range in
                let isWhole = query.flag("chunked") || query.flag("closed")
                var response = exchange.partial(range, of: resource)
                let length = isWhole ? resource.size : range.upperBound - range.lowerBound
                response.body = Body(parts: [.content(resource.content, 0..<length)])
                if isWhole { response.framing = query.flag("chunked") ? .chunked : .untilClose }
                response.closesConnection = query.flag("closed")
                return response
            }(exchange)
            if exchange.ordinal == 1, let at = query.int("at") { response.cut = (at, .close) }
            return response
        },
        "wrong-end": faultyRange { exchange, range in
            // A one-byte body cannot be shortened and still have a Content-Range.
            let end = max(range.lowerBound + 1, range.upperBound - 1)
            return exchange.partial(range.lowerBound..<end, of: exchange.resource)
        },
        "wrong-total": withContentRange { range, size in
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size + 1)"
        },
        "no-content-range": withContentRange { _, _ in nil },
        "garbled-content-range": { exchange in
            let value = exchange.query.string("value") ?? "bytes banana"
            return withContentRange { _, _ in value }(exchange)
        },
        "no-total": withContentRange { range, _ in "bytes \(range.lowerBound)-\(range.upperBound - 1)/*" },
        "two-content-ranges": faultyRange { exchange, range in
            var response = exchange.partial(range, of: exchange.resource)
            response.add("Content-Range", "bytes 1-2/\(exchange.resource.size)")
            return response
        },
        "negative-content-range": withContentRange { _, size in "bytes -5-10/\(size)" },
        "multipart": faultyRange { exchange, range in
            let resource = exchange.resource
            let head = """
                --SEPARATOR\r
                Content-Type: application/octet-stream\r
                Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(resource.size)\r
                \r\n
                """
            var response = Response(
                status: exchange.query.int("code").map { Int($0) } ?? 206,
                body: Body(parts: [
                    .bytes(Array(head.utf8)), .content(resource.content, range),
                    .bytes(Array("\r\n--SEPARATOR--\r\n".utf8)),
                ]))
            exchange.addFileFields(of: resource, to: &response)
            response.set("Content-Type", "multipart/byteranges; boundary=SEPARATOR")
            return response
        },
    ]

    private static func faultyRange(
        _ answer: @escaping @Sendable (Exchange, Range<Int64>) -> Response
    ) -> Behaviour {
        { exchange in
            guard exchange.isFaulty(.later), let range = exchange.part(of: exchange.resource) else {
                return exchange.honest()
            }
            return answer(exchange, range)
        }
    }

    private static func withContentRange(
        _ value: @escaping @Sendable (Range<Int64>, Int64) -> String?
    ) -> Behaviour {
        faultyRange { exchange, range in
            var response = exchange.partial(range, of: exchange.resource)
            response.set("Content-Range", value(range, exchange.resource.size))
            return response
        }
    }
}

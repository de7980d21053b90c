extension Behaviours {
    /// Files that change, or seem to, during a download.
    static let versions: [String: Behaviour] = [
        "changing": { exchange in
            guard exchange.ordinal > exchange.query.int("after") ?? 1 else { return exchange.honest() }
            let resource = next(exchange)
            return exchange.query.flag("whole") ? exchange.whole(resource) : exchange.honest(resource)
        },
        "replaced-within": { exchange in
            guard exchange.ordinal <= exchange.query.int("times") ?? 1 else {
                return exchange.honest(next(exchange))
            }
            var response = exchange.honest()
            guard case .content(let content, let range)? = response.body.parts.first else { return response }
            let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
            response.body = Body(parts: [
                .content(content, range.lowerBound..<middle),
                .content(next(exchange).content, middle..<range.upperBound),
            ])
            if exchange.query.flag("cut") { response.cut = (middle - range.lowerBound, .close) }
            return response
        },
        "rotating": { exchange in
            var resource = exchange.resource
            let turn = exchange.ordinal % (exchange.query.int("of") ?? 1_000_000)
            let by = exchange.query.string("by") ?? "all"
            if by != "lm" { resource.changeEntityTag("\(turn)") }
            if by != "etag" { resource.lastModified = Resource.date(plus: turn) }
            return exchange.honest(resource)
        },
        "rotating-etag": { exchange in
            var resource = exchange.resource
            resource.changeEntityTag("\(exchange.ordinal)")
            return exchange.honest(resource)
        },
    ]

    /// The next version of the file, and the properties that differ.
    private static func next(_ exchange: Exchange) -> Resource {
        var resource = exchange.resource
        resource.seed &+= 1
        let how = exchange.query.string("by") ?? "etag"
        if how == "total" || how == "all" { resource.size += exchange.query.int("grows") ?? 1000 }
        if how == "etag" || how == "all" { resource.changeEntityTag("changed") }
        if how == "no-etag" { resource.entityTag = nil }
        if how == "lm" || how == "all", resource.lastModified != nil {
            resource.lastModified = Resource.laterDate
        }
        return resource
    }
}

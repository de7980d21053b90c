extension Behaviours {
    /// Files that change, or seem to, while they are being fetched.
    static let versions: [String: Behaviour] = [
        "changing": { exchange in
            guard exchange.ordinal > exchange.query.int("after") ?? 1 else { return exchange.honest() }
            var resource = exchange.resource
            resource.seed &+= 1
            let how = exchange.query.string("by") ?? "etag"
            if how == "total" || how == "all" { resource.size += 1000 }
            if how == "etag" || how == "all" { resource.changeEntityTag("changed") }
            if how == "lm" || how == "all", resource.lastModified != nil {
                resource.lastModified = Resource.laterDate
            }
            return exchange.honest(resource)
        },
        "rotating-etag": { exchange in
            var resource = exchange.resource
            resource.changeEntityTag("\(exchange.ordinal)")
            return exchange.honest(resource)
        },
    ]
}

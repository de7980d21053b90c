/// A request with all facts that a behaviour may use to answer it.
struct Exchange {
    let head: RequestHead
    let target: Target
    let record: RequestRecord
    let state: CaseState
    let resource: Resource
    /// Stops accepting connections from any client.
    let stopListening: @Sendable () -> Void

    var query: Query { target.query }
    var ordinal: Int64 { record.place.ordinal }
    var laterOrdinal: Int64 { record.place.laterOrdinal }

    enum Scope {
        case all
        case later
    }

    /// True if a behaviour's fault applies to this request: it is one of the first `times` of those that
    /// count. These are all or only later ones, and the query may override the behaviour's scope.
    func isFaulty(_ scope: Scope, times: Int64 = .max) -> Bool {
        let onlyLater = query.flag("later") || (scope == .later && !query.flag("first"))
        let number = onlyLater ? laterOrdinal : ordinal
        return number > 0 && number <= query.int("times") ?? times
    }

    func range(of resource: Resource) -> RequestedRange {
        RequestedRange(header: conditionFails(resource) ? nil : head["range"], size: resource.size)
    }

    /// The range, if the request has a satisfiable one.
    func part(of resource: Resource) -> Range<Int64>? {
        if case .part(let range) = range(of: resource) { range } else { nil }
    }

    // MARK: Honest answers, which most faults are made from

    func honest() -> Response {
        honest(resource)
    }

    func honest(_ resource: Resource) -> Response {
        if query.flag("conditions"), let condition = head["if-match"], condition != "*",
            condition != resource.entityTag
        {
            return .page(412)
        }
        if query.flag("conditions"), let condition = head["if-none-match"], condition == resource.entityTag {
            return Response(status: 304, body: Body(parts: []))
        }
        if query.string("conditions") == "quoted", let condition = head["if-none-match"] ?? head["if-match"],
            !condition.hasSuffix("\"")
        {
            return .page(412)
        }
        switch range(of: resource) {
        case .whole:
            return whole(resource)
        case .part(let range):
            return partial(range, of: resource)
        case .unsatisfiable:
            var response = Response.page(416)
            response.add("Content-Range", "bytes */\(resource.size)")
            response.add("Accept-Ranges", "bytes")
            return response
        }
    }

    func whole(_ resource: Resource) -> Response {
        var response = Response(
            status: 200, body: Body(parts: [.content(resource.content, 0..<resource.size)]))
        addFileFields(of: resource, to: &response)
        return response
    }

    func partial(_ range: Range<Int64>, of resource: Resource) -> Response {
        var response = Response(status: 206, body: Body(parts: [.content(resource.content, range)]))
        addFileFields(of: resource, to: &response)
        response.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(resource.size)")
        return response
    }

    func addFileFields(of resource: Resource, to response: inout Response) {
        response.add("Content-Type", query.bytes("ctype") ?? Array("application/octet-stream".utf8))
        response.add("Accept-Ranges", "bytes")
        if let tag = resource.entityTag { response.add("ETag", tag) }
        if let date = resource.lastModified { response.add("Last-Modified", date) }
        if let value = query.bytes("disposition") { response.add("Content-Disposition", value) }
    }

    func addRetryAfter(to response: inout Response) {
        guard let value = query.string("retry-after") else { return }
        if value.hasPrefix("date+"), let seconds = Int(value.dropFirst("date+".count)) {
            let clock = query.int("clock").map { Int($0) }
            response.add("Retry-After", httpDate(secondsFromNow: seconds + (clock ?? 0)))
            if let clock { response.add("Date", httpDate(secondsFromNow: clock)) }
        } else {
            response.add("Retry-After", value)
        }
    }

    private func conditionFails(_ resource: Resource) -> Bool {
        guard query.flag("conditions"), let condition = head["if-range"] else { return false }
        let matchesTag = condition == resource.entityTag && !condition.hasPrefix("W/")
        return !matchesTag && condition != resource.lastModified
    }
}

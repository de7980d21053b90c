/// The requests with which tests read and clear the log, and release held answers.
enum Admin {
    static func answer(_ path: Substring, query: Query, registry: Registry) -> Response {
        let name = query.string("case")
        let result: JSON
        switch path {
        case "/_/log":
            result = registry.log(ofCase: name)
        case "/_/peak":
            result = registry.state(ofCase: name ?? "").summary
        case "/_/release":
            registry.state(ofCase: name ?? "").release()
            result = .object([])
        case "/_/forget":
            registry.forget(case: name)
            result = .object([])
        default:
            return .page(404)
        }
        var response = Response(status: 200, body: .text(result.text + "\n"))
        response.add("Content-Type", "application/json")
        return response
    }
}

package struct Interface: Sendable {
    package init(_ downloads: Downloads, settings: RPCSettings) {}
    static func path(of path: String) -> String? { nil }
    func answer(_ request: HTTPRequest, _ path: String) async -> HTTPAnswer { .empty }
}
enum PageFiles { static func answer(_ request: HTTPRequest) -> HTTPAnswer { .text(404, "no") } }

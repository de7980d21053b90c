enum PageFiles { static func answer(_ request: HTTPRequest) -> HTTPAnswer { .text(404, "no") } }

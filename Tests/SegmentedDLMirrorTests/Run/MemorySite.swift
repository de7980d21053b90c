@testable import SegmentedDL
@testable import TestSupport

/// A server in memory with pages and files by URL; everything else is not found.
struct MemorySite {
    var pages: [String: (type: String, body: String)] = [:]
    var redirects: [String: String] = [:]

    func engine() -> MemoryEngine {
        MemoryEngine { [self] request, _ in
            if let target = redirects[request.url] {
                return .init(head: ResponseHead(status: 302, fields: [HTTPHeader("Location", target)]))
            }
            guard let page = pages[request.url] else { return .init(head: ResponseHead(status: 404)) }
            var reply = MemoryEngine.Reply.honest(Array(page.body.utf8), request.range)
            reply.head.append(HTTPHeader("Content-Type", page.type))
            return reply
        }
    }

    mutating func list(_ url: String, _ links: String...) {
        pages[url] = ("text/html", links.map { "<a href=\"\($0)\">x</a>" }.joined())
    }

    mutating func file(_ url: String, _ body: String = "content") {
        pages[url] = ("application/octet-stream", body)
    }
}

import Testing

@testable import SegmentedDL

@Suite("Sources named by servers")
struct LinkedSourcesValueTests {
    private func head(_ status: Int = 206, _ links: String..., digest: String? = nil) -> ResponseHead {
        var head = ResponseHead(status: status)
        for link in links { head.append(HTTPHeader("Link", link)) }
        if let digest { head.append(HTTPHeader("Digest", "SHA-256=" + digest)) }
        return head
    }

    private func urls(_ linked: LinkedSources) -> [String] { linked.sources.map(\.url) }

    private let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test("those of redirects count, too, with their digest")
    func redirects() throws {
        let start = try Source("http://a/x")
        let target = try Source("http://b/x")
        let linked = LinkedSources(
            redirects: [
                (head(302, "<http://c/x>; rel=duplicate, <http://b/x>; rel=duplicate", digest: zeros), start)
            ],
            last: (head(206, "<http://d/x>; rel=duplicate, <http://c/x>; rel=duplicate"), target))
        #expect(urls(linked) == ["http://c/x", "http://d/x"])
        #expect(linked.digest?.checksum.algorithm == .sha256)
        // A digest in a plain redirect is that of its own content.
        let plain = LinkedSources(
            redirects: [(head(302, digest: zeros), start)],
            last: (head(206, "<http://d/x>; rel=duplicate"), target))
        #expect(plain.digest == nil && urls(plain) == ["http://d/x"])
    }

    @Test(
        "Metalinks that describe the file are recorded, each once, and none over http if https was requested"
    )
    func descriptions() throws {
        func link(_ url: String) -> String { "<\(url)>; rel=describedby; type=\"application/metalink4+xml\"" }
        let links = head(
            206, link("x.meta4"), link("http://u:p@c/x.meta4"),
            "<x.html>; rel=describedby; type=\"text/html\"")
        func found(_ url: String) throws -> [String] {
            let source = try Source(url)
            return LinkedSources(redirects: [(links, source)], last: (links, source)).descriptions.map(\.url)
        }
        #expect(try found("http://a/x") == ["http://a/x.meta4", "http://c/x.meta4"])
        #expect(try found("https://a/x") == ["https://a/x.meta4"])
    }

    @Test("at most a few, none over http if https was requested, and without credentials")
    func bounded() throws {
        let many = (0..<100).map { "<https://h\($0)/x>; rel=duplicate" }.joined(separator: ", ")
        let linked = LinkedSources(
            redirects: [],
            last: (head(206, "<http://plain/x>; rel=duplicate", many), try Source("https://a/x")))
        #expect(linked.sources.count == LinkedSources.most && urls(linked).first == "https://h0/x")
        let named = LinkedSources(
            redirects: [], last: (head(206, "<http://u:p@b/x>; rel=duplicate"), try Source("http://a/x")))
        #expect(named.sources.first?.hasCredentials == false)
    }
}

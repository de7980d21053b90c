import Testing

@testable import SegmentedDL

@Suite("The rule for redirects")
struct RedirectRuleTests {
    private func target(
        _ location: String, from url: String, hops: Int = 1, allowsInsecure: Bool = false
    ) throws -> String {
        let rule = RedirectRule(maximum: 2, allowsInsecure: allowsInsecure)
        return try rule.target(of: location, from: Source(url), hops: hops).url
    }

    @Test("allows https to http only on request")
    func insecure() throws {
        #expect(throws: TransferFailure.self) { try target("http://b/f", from: "https://a/f") }
        #expect(try target("http://b/f", from: "https://a/f", allowsInsecure: true) == "http://b/f")
    }

    @Test("allows all others, relative ones too")
    func others() throws {
        #expect(try target("https://b/f", from: "https://a/f") == "https://b/f")
        #expect(try target("https://b/f", from: "http://a/f") == "https://b/f")
        #expect(try target("http://b/f", from: "http://a/f") == "http://b/f")
        #expect(try target("//b/f", from: "https://a/f") == "https://b/f")
        #expect(try target("/g", from: "https://a/f") == "https://a/g")
    }

    @Test(
        "allows a listed file that is a directory only where permitted",
        arguments: ["/a%20b/", "a%20b/", "/%61 b/", "http://h/a%20b/"])
    func directories(location: String) throws {
        var rule = RedirectRule(maximum: 2, allowsInsecure: false)
        let place = try Source("http://h/a%20b")
        #expect(try rule.target(of: location, from: place, hops: 1).url.hasSuffix("b/"))
        rule.refusesDirectories = true
        let failure = #expect(throws: TransferFailure.self) {
            try rule.target(of: location, from: place, hops: 1)
        }
        guard case .directory(let directory)? = failure else {
            Issue.record("It was refused for another reason.")
            return
        }
        #expect(directory.url.hasSuffix("b/"))
        // Redirects to other URLs imply files.
        for other in ["/a%20b/c", "/a%20b", "//other/a%20b/", "/x/"] {
            #expect(throws: Never.self) { try rule.target(of: other, from: place, hops: 1) }
        }
    }

    @Test("encodes control characters in a target, as wget does")
    func controlCharacters() throws {
        #expect(try target("/a\tb\u{1}c?d\u{7f}", from: "http://a/f") == "http://a/a%09b%01c?d%7F")
        #expect(try target(" /g\t", from: "http://a/f") == "http://a/g")
        #expect(throws: TransferFailure.self) { try target("http://b\u{1}c/", from: "http://a/f") }
    }

    @Test("allows no more than the maximum, and only usable targets")
    func refused() throws {
        #expect(try target("/g", from: "http://a/f", hops: 2) == "http://a/g")
        #expect(throws: TransferFailure.self) { try target("/g", from: "http://a/f", hops: 3) }
        #expect(throws: TransferFailure.self) { try target("ftp://a/f", from: "http://a/f") }
    }

    @Test("names a cookie of a redirect loop, without its value")
    func cookie() throws {
        let rule = RedirectRule(maximum: 2, allowsInsecure: false)
        let failure = #expect(throws: TransferFailure.self) {
            try rule.target(of: "/g", from: Source("http://a/f"), hops: 3, cookie: "session")
        }
        let error = try #require(failure).error(for: Source("http://a/f"), file: "f")
        #expect(error.message.contains("Set-Cookie: session") && error.remedy == .cookie, "\(error)")
    }
}

import Testing

@testable import SegmentedDL

@Suite("The remembered target of redirects")
struct RedirectCacheTests {
    private let original = try? Source("https://a.example/file")
    private let target = try? Source("https://cdn.example/file?sig=1")
    private let newer = try? Source("https://cdn.example/file?sig=2")

    @Test("requests go to the source until a target is known, and again when it is forgotten")
    func rememberAndForget() throws {
        let original = try #require(original)
        let target = try #require(target)
        let route = RedirectCache(original)
        #expect(route.target == original)
        route.remember(target)
        #expect(route.target == target)
        #expect(route.source == original)
        route.forget(target)
        #expect(route.target == original)
    }

    @Test("forgetting an old target keeps a newer one")
    func forgetOld() throws {
        let target = try #require(target)
        let newer = try #require(newer)
        let route = RedirectCache(try #require(original))
        route.remember(newer)
        route.forget(target)
        #expect(route.target == newer)
    }

    @Test("remembering the source itself has no effect")
    func rememberSource() throws {
        let original = try #require(original)
        let route = RedirectCache(original)
        route.remember(try #require(target))
        route.remember(original)
        #expect(route.target == original)
    }
}

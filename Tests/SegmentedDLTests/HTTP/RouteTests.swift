import Testing

@testable import SegmentedDL

@Suite("The remembered target of redirects")
struct RouteTests {
    private let original = try? Source("https://a.example/file")
    private let target = try? Source("https://cdn.example/file?sig=1")
    private let newer = try? Source("https://cdn.example/file?sig=2")

    @Test("requests go to the source until a target is known, and again when it is forgotten")
    func rememberAndForget() throws {
        let original = try #require(original)
        let target = try #require(target)
        let route = Route(original)
        #expect(route.target == original)
        route.remember(target)
        #expect(route.target == target)
        #expect(route.source == original)
        route.forget(target)
        #expect(route.target == original)
    }

    @Test("forgetting an old target leaves a newer one")
    func forgetOld() throws {
        let target = try #require(target)
        let newer = try #require(newer)
        let route = Route(try #require(original))
        route.remember(newer)
        route.forget(target)
        #expect(route.target == newer)
    }

    @Test("remembering the source itself is remembering nothing")
    func rememberSource() throws {
        let original = try #require(original)
        let route = Route(original)
        route.remember(try #require(target))
        route.remember(original)
        #expect(route.target == original)
    }
}

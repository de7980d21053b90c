import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("A link of a listing")
struct ListingLinkTests {
    enum Meaning: Equatable { case navigation, entry(String), part, stray, doubtful }

    private func meaning(_ link: String, _ listing: String) throws -> Meaning {
        let directory = try Source(listing)
        switch ListingLink(try URLParser.parse(link, relativeTo: directory), in: directory) {
        case .navigation: return .navigation
        case .entry(let source): return .entry(source.identity)
        case .part: return .part
        case .stray: return .stray
        case .doubtful: return .doubtful
        }
    }

    private static func settled(_ meaning: Meaning) throws -> Meaning {
        guard case .entry(let url) = meaning else { return meaning }
        return .entry(try Source(url).identity)
    }

    @Test(
        "is classified as entry, stray or navigation by its path, its server and its query",
        arguments: [
            // Navigation.
            ("./", .navigation), ("../", .navigation), ("/", .navigation),
            ("/pub", .navigation), ("/other/a", .navigation), ("?C=N;O=D", .navigation),
            ("./?sort=name&order=asc", .navigation), ("/other/?page=2", .navigation),
            ("http://other/pub/?page=2", .navigation),
            ("http://host/pub/", .navigation), ("http://other/", .navigation),
            ("http://other/pub/", .navigation), ("http://other/x/a", .navigation),
            ("a/../..", .navigation), ("a/../../other", .navigation), ("#top", .navigation),
            // Entries.
            ("a", .entry("http://host/pub/a")), ("/pub/a", .entry("http://host/pub/a")),
            ("b/../a", .entry("http://host/pub/a")), ("/x/../pub/a", .entry("http://host/pub/a")),
            ("//host/pub/a", .entry("http://host/pub/a")), ("a#part", .entry("http://host/pub/a")),
            ("HTTP://HOST/pub/a", .entry("http://host/pub/a")), ("/%70ub/a", .entry("http://host/%70ub/a")),
            ("http://host:80/pub/a", .entry("http://host:80/pub/a")),
            ("a%2Fb", .entry("http://host/pub/a%2Fb")),
            // Another spelling of the server.
            ("https://host/pub/a", .entry("http://host/pub/a")),
            ("https://host:443/pub/a", .entry("http://host/pub/a")),
            ("//www.host/pub/a/", .entry("http://host/pub/a/")),
            ("https://www.host./pub/a", .entry("http://host/pub/a")),
            // Sorted.
            ("sub/?C=N;O=D", .entry("http://host/pub/sub/")),
            ("sub/?sort=size", .entry("http://host/pub/sub/")),
            ("https://host/pub/sub/?C=N&O=D", .entry("http://host/pub/sub/")),
            // Another part of the listing.
            ("?page=2", .part), ("?dir=sub", .part), ("/pub/?start=2", .part), ("./?marker=b.bin", .part),
            ("/pub?page=2", .part), ("https://www.host/pub/?page=2", .part), ("?C=N;O=D&page=2", .part),
            ("/%70ub/?page=2", .part),
            // Strays.
            ("a?token=x", .stray), ("a?C=N", .stray), ("get.php?file=a", .stray), ("sub/?page=2", .stray),
            ("http://other/pub/a", .stray), ("//127.0.0.1/pub/a", .stray), ("http://host:8080/pub/a", .stray),
            ("https://host:8443/pub/a", .stray), ("https://cdn.host/pub/sub/", .stray),
        ] as [(String, Meaning)])
    func table(link: String, expected: Meaning) throws {
        #expect(try meaning(link, "http://host/pub/") == Self.settled(expected))
    }

    @Test(
        "to another server is doubtful at a server's root, unless its unusual port is the same",
        arguments: [
            ("http://127.0.0.1:8080/", "http://localhost:8080/a", .stray),
            ("http://127.0.0.1:8080/", "http://localhost:8081/a", .doubtful),
            ("http://host/", "http://other/a", .doubtful), ("http://host/", "http://other/", .navigation),
            ("http://host/", "https://www.host/a", .entry("http://host/a")),
            ("https://www.host/", "http://host/a", .entry("https://www.host/a")),
            ("http://host:8080/", "https://host/a", .doubtful),
        ] as [(String, String, Meaning)])
    func root(listing: String, link: String, expected: Meaning) throws {
        #expect(try meaning(link, listing) == Self.settled(expected))
    }

    @Test("with a query leads to the page of the listing itself, or is a stray")
    func page() throws {
        #expect(try meaning("index.php?C=N", "http://host/pub/index.php") == .navigation)
        #expect(try meaning("index.php?C=N", "http://host/pub/") == .stray)
        #expect(try meaning("index.php?page=2", "http://host/pub/index.php") == .part)
        #expect(try meaning("?t=x&C=N", "http://host/pub/?t=x") == .navigation)
        #expect(try meaning("?t=y", "http://host/pub/?t=x") == .part)
    }

    // MARK: In a listing

    private func entries(_ links: [String], at url: String = "http://host/pub/") throws -> [IndexEntry] {
        var parser = try HTMLIndexParser(of: Source(url), root: Source("http://host/"))
        return try parser.feed(Array(MirroredSite.page(links).utf8)) + parser.finish()
    }

    @Test("that is a stray makes one unusable entry for all strays of its listing")
    func unusable() throws {
        let found = try entries(["a", "http://other/pub/b", "c?x=y", "//third/pub/d/"])
        guard case .unusable(let entry)? = found.last, found.count == 2 else {
            Issue.record("\(found)")
            return
        }
        #expect(entry.path == "pub/" && entry.place == "http://host/pub/")
        #expect(entry.reason.contains("3 names") && entry.reason.contains("'http://other/pub/b'"))
    }

    @Test("that is a stray is not reported if the same name has an entry")
    func twice() throws {
        #expect(try entries(["a", "a?view=1", "https://cdn/pub/b", "b"]).count == 2)
        #expect(try entries(["sub/", "http://other/pub/sub/"]).count == 1)
    }

    @Test("that is doubtful counts only if a listing has no other")
    func doubtful() throws {
        #expect(try entries(["http://other/a"], at: "http://host/").count == 1)
        #expect(try entries(["a", "http://other/b"], at: "http://host/").count == 1)
    }

    @Test("may have a colon in its name", arguments: ["2024-01-01T10:00.txt", "a b:c", "./x:y"])
    func colon(link: String) throws {
        guard case .file(_, let path)? = try entries([link]).first else {
            Issue.record("It is no file.")
            return
        }
        #expect(path.text == "pub/" + (link.hasPrefix("./") ? "x:y" : link))
        #expect(try entries(["../", "mailto:x", "javascript:y", "ftp://host/a"]) == [])
    }

    @Test("to another part of the listing makes one unusable entry for its directory")
    func parts() throws {
        let found = try entries(["a", "?page=2", "?page=3"])
        guard case .unusable(let entry)? = found.last, found.count == 2 else {
            Issue.record("\(found)")
            return
        }
        #expect(entry.path == "pub/" && entry.reason.contains("'http://host/pub/?…'"), "\(entry.reason)")
    }

    @Test(
        "to the next page makes an unusable entry, whatever its URL is",
        arguments: [
            "<a rel='nofollow next' href='page/2/'>Next</a>", "<link rel=next href=/pub/2.html>",
            "<a REL=Next href=http://host/pub/?cursor=x>more</a>",
        ])
    func next(html: String) throws {
        var parser = try HTMLIndexParser(of: Source("http://host/pub/"), root: Source("http://host/"))
        let found = try parser.feed(Array((html + "<a href=a>a</a>").utf8)) + parser.finish()
        #expect(found.count == 2)
        guard case .unusable(let entry)? = found.last else {
            Issue.record("\(found)")
            return
        }
        #expect(entry.path == "pub/")
    }

    @Test("to the next page may be in a Link field")
    func linkField() throws {
        let url = try Source("http://host/pub/")
        var parser = try HTMLIndexParser(of: url, root: url, links: ["<?page=2>; rel=\"next\""])
        let found = try parser.feed(Array(MirroredSite.page("a").utf8)) + parser.finish()
        guard case .unusable(let entry)? = found.last, found.count == 2 else {
            Issue.record("\(found)")
            return
        }
        #expect(entry.path == nil && entry.reason.contains("'http://host/pub/?…'"), "\(entry.reason)")
    }

    @Test("to another part of the listing prevents deletions by a mirror, and counts as its failure")
    func partDeletion() async throws {
        let directory = try TemporaryDirectory()
        let site = MirroredSite()
        site.change {
            $0.pages = ["": MirroredSite.page("pub/"), "pub/": MirroredSite.page("a", "b")]
            $0.files = ["pub/a": "A", "pub/b": "B"]
        }
        let job = MirrorJob.remembering(below: directory) { $0.deletion = .everything }
        #expect(try await site.mirror(job).report.isComplete)
        for link in ["?page=2", "/pub/?start=1", "./?marker=a"] {
            site.change { $0.pages["pub/"] = MirroredSite.page("a", link) }
            let report = try await site.mirror(job).report
            #expect(report.failed == 1 && report.deleted == 0, "\(report)")
            #expect(report.gone == 0 && directory.exists("root/pub/b"))
        }
        site.change { $0.pages["pub/"] = MirroredSite.page("?C=N;O=D", "?sort=size&order=asc", "a") }
        let report = try await site.mirror(job).report
        #expect(report.isComplete && report.deleted == 1, "\(report)")
    }

    @Test("that is a stray prevents deletions by a mirror, and counts as its failure")
    func deletion() async throws {
        let directory = try TemporaryDirectory()
        let site = MirroredSite()
        site.change {
            $0.pages = ["": MirroredSite.page("pub/"), "pub/": MirroredSite.page("a", "b")]
            $0.files = ["pub/a": "A", "pub/b": "B"]
        }
        let job = MirrorJob.remembering(below: directory) { $0.deletion = .everything }
        #expect(try await site.mirror(job).report.isComplete)
        for link in ["http://other/pub/b", "b?token=1"] {
            site.change { $0.pages["pub/"] = MirroredSite.page("a", link) }
            let report = try await site.mirror(job).report
            #expect(report.failed == 1 && report.deleted == 0, "\(report)")
            #expect(report.gone == 0 && directory.exists("root/pub/b"))
        }
        site.change { $0.pages["pub/"] = MirroredSite.page("https://www.host/pub/a", "//HOST/pub/b") }
        let report = try await site.mirror(job).report
        #expect(report.isComplete && report.deleted == 0 && report.skipped == 2, "\(report)")
    }
}

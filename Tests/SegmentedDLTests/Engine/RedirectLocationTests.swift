import Testing

@testable import SegmentedDL

@Suite("Locations of redirects")
struct RedirectLocationTests {
    @Test(
        "relative ones are resolved against their origin",
        arguments: [
            ("/x", "https://host:8443/x"), ("x", "https://host:8443/a/x"), ("../x", "https://host:8443/x"),
            ("?q=2", "https://host:8443/a/b?q=2"), ("x?", "https://host:8443/a/x?"),
            ("x\\y", "https://host:8443/a/x%5Cy"), ("//other/x", "https://other/x"),
            ("./c?d=e", "https://host:8443/a/c?d=e"),
            ("http://plain/y", "http://plain/y"), ("/a b", "https://host:8443/a%20b"),
            ("/x#frag", "https://host:8443/x"),
            // psf/requests #4989, edicl/drakma #30, whatwg/fetch #669
            ("", "https://host:8443/a/b?q=1"), ("#x", "https://host:8443/a/b?q=1"),
            (" ", "https://host:8443/a/b?q=1"), ("#x?y/z", "https://host:8443/a/b?q=1"),
            // benoitc/hackney #519
            ("page/2SkpWMOj", "https://host:8443/a/page/2SkpWMOj"),
            // carrierwaveuploader/carrierwave #2517, jumpstarter-dev/jumpstarter #662
            (
                "/a%40b%2Fc%25d?sig=x%2By%2Fz%3D&k=a+b",
                "https://host:8443/a%40b%2Fc%25d?sig=x%2By%2Fz%3D&k=a+b"
            ),
            // erickutcher/httpdownloader #53
            ("/d?p=T8V8z+DIvl/y/a+c+/21HJz==", "https://host:8443/d?p=T8V8z+DIvl/y/a+c+/21HJz=="),
            ("/%C3%A9", "https://host:8443/%C3%A9"), ("/é", "https://host:8443/%C3%A9"),
        ])
    func relative(location: String, url: String) throws {
        let base = try Source("https://host:8443/a/b?q=1")
        #expect(try URLParser.parse(location, relativeTo: base).url == url)
    }

    @Test(
        "other schemes are refused",
        arguments: ["ftp://host/x", "file:///etc/passwd", "gopher://host/", "dict://h/"])
    func schemes(location: String) throws {
        let base = try Source("https://host/a")
        let error = try #require(throws: DownloadError.self) {
            try URLParser.parse(location, relativeTo: base)
        }
        #expect(error.code == .invalidURL)
    }

    @Test("an empty URL without a base is refused", arguments: ["", "#x", " "])
    func empty(text: String) {
        #expect(throws: DownloadError.self) { try Source(text) }
    }

    @Test("control characters are refused")
    func controlCharacters() throws {
        let base = try Source("https://host/a")
        #expect(throws: DownloadError.self) { try URLParser.parse("/x\r\nEvil: 1", relativeTo: base) }
    }

    @Test("the source's credentials are not sent along")
    func credentials() throws {
        let base = try Source("https://user:pw@host/a")
        let same = try URLParser.parse("/b", relativeTo: base)
        #expect(same.credentials == nil)
        #expect(same.url == "https://host/b")
        #expect(same.origin == base.origin)
        #expect(try URLParser.parse("", relativeTo: base).credentials == nil)
        let other = try URLParser.parse("//other/b", relativeTo: base)
        #expect(other.credentials == nil)
        #expect(other.origin != base.origin)
    }

    @Test("scheme, host and port each distinguish origins")
    func origins() throws {
        let base = try Source("https://host/a")
        #expect(try URLParser.parse("https://HOST:443/b", relativeTo: base).origin == base.origin)
        #expect(try URLParser.parse("http://host/b", relativeTo: base).origin != base.origin)
        #expect(try URLParser.parse("https://host:444/b", relativeTo: base).origin != base.origin)
        #expect(try URLParser.parse("https://host.other/b", relativeTo: base).origin != base.origin)
    }
}

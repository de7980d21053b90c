import TestSupport
import Testing

@testable import SegmentedDL

@Suite("URLs parsed without libcurl")
struct SimpleURLTests {
    /// Compares the texts too: equal sources may have different texts.
    private static func isSame(_ one: Source, _ other: Source) -> Bool {
        one == other && one.url == other.url && one.lastPathComponent == other.lastPathComponent
    }

    @Test(
        "results equal libcurl's",
        arguments: [
            "http://host/", "http://host/f", "https://a.b-c.example/d001/f.txt", "http://127.0.0.1:8099/d/f",
            "http://host:80/x", "https://host:443/x", "http://host:65535/~u/a_b-c.d", "http://a1.b2/A/B//C/",
            "http://xn--bcher-kva.example/x",
        ])
    func absolute(_ text: String) throws {
        let simple = try #require(SimpleURL.parse(text, relativeTo: nil))
        #expect(Self.isSame(simple, try URLParser.parseWithLibcurl(text, relativeTo: nil)))
    }

    @Test(
        "ambiguous ones are left to libcurl",
        arguments: [
            "", "host/", "ftp://host/", "HTTP://host/", "http:/host/", "http://host", "http://Host/",
            "http://h_o/",
            "http://host:/", "http://host:0/", "http://host:080/", "http://host:65536/", "http://host:1:2/",
            "http://u@host/", "http://u:p@host/", "http://host/a b", "http://host/%41", "http://host/?q",
            "http://host/#f",
            "http://host/./a", "http://host/../a", "http://host/a/.b", "http://host/ä", "http://127.1/",
            "http://0x7f.1/",
            "http://127.0.0.01/", "http://127.0.0.256/", "http://1.2.3.4.5/", "http://123/", "http://.host/",
            "http://host./", "http://a..b/", "http://-a/", "http://[::1]/", "http://host\\a/",
            "http://host/a\n",
        ])
    func left(_ text: String) {
        #expect(SimpleURL.parse(text, relativeTo: nil) == nil)
    }

    @Test("relative links are parsed as libcurl does", arguments: ["f", "d001/", "a/b.c", "f~1", "a//b"])
    func relative(_ link: String) throws {
        for base in [
            "http://host/", "https://host:8443/pub/", "http://host/pub/index.html", "http://host/a/b/c",
        ] {
            let base = try Source(base)
            let simple = try #require(SimpleURL.parse(link, relativeTo: base))
            #expect(Self.isSame(simple, try URLParser.parseWithLibcurl(link, relativeTo: base)))
        }
    }

    @Test(
        "links that lead elsewhere are left to libcurl",
        arguments: ["/f", "../f", "./f", ".f", "//host/f", "?q", "a:b"])
    func leftRelative(_ link: String) throws {
        #expect(SimpleURL.parse(link, relativeTo: try Source("http://host/pub/")) == nil)
        for base in ["http://host/pub/?a/b", "http://host//", "http://host/a//b"] {
            #expect(SimpleURL.parse("f", relativeTo: try Source(base)) == nil)
        }
    }

    @Test("all parsed ones agree")
    func random() throws {
        let pieces = [
            "http", "https", "://", ":", "/", "//", ".", "..", "@", "?", "#", "%2e", "%", "host", "a", "Z",
            "0", "1", "127", "80",
            "255", "256", "-", "_", "~", " ", "\t", "xn--", "é", "[", "]", "\\", "0x7f", "localhost",
        ]
        var dice = SplitMix64(seed: 3)
        let bases = try [
            "http://host/pub/index", "http://0x7f.host//", "http://host/a//b/", "http://host/?a/",
        ].map {
            try Source($0)
        }
        var simple = 0
        for _ in 0..<20_000 {
            let start =
                ["", "http://", "http://host", "https://127.0.0.1:"].randomElement(using: &dice) ?? ""
            let text =
                start
                + (0..<Int.random(in: 0...6, using: &dice)).map { _ in
                    pieces.randomElement(using: &dice) ?? ""
                }.joined()
            for base in [nil] + bases {
                guard let found = SimpleURL.parse(text, relativeTo: base) else { continue }
                simple += 1
                let other = try? URLParser.parseWithLibcurl(text, relativeTo: base)
                #expect(other.map { Self.isSame(found, $0) } == true, "\(text)")
            }
        }
        #expect(simple > 500)
    }
}

import Testing

@testable import SegmentedDL

@Suite("Parsing of URLs")
struct SourceTests {
    @Test(
        "http and https URLs are accepted, with their origin",
        arguments: [
            ("http://host/x", "http", "host", 80), ("https://host/x", "https", "host", 443),
            ("HTTP://HOST/x", "http", "host", 80), ("https://host:8443/x", "https", "host", 8443),
            ("http://host:65535/", "http", "host", 65535), ("http://127.0.0.1:1/", "http", "127.0.0.1", 1),
            ("http://[::1]:8080/x", "http", "[::1]", 8080),
            ("https://[2001:db8::1]/x", "https", "[2001:db8::1]", 443),
            ("http://host", "http", "host", 80), ("http://host?q", "http", "host", 80),
        ])
    func origins(text: String, scheme: String, host: String, port: Int) throws {
        let source = try Source(text)
        #expect(source.origin == Origin(scheme: scheme, host: host, port: port))
        #expect(source.credentials == nil)
    }

    @Test(
        "a host outside ASCII is requested in its ASCII form",
        arguments: [
            ("http://bücher.localhost/f", "http://xn--bcher-kva.localhost/f"),
            ("http://BÜCHER.localhost:81/f?ü", "http://xn--bcher-kva.localhost:81/f?%C3%BC"),
            ("http://b%C3%BCcher.localhost/f", "http://xn--bcher-kva.localhost/f"),
            ("http://bu\u{308}cher.localhost/f", "http://xn--bcher-kva.localhost/f"),
            ("http://bü\u{ad}cher.localhost/f", "http://xn--bcher-kva.localhost/f"),
            ("http://bücher\u{3002}localhost/f", "http://xn--bcher-kva.localhost/f"),
            ("http://straße.example/f", "http://xn--strae-oqa.example/f"),
            ("http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/f", "http://127.0.0.1/f"),
            ("http://u:p@bücher.localhost/f", "http://xn--bcher-kva.localhost/f"),
        ])
    func international(text: String, url: String) throws {
        let source = try Source(text)
        let same = try Source(url)
        #expect(source.origin == same.origin)
        #expect(source.identity == same.identity)
        #expect(try URLParser.parse(text, relativeTo: Source("http://host/")).origin == same.origin)
        #expect(!HostName.isInternational(source.url))
    }

    @Test(
        "a host without an ASCII form is refused with advice",
        arguments: [
            "http://good.example\u{ff0f}.evil.example/", "http://a\u{fffd}.example/", "http://xn--ü.example/",
            "http://\u{ad}/", "http://\u{ff05}41.example/", "http://a\u{ff20}b.example/",
        ])
    func hostWithoutASCII(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(error.code == .invalidURL)
        #expect(error.message.contains("Punycode"))
    }

    @Test(
        "the host of a proxy is converted, and nothing else",
        arguments: [
            ("http://bücher.localhost:81", "http://xn--bcher-kva.localhost:81"),
            ("bücher.localhost", "xn--bcher-kva.localhost"),
            ("socks5://ü:ü@bücher.localhost:81/", "socks5://ü:ü@xn--bcher-kva.localhost:81/"),
            ("http://ü@host:81", "http://ü@host:81"), ("http://[::1]:81", "http://[::1]:81"),
            ("http://a\u{fffd}:81", "http://a\u{fffd}:81"),
        ])
    func proxies(text: String, proxy: String) {
        #expect(HostName.asciiHost(ofProxy: text) == proxy)
    }

    @Test(
        "invisible characters around a pasted URL are ignored",
        arguments: [
            "\u{feff}", "\u{200b}", "\u{200e}", "\u{202a}", "\u{2060}", "\u{a0}", "\u{3000}", "\u{ad}",
            " \u{200b} ",
        ])
    func invisible(mark: String) throws {
        #expect(try Source("\(mark)http://host/x\(mark)").url == "http://host/x")
        // Within it, and in links, they are characters of a name.
        #expect(try Source("http://host/a\(mark)b").url != "http://host/ab")
        let link = try URLParser.parse("x\u{200b}", relativeTo: Source("http://host/"))
        #expect(link.url.uppercased().hasSuffix("/X%E2%80%8B"))
    }

    @Test("the last @ ends a login, as in browsers")
    func loginWithAt() throws {
        let source = try Source("http://me@corp.example:p@ss@host:81/x@y")
        #expect(source.url == "http://host:81/x@y")
        #expect(source.credentials == Credentials(user: "me@corp.example", password: "p@ss"))
        #expect(throws: DownloadError.self) {
            try URLParser.parse("http://a@b@c/", relativeTo: Source("http://host/"))
        }
        #expect(HostName.asciiHost(ofProxy: "http://u:p@ss@host:81/") == "http://u:p%40ss@host:81/")
        #expect(HostName.asciiHost(ofProxy: "u@d:p@host:81") == "u%40d:p@host:81")
    }

    @Test(
        "a login that ends the URL's host is named as the probable fault",
        arguments: ["http://user:pa/ss@host/f", "http://user:p#a@host/f"])
    func brokenLogin(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(error.message.contains("percent-encode") && !error.message.contains("pa/ss"), "\(error)")
    }

    @Test("a name of spaces keeps its escapes, because no file may have that name")
    func blankName() throws {
        #expect(try Source("http://host/a/%20").fileName == "%20")
        #expect(try Source("http://host/a/%20b").fileName == "b")
        #expect(try Source("http://host/a/").fileName == nil)
    }

    @Test(
        "other schemes are refused by name",
        arguments: ["ftp", "file", "sftp", "gopher", "ws", "data", "xyz"])
    func schemes(scheme: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source("\(scheme)://host/x") }
        #expect(error.code == .invalidURL)
        #expect(error.exitStatus == 64)
    }

    @Test(
        "invalid URLs are refused",
        arguments: [
            "", " ", "host/path", "/path", "//host/path", "http://", "http:///", "https://host:99999/",
            "http://host:x/",
            "http://[::1/", "http://[zz]/", "http://ho st/", "nonsense", "http://host:-1/",
        ])
    func malformed(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(error.code == .invalidURL)
        #expect(error.message.hasSuffix("."))
    }

    @Test("a missing scheme is reported as such")
    func missingScheme() throws {
        let error = try #require(throws: DownloadError.self) { try Source("host.example/path") }
        #expect(error.message.contains("with its scheme"))
    }

    @Test(
        "control characters are refused and not shown",
        arguments: [
            "http://host/a\nb", "http://host/a\r\nHost: evil", "http://host/\u{0}", "http://host/\u{7f}",
            "\u{1}http://host/",
            "http://host/x\n\u{7f}", "http://ho%7fst/", "http://ho%c2%9bst/", "http://ho%25st/",
            "http://host%/", "http://u:p%00q@host/", "http://u%00:p@host/",
        ])
    func controlCharacters(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(error.code == .invalidURL)
        #expect(!error.message.utf8.contains { $0 < 0x20 || $0 == 0x7f })
    }

    @Test(
        "credentials are removed and percent-decoded",
        arguments: [
            ("http://user:secret@host/x", "user", "secret"), ("http://user@host/x", "user", ""),
            ("http://us%40er:p%3A%2F%20w@host/x", "us@er", "p:/ w"),
            ("http://%C3%A9:%E2%82%AC@host/x", "é", "€"),
        ])
    func credentials(text: String, user: String, password: String) throws {
        let source = try Source(text)
        #expect(source.credentials == Credentials(user: user, password: password))
        #expect(source.url == "http://host/x")
        #expect(source.origin.host == "host")
    }

    @Test(
        "pasted text is encoded as browsers do, and escapes are kept",
        arguments: [
            ("http://host/a b", "http://host/a%20b"), ("http://host/é", "http://host/%C3%A9"),
            ("http://host/x?q=a b", "http://host/x?q=a%20b"), ("http://host/a%20b", "http://host/a%20b"),
            ("http://host/a+b?c+d", "http://host/a+b?c+d"), ("http://host/%c3%a9", "http://host/%c3%a9"),
            ("http://host/%62ig?x=%2f%7e", "http://host/%62ig?x=%2f%7e"),
            ("http://host/\"<>`{}|^", "http://host/%22%3C%3E%60%7B%7D%7C%5E"),
            ("http://host/?\"<>`{}|^\\'", "http://host/?%22%3C%3E%60%7B%7D%7C%5E%5C%27"),
            ("http://host/it's(1)[2]~!$&*,;=:@", "http://host/it's(1)[2]~!$&*,;=:@"),
            ("http://host/100%", "http://host/100%"), ("http:\\\\host\\a\\b?c\\d", "http://host/a/b?c%5Cd"),
            ("http://host/a\\b/c\\d?e\\f", "http://host/a%5Cb/c%5Cd?e%5Cf"),
            ("http://host\\a\\b", "http://host/a%5Cb"),
            ("http:/\\host/a\\b", "http://host/a%5Cb"), ("http://host/\\a", "http://host/%5Ca"),
            ("http://host/a?", "http://host/a?"), ("http://host/a?#b", "http://host/a?"),
            ("http://host?", "http://host/?"), ("http://host/a??", "http://host/a??"),
            ("http://host/a#b?", "http://host/a"),
            (" \t http://host/x \r\n", "http://host/x"), ("\n https://host/a b\u{b}", "https://host/a%20b"),
            ("http://host/a/%2e%2E/b/%2e/c/.%2e/d", "http://host/b/d"),
            ("http://host/%2e%2ex", "http://host/%2e%2ex"),
            ("http://host/a b#c d", "http://host/a%20b"), ("http://host/a?b#c?d e", "http://host/a?b"),
        ])
    func encoded(text: String, url: String) throws {
        let source = try Source(text)
        #expect(source.url == url)
        #expect(try Source(url).url == url)
        #expect(try Source(url) == source)
    }

    @Test(
        "URLs equivalent by RFC 3986 are equal",
        arguments: [
            ["http://h.example/a", "HTTP://H.Example/a", "http://h.example:80/a", "http://h.example/b/../a"],
            ["https://h/", "https://h", "https://h:443", "https://H:443/./"],
            ["http://h/%C3%BC", "http://h/%c3%bc", "http://h/ü"],
            ["http://h/big~", "http://h/%62ig%7e", "http://h/%62i%67%7E", "http://h/x/%2E./big~"],
            ["http://h/a%2Fb?c=%3D", "http://h/a%2fb?c=%3d"], ["http://h?q", "http://h/?q"],
            ["http://h/100%25", "http://h/100%"], ["http://h/%2525", "http://h/%2%35", "http://h/%%32%35"],
            ["http://[2001:db8::a]/", "http://[2001:DB8::A]:80/"],
        ])
    func same(texts: [String]) throws {
        let sources = try texts.map { try Source($0) }
        #expect(Set(sources).count == 1, "\(sources.map(\.identity))")
        #expect(Set(sources.map(\.digest)).count == 1)
    }

    @Test(
        "URLs that may mean different files are different",
        arguments: [
            [
                "http://h/a", "https://h/a", "http://h:8080/a", "http://h/A", "http://h/a/",
                "http://g/a",
            ],
            ["http://h/a%2Fb", "http://h/a/b"], ["http://h/?a+b", "http://h/?a%20b", "http://h/?a%2Bb"],
            ["http://h/%25", "http://h/%2525"], ["http://h:443/", "https://h:80/", "http://h/"],
            ["http://u@h/", "http://h/", "http://u:p@h/"],
        ])
    func different(texts: [String]) throws {
        #expect(Set(try texts.map { try Source($0) }).count == texts.count)
    }

    @Test(
        "a URL without a host is refused as such",
        arguments: [
            "http:///x", "https:////h/x", "http://?q", "http:\\\\\\x", "http:///file.bin",
            "http:////host.example/x",
            "http:///../host.example/x",
        ])
    func noHost(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(error.code == .invalidURL)
        #expect(error.message.contains("has no host"))
    }

    @Test(
        "a third slash before a host is ignored, as by curl and browsers",
        arguments: [
            ("http:///host.example/x", "http://host.example/x"),
            ("https:///localhost/x?y", "https://localhost/x?y"),
            ("HTTP:///127.0.0.1:8080/x", "http://127.0.0.1:8080/x"), ("http:///host:81", "http://host:81/"),
            ("http:///[::1]/x", "http://[::1]/x"),
        ])
    func thirdSlash(text: String, url: String) throws {
        #expect(try Source(text).url == url)
        #expect(try URLParser.parse(text, relativeTo: Source("http://base/pub/")).url == url)
    }

    @Test("links of pages and redirects are encoded, too, but their backslashes are not slashes")
    func links() throws {
        let base = try Source("http://host/pub/x")
        func url(_ link: String) throws -> String { try URLParser.parse(link, relativeTo: base).url }
        #expect(try url("a b|c?d e") == "http://host/pub/a%20b%7Cc?d%20e")
        #expect(try url("a\\b") == "http://host/pub/a%5Cb")
        #expect(try url("//other/é") == "http://other/%C3%A9")
        #expect(try url("/%2e%2e/y") == "http://host/y")
        #expect(throws: DownloadError.self) { try url("http:///x") }
    }

    @Test("text stored by an earlier version is recognized")
    func former() throws {
        let source = try Source("http://127.0.0.1:28931/disk.img?q=a b&n=é")
        #expect(source.formerURL == "http://127.0.0.1:28931/disk.img?q=a+b&n=%c3%a9")
        #expect(source.formerDigests.count == 1)
        #expect(try Source("http://H.Example:80/%62ig").formerDigests.count == 1)
        #expect(try Source("http://h.example/big").formerDigests.isEmpty)
    }

    @Test("a fragment is never sent")
    func fragment() throws {
        #expect(try Source("http://host/x#part").url == "http://host/x")
        #expect(try Source("http://host/x?q#part").url == "http://host/x?q")
    }

    @Test(
        "the last path component is the name, decoded",
        arguments: [
            ("http://host/a/b.iso", "b.iso"), ("http://host/a/b%20c.iso?x=/y", "b c.iso"),
            ("http://host/a/", ""),
            ("http://host", ""), ("http://host/a%2Fb", "a/b"), ("http://host/é", "é"),
            ("http://host/%C4%e3%BA%C3.zip", "%C4%E3%BA%C3.zip"), ("http://host/%20%ff", " %FF"),
            ("http://host/a%E4%BD%A0%ff", "a你%FF"), ("http://host/%c0%ae", "%C0%AE"),
            ("http://host/%ed%a0%80", "%ED%A0%80"), ("http://host/a%09b%00", "a%09b%00"),
            ("http://host/100%", "100%"), ("http://host/a%zz", "a%zz"),
        ])
    func lastPathComponent(text: String, name: String) throws {
        #expect(try Source(text).lastPathComponent == name)
    }

    @Test("an encoded numeric host is read as an address at once")
    func encodedNumber() throws {
        let source = try Source("https://%34493/nret")
        #expect(source.url == "https://0.0.17.141/nret")
        #expect(source.origin.host == "0.0.17.141")
        #expect(try Source(source.url) == source)
    }
}

import Testing

@testable import SegmentedDL

@Suite("URLs as a caller writes them")
struct SourceTests {
    @Test(
        "http and https URLs are taken, with their origin",
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
        "other schemes are refused by name",
        arguments: ["ftp", "file", "sftp", "gopher", "ws", "data", "xyz"])
    func schemes(scheme: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source("\(scheme)://host/x") }
        #expect(error.code == .invalidURL)
        #expect(error.exitStatus == 64)
    }

    @Test(
        "what is no URL is refused",
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

    @Test("a missing scheme is told as such")
    func missingScheme() throws {
        let error = try #require(throws: DownloadError.self) { try Source("host.example/path") }
        #expect(error.message.contains("with its scheme"))
    }

    @Test(
        "control characters are refused and not shown",
        arguments: [
            "http://host/a\nb", "http://host/a\r\nHost: evil", "http://host/\u{0}", "http://host/\u{7f}",
            "\thttp://host/",
            "http://host/x\n", "http://ho%7fst/", "http://ho%c2%9bst/",
        ])
    func controlCharacters(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(error.code == .invalidURL)
        #expect(!error.message.utf8.contains { $0 < 0x20 || $0 == 0x7f })
    }

    @Test(
        "credentials are taken out and percent-decoded",
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
        "blanks and other letters are encoded",
        arguments: [
            ("http://host/a b", "http://host/a%20b"), ("http://host/é", "http://host/%c3%a9"),
            ("http://host/x?q=a b", "http://host/x?q=a+b"), ("http://host/a%20b", "http://host/a%20b"),
        ])
    func encoded(text: String, url: String) throws {
        #expect(try Source(text).url == url)
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
            ("http://host/%ff", "\u{fffd}"),
            ("http://host/100%", "100%"), ("http://host/a%zz", "a%zz"),
        ])
    func lastPathComponent(text: String, name: String) throws {
        #expect(try Source(text).lastPathComponent == name)
    }

    @Test("an encoded host that is a number is read as the address that it is, at once")
    func encodedNumber() throws {
        let source = try Source("https://%34493/nret")
        #expect(source.url == "https://0.0.17.141/nret")
        #expect(source.origin.host == "0.0.17.141")
        #expect(try Source(source.url) == source)
    }
}

import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Listings in HTML")
struct HTMLIndexTests {
    /// The tree served by `Listings/record`.
    private static let recorded = [
        "#hash.txt", "50% + more&less.txt", "<b>.txt", "a:b.txt",
        "a-name-that-is-so-long-that-the-listings-of-nginx-and-of-Apache-cut-it-where-they-show-it.tar.gz",
        "name with blanks.txt", "plain.bin", "question?.txt", "quote'\".txt", "semi;colon.txt", "sub dir/",
        "sub/",
        "tilde~.txt", "ümlaut.txt",
    ].sorted()

    private func entries(
        _ html: [UInt8], at url: String = "http://host/pub/", root: String? = nil, size: Int = .max
    ) throws -> [IndexEntry] {
        var parser = try HTMLIndexParser(of: Source(url), root: Source(root ?? url))
        var entries: [IndexEntry] = []
        for chunk in Chunks.of(html, size: size) { entries += try parser.feed(chunk) }
        return try entries + parser.finish()
    }

    private func names(_ entries: [IndexEntry]) -> [String] {
        entries.map {
            switch $0 {
            case .file(_, let path): path.text
            case .directory(_, let path): path.text + "/"
            case .unusable: "!"
            }
        }
    }

    private func names(_ html: String, at url: String = "http://host/pub/", root: String? = nil) throws
        -> [String]
    {
        names(try entries(Array(html.utf8), at: url, root: root))
    }

    @Test(
        "of real servers name each file and directory once",
        arguments: ["nginx", "lighttpd", "apache-plain", "apache-fancy", "apache-table", "caddy", "python"])
    func servers(name: String) throws {
        let html = try recordedListing(name)
        let entries = try entries(html)
        #expect(names(entries).sorted() == Self.recorded)
        for case .file(let source, let path) in entries {
            #expect(source.lastPathComponent == path.text)
            #expect(source.url.hasPrefix("http://host/pub/"))
        }
        for size in Chunks.sizes { #expect(try self.entries(html, size: size) == entries) }
    }

    @Test("do not end where the document does, however the bytes arrive")
    func behindEnd() throws {
        let blanks = String(repeating: " ", count: 16 * 1024 - 30)
        for end in ["</html>", "</HTML >", "</body></html>", "<</html></html>", blanks + "</body></html>"] {
            let html = "<html><h1>Index of /pub/</h1><a href=a>a</a>\(end)\n<a href=b>b</a>"
            #expect(try names(html) == ["a", "b"], "\(end.suffix(20))")
            #expect(names(try entries(Array(html.utf8), size: 1)) == ["a", "b"])
        }
        for padding in 16 * 1024 - 12...16 * 1024 {
            let page = "<a href=a>a</a>"
            let text = String(repeating: ".", count: padding - page.utf8.count)
            #expect(try names(page + text + "</html><a href=b>b</a>") == ["a", "b"], "\(padding)")
        }
    }

    @Test("may contain a file whose name resembles a URL with a scheme, if the link shows that name")
    func colons() throws {
        #expect(
            try names("<a href='a:b.txt'>a:b.txt</a> <a href=\"x:y/\"> x:y/ </a>") == ["a:b.txt", "x:y/"])
        #expect(
            try names("<a href=\"run:2024-long-name.txt\">run:2024-l..&gt;</a>") == ["run:2024-long-name.txt"]
        )
        #expect(
            try names(
                "<a href='mailto:a@b.c'>a@b.c</a><a href='tel:1'>tel..</a><a href='x:y/z'>x:y/z</a><a href=f>f</a>"
            )
                == ["f"])
    }

    @Test("do not include a login page, unless it links files as well")
    func login() throws {
        let form = "<form><input name=user><input TYPE=Password name=p></form><a href=/about>About</a>"
        let error = try #require(throws: DownloadError.self) { try names(form) }
        #expect(error.code == .httpStatus && error.message.contains("requires a password"), "\(error)")
        #expect(try names(form + "<a href=file>file</a>") == ["file"])
        #expect(try names("<form><input type=search></form>") == [])
    }

    @Test(
        "are not what is a page is that a directory has, unless it names files as well",
        arguments: [
            "<h1>hi</h1>", "<title>Shop</title><a href=/about>About</a>",
            "<title>Home</title><p>Index of",
        ])
    func page(html: String) throws {
        let error = try #require(throws: DownloadError.self) { try names(html) }
        #expect(error.code == .badResponse && error.message.contains("is a page"), "\(error)")
        #expect(try names(html + "<a href=file>file</a>") == ["file"])
    }

    @Test(
        "may be empty",
        arguments: [
            "", "<pre>\n</pre>", "<h1>Index of /pub/</h1>", "<title>Directory listing for /pub/</title>",
            "<h1><a href=/>~</a> / <a href=/pub/>pub</a></h1>", "<title>/pub/</title>",
            "<h1>a</h1><a href=../>..</a>",
        ])
    func empty(html: String) throws {
        #expect(try names(html) == [])
    }

    @Test(
        "of a subdirectory may be empty",
        arguments: [
            // As nginx, Apache, lighttpd, Caddy, Python and others write them.
            "<html><head><title>Index of /pub/a/</title></head><body><h1>Index of /pub/a/</h1><hr><pre><a href=\"../\">../</a>\n</pre><hr></body></html>",
            "<title>Index of /pub/a</title><h1>Index of /pub/a</h1><ul><li><a href=\"/pub/\"> Parent Directory</a></li>\n</ul>",
            "<title>Index of /pub/a/</title><h2>Index of /pub/a/</h2><table><tr><td><a href=\"../\">..</a>/</td></table>",
            "<title>a/</title><h1><a href=\"/\">/</a><a href=\"/pub/\">pub</a>/<a href=\"/pub/a/\">a</a></h1>",
            "<title>Directory listing for /pub/a/</title><h1>Directory listing for /pub/a/</h1><hr><ul>\n</ul><hr>",
            "<title>/pub/a/</title>", "<a href=..>up</a>", "<ul>\n</ul>", "<a href='?C=N;O=D'>Name</a>",
        ])
    func emptySubdirectory(html: String) throws {
        #expect(try names(html, at: "http://host/pub/a/", root: "http://host/pub/") == [])
    }

    @Test(
        "of a subdirectory have a sign that they are listings",
        arguments: [
            "", "\n", "<pre>\n</pre>", "no html", "<html><body></body></html>", "<a href=/about>About</a>",
            "<br />\n<b>Warning</b>: opendir(/p/sub): failed to open dir: Permission denied in <b>index.php</b> on line <b>3</b><br />",
        ])
    func noListing(html: String) throws {
        let error = try #require(throws: DownloadError.self) {
            try names(html, at: "http://host/pub/a/", root: "http://host/pub/")
        }
        #expect(error.code == .badResponse && error.message.contains("not a listing"), "\(error)")
        #expect(
            try names("<a href=f>f</a>" + html, at: "http://host/pub/a/", root: "http://host/pub/") == ["a/f"]
        )
    }

    @Test("name a directory with a slash at the end of the link, or of its text")
    func directories() throws {
        let html = "<a href='a/'>a</a><a href='b'> <b>b/</b>\n</a><a href=c>c</a>/<a href=d>/d"
        #expect(try names(html) == ["a/", "b/", "c", "d"])
        guard case .directory(let source, _)? = try entries(Array(html.utf8)).dropFirst().first else {
            Issue.record("It is a file.")
            return
        }
        #expect(source.url == "http://host/pub/b/")
    }

    @Test(
        "show that they mark directories by a directory, or by the parent link",
        arguments: [
            ("<a href=a>a</a>", true), ("<a href='..'>..</a><a href=a>a</a>", true),
            ("<a href='/'>/</a><a href=a>a</a>", false), ("<a href='../'>..</a><a href=a>a</a>", false),
            ("<a href='/'>~</a> / <a href='/pub'>pub</a><a href=a>a</a>", true),
            ("<a href='/other/'>/</a><a href=a>a</a>", true),
            ("<a href=b/>b</a><a href=a>a</a>", false), ("<a href=b>b/</a><a href=a>a</a>", false),
            ("<a href='?C=N'>Name</a>", false), ("", false),
        ])
    func marks(html: String, mayHide: Bool) throws {
        let url = try Source("http://host/pub/")
        var parser = try HTMLIndexParser(of: url, root: url)
        _ = try parser.feed(html.utf8)
        _ = try parser.finish()
        #expect(parser.mayHideDirectories == mayHide)
    }

    @Test(
        "are doubtful with the heading of another page, or a password and none",
        arguments: [
            ("<h1>Welcome</h1><a href=a>a</a>", true), ("<input type=password><a href=a>a</a>", true),
            ("<title>Index of /pub/</title><input type=password><a href=a>a</a>", false),
            ("<a href=a>a</a>", false), ("<h1>/pub/</h1><a href=a>a</a>", false), ("<h1></h1>", false),
        ])
    func doubtful(html: String, isDoubtful: Bool) throws {
        let url = try Source("http://host/pub/")
        var parser = try HTMLIndexParser(of: url, root: url)
        _ = try parser.feed(html.utf8)
        _ = try parser.finish()
        #expect(parser.isDoubtful == isDoubtful)
    }

    @Test("have paths from the root, and keep the credentials of the directory")
    func below() throws {
        let found = try entries(
            Array("<a href='c%20d/'>x</a><a href=/pub/a/e>y</a>".utf8), at: "http://u:p@host/pub/a/",
            root: "http://host/pub/")
        #expect(names(found) == ["a/c d/", "a/e"])
        guard case .directory(let source, _) = found[0] else {
            Issue.record("no directory")
            return
        }
        #expect(source.url == "http://host/pub/a/c%20d/")
        #expect(source.credentials == Credentials(user: "u", password: "p"))
    }

    @Test(
        "do not lead elsewhere",
        arguments: [
            "../", "..", "./", ".", "", "#top", "?C=N;O=D", "./?sort=name&order=desc", "/", "/pub", "/pub/",
            "/public/x", "//other/public/x", "http://other/x", "https://host/x", "http://host:81/public/x",
            "http://host@other/x", "javascript:alert(1)", "JavaScript:alert(1)", "mailto:a@b",
            "data:text/html,x", "ftp://host/x", "file:///pub/x", "../pub/../x", "a/../../x",
            "../../../../etc/passwd", "http://", "http:///x", "  ../  ", "/pub/../etc/passwd",
        ])
    func elsewhere(link: String) throws {
        #expect(try names("<a href=\"\(link)\">x</a>") == [])
    }

    @Test(
        "that lead below in another way report that",
        arguments: [
            "//other/pub/x", "http://other/pub/x", "http://host:81/pub/x", "http://host@other/pub/x",
            "ftp://host/pub/x", "FTPS://other/pub/x/", "x?download=1",
        ])
    func stray(link: String) throws {
        #expect(try names("<a href=\"\(link)\">x</a>") == ["!"])
    }

    @Test(
        "with names that cannot be files report that",
        arguments: [
            "%2e%2e%2fx", "a%2f..%2fb", "a%00b", "%5c..%5cx", "..%2f", "a%0Ab", "a%2Fb", "%FC.txt",
            "x.part.segdl",
            "a//b", "%e2%80%aegpj.exe", "x\\y",
        ])
    func unusable(link: String) throws {
        let found = try entries(Array("<a href=\"\(link)\">x</a>".utf8))
        guard case .unusable(let entry)? = found.first, found.count == 1 else {
            Issue.record("\(found)")
            return
        }
        #expect(entry.place == "http://host/pub/")
        #expect(!entry.reason.isEmpty)
        #expect(entry.reason.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test(
        "with names in an old coding report the name, and not another one",
        arguments: [
            [0xe9], [0xce, 0xc4, 0xbc, 0xfe], [0x95, 0x5c], [0xf4, 0xe0, 0xe9, 0xeb],
        ] as [[UInt8]])
    func oldCoding(name: [UInt8]) throws {
        var page = Array("<a href=\"".utf8)
        page += name
        page += Array(".bin\">".utf8)
        page += name
        page += Array(".bin</a><a href=\"plain.bin\">x</a><a href=\"é.bin\">x</a>".utf8)
        let found = try entries(page)
        guard case .unusable(let entry)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(entry.reason.contains("is not UTF-8"), "\(entry)")
        #expect(names(found) == ["!", "plain.bin", "é.bin"])
    }

    @Test(
        "never lead above by encoded dots",
        arguments: ["%2e%2e/", "%2e%2e", "%2E./x", ".%2e/x", "a/%2e%2e/%2e%2e/x"])
    func dots(link: String) throws {
        for entry in try entries(Array("<a href=\"\(link)\">x</a>".utf8)) {
            guard case .unusable = entry else {
                Issue.record("\(entry)")
                return
            }
        }
    }

    @Test("are recovered from")
    func broken() throws {
        #expect(
            try names("<a href=a>x<a href='b'>y</td></b><A HREF=\"c/\">z</p><a>q</a>") == [
                "a", "b", "c/",
            ])
        #expect(try names("") == [])
        #expect(try names("no html at all & <<< >") == [])
        #expect(try names("<a href='&#x61;&amp;b'>") == ["a&b"])
        #expect(try names("<!-- <a href=no> --><script>'<a href=no>'</script><a href=\n yes\n>") == ["yes"])
        #expect(try names(" <a href=' blank.txt\n'>") == ["blank.txt"])
    }

    @Test("may have a base, of which the first one counts")
    func base() throws {
        #expect(try names("<base href='/pub/sub/'><base href='/pub/other/'><a href=x>") == ["sub/x"])
        #expect(try names("<base href='http://other/pub/'><a href=x>") == ["!"])
    }

    @Test("of 10 MB are read in pieces, and hostile ones are refused")
    func large() throws {
        var html = Array("<html><body><pre>".utf8)
        let words = String(repeating: "a long description ", count: 20) + "\n"
        for index in 0..<24_000 {
            let name = "file-\(index).tar.gz"
            html += Array("<a href=\"\(name)\">\(name)</a>  01-Mar-2024 12:34   12345 \(words)".utf8)
        }
        #expect(html.count > 10_000_000)
        #expect(try entries(html, size: 16_384).count == 24_000)
        let attacks = [
            "<a href='" + String(repeating: "x", count: 1_000_000) + "'>",
            "<!--" + String(repeating: "x", count: 1_000_000),
            String(repeating: "<b>", count: 100_000),
        ]
        for attack in attacks {
            let error = #expect(throws: DownloadError.self) { try entries(Array(attack.utf8)) }
            #expect(error?.code == .badResponse)
        }
    }

    @Test("with a document type and entities load nothing")
    func entities() throws {
        let html = """
            <!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "yy">]>
            <a href="&x;">1</a><a href="&y;">2</a><a href=z>3</a>
            """
        let found = try names(html)
        #expect(found.last == "z")
        #expect(!found.contains { $0.contains("root") || $0.contains("yy") })
    }
}

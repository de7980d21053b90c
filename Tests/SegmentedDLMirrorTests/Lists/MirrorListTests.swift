import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLDatabase
@testable import SegmentedDLMirror

@Suite("Lists of files")
struct MirrorListTests {
    private static let sha256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
    private static let md5 = "5eb63bbbe01eeed093cb22bb8f5acdc3"

    private func entries(
        _ format: ListFormat, _ text: String, base: String? = nil, size: Int = .max
    ) throws -> [MirrorEntry] {
        var parser = try MirrorListParser(format, name: "list", base: try base.map { try Source($0) })
        var entries: [MirrorEntry] = []
        for chunk in Chunks.of(Array(text.utf8), size: size) { entries += try parser.feed(chunk) }
        return try entries + parser.finish()
    }

    /// Returns one line per entry, however the bytes are split.
    private func read(_ format: ListFormat, _ text: String, base: String? = nil) throws -> [String] {
        let found = try entries(format, text, base: base)
        for size in Chunks.sizes { #expect(try entries(format, text, base: base, size: size) == found) }
        return found.map {
            switch $0 {
            case .item(let item):
                ([item.path.text] + item.sources.map(\.url) + item.checksums.map(\.description)
                    + (item.size.map { ["\($0) bytes"] } ?? [])
                    + item.headers.map { "\($0.name): \($0.value)" })
                    .joined(separator: " | ")
            case .unusable(let entry): "\(entry.place): \(entry.reason)"
            }
        }
    }

    @Test("of aria2 have sources, a path, a checksum and headers")
    func aria2() throws {
        let text = """
            \u{feff}# comment
            http://one/a.bin\thttp://two/b.bin\t
              dir=sub/dir/
              out=name.bin
              checksum=sha-256=\(Self.sha256)
            \theader=X-One: 1
              header=X-Two: 2
              referer=http://r/
              split=4

            http://one/plain%20name.bin\r
            # a comment between
             dir=d\r
            http://one/last
            """
        #expect(
            try read(.urls, text) == [
                "sub/dir/name.bin | http://one/a.bin | http://two/b.bin | sha256=\(Self.sha256) | X-One: 1 | X-Two: 2 | Referer: http://r/",
                "d/plain name.bin | http://one/plain%20name.bin",
                "last | http://one/last",
            ])
    }

    @Test(
        "of aria2 with an error name the line, and the others are read",
        arguments: [
            ("http://h/a\n http-passwd=secret", "line 2: The option 'http-passwd' is not supported"),
            ("http://h/a\n split=0", "line 2: split must be greater than or equal to 1."),
            ("http://h/a\n auto-file-renaming=true", "line 2: Files of a mirror have fixed names"),
            ("http://h/a\n remove-control-file=true", "line 2: Files of a mirror have fixed names"),
            ("http://h/a\n out", "line 2: 'out' is not an option"),
            ("http://h/a\n checksum=sha-256=12", "line 2: '12' is not a sha256 digest"),
            ("http://h/a\n header=Secret", "line 2: The header 'Secret' is not a valid HTTP field"),
            ("http://h/a\n out=../x", "line 1: The path '../x' has the component '..'"),
            ("http://h/a\n dir=/etc", "line 1: The path '/etc/a' is absolute"),
            ("http://h/\n", "line 1: 'http://h/' does not end in a name"),
            ("http://h/a%2fb", "line 1: The last component of 'http://h/a%2fb' contains an encoded slash"),
            ("ftp://u:secret@h/a", "line 1: 'ftp://h/a' has the scheme 'ftp'"),
            (" out=x", "line 1: An option precedes the first URL"),
        ])
    func mistakes(text: String, expected: String) throws {
        let found = try read(.urls, text + "\nhttp://h/good\n")
        #expect(found.count == 2)
        #expect(found[0].hasPrefix(expected), "\(found[0])")
        #expect(!found[0].contains("secret"))
        #expect(found[1] == "good | http://h/good")
    }

    @Test("in JSON lines have the content of their keys")
    func json() throws {
        let text = """
            {"url":"http://h/a","path":"d/a","size":12,"sha256":"\(Self.sha256)","etag":"\\"x\\"","last_modified":"Thu, 01 Jan 1970 00:01:00 GMT","more":[1]}
            {"url":["http://h/b","http://i/b"],"digest":["md5=\(Self.md5)"],"size":null}

            {"url":"http://h/c","path":"../c"}
            {"url":5}
            {"url":"http://h/d","size":-1}
            {"path":"x"}
            [1]
            {"url":"http://h/e","last_modified":"yesterday-ish?"}
            {"url":"http://h/f","digest":"\(Self.sha256)"}
            """
        let found = try read(.jsonLines, text)
        #expect(found.count == 9)
        #expect(found[0] == "d/a | http://h/a | sha256=\(Self.sha256) | 12 bytes")
        #expect(found[1] == "b | http://h/b | http://i/b | md5=\(Self.md5)")
        #expect(found[2].hasPrefix("line 4: The path '../c' has"))
        #expect(found[3] == "line 5: 'url' has a value of the wrong type.")
        #expect(found[4].hasPrefix("line 6: The size -1 is"))
        #expect(found[5].hasPrefix("line 7: The entry has no URL"))
        #expect(found[6].hasPrefix("line 8: The line is not a JSON object"))
        #expect(found[7].hasPrefix("line 9: 'yesterday-ish?' is not an HTTP date"))
        #expect(found[8] == "f | http://h/f | sha256=\(Self.sha256)")
        guard case .item(let item)? = try entries(.jsonLines, text).first else {
            Issue.record("no item")
            return
        }
        #expect(item.etag == "\"x\"" && item.modified == 60)
    }

    @Test("of URLs and in JSON lines may state the expected types")
    func expectedTypes() throws {
        for (format, text) in [
            (.urls, "http://h/a\n expect-type=image/*\n expect-type=text/plain\n"),
            (.jsonLines, #"{"url":"http://h/a","expect_type":["image/*","text/plain"]}"#),
        ] as [(ListFormat, String)] {
            guard case .item(let item)? = try entries(format, text).first else {
                Issue.record("no item in \(format)")
                continue
            }
            #expect(item.expectedTypes == ["image/*", "text/plain"])
        }
        for (format, text) in [
            (.urls, "http://h/a\n expect-type=image\n"),
            (.jsonLines, #"{"url":"http://h/a","expect_type":"image"}"#),
        ] as [(ListFormat, String)] {
            #expect(try read(format, text).first?.contains("'image' is not a media type") == true)
        }
    }

    @Test("in columns have them in order, or in that of the header line")
    func columns() throws {
        let plain = """
            http://h/a\td/a\t12\tsha256=\(Self.sha256)
            # comment
            http://h/b http://i/b\t\t\t\(Self.md5)
            http://h/c
            http://h/d\tx\ttwelve
            http://h/e\tx\t1\t\tmore
            """
        let found = try read(.tabSeparated, plain)
        #expect(
            found.prefix(3) == [
                "d/a | http://h/a | sha256=\(Self.sha256) | 12 bytes",
                "b | http://h/b | http://i/b | md5=\(Self.md5)",
                "c | http://h/c",
            ])
        #expect(found[3].hasPrefix("line 5: The size 'twelve'"))
        #expect(found[4].hasPrefix("line 6: The line has 5 columns"))
        #expect(
            try read(.tabSeparated, "Size\tname\tURL\tpath\n7\tno\thttp://h/a\tb/a\n") == [
                "b/a | http://h/a | 7 bytes"
            ])
    }

    @Test("of checksums have names relative to their URL")
    func checksums() throws {
        let text = """
            \(Self.sha256)  ./a b?.iso
            \(Self.md5) *sub/c:d
            \\\(Self.md5)  new\\nline
            SHA256 (two) = \(Self.sha256)
            MD5 (two) = \(Self.md5)
            nonsense
            \(Self.md5)  ../up
            \(Self.md5)  /etc/passwd
            """
        let found = try read(.checksums, text, base: "http://h/pub/SHA256SUMS?token=x")
        #expect(
            found.filter { !$0.hasPrefix("line") } == [
                "a b?.iso | http://h/pub/a%20b%3F.iso | sha256=\(Self.sha256)",
                "sub/c:d | http://h/pub/sub/c%3Ad | md5=\(Self.md5)",
                "two | http://h/pub/two | sha256=\(Self.sha256) | md5=\(Self.md5)",
            ])
        #expect(
            found.filter { $0.hasPrefix("line") }.map { $0.prefix(7) } == [
                "line 3:", "line 6:", "line 7:", "line 8:",
            ])
        let error = #expect(throws: DownloadError.self) {
            _ = try MirrorListParser(.checksums, name: "SHA256SUMS")
        }
        #expect(error?.message == "'SHA256SUMS' lists names without URLs; give the base URL.")
    }

    @Test("with an endless line are refused")
    func long() throws {
        let error = #expect(throws: DownloadError.self) {
            try entries(.urls, "http://h/a\n" + String(repeating: "x", count: 1_100_000), size: 65_536)
        }
        #expect(error?.message.contains("Line 2 of 'list'") ?? false)
    }

    @Test("of many lines are read without keeping them")
    func many() throws {
        var parser = try MirrorListParser(.tabSeparated, name: "list")
        var count = 0
        for index in 0..<50_000 {
            count += try parser.feed("http://h/f\(index)\td/f\(index)\t1\n".utf8).count
        }
        #expect(try count + parser.finish().count == 50_000)
    }
}

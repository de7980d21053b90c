import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Metalink")
struct MetalinkTests {
    private static let sha256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
    private static let md5 = "5eb63bbbe01eeed093cb22bb8f5acdc3"

    private func entries(_ xml: String, size: Int = .max) throws -> [MirrorEntry] {
        var parser = try MirrorListParser(.metalink, name: "list.meta4")
        var entries: [MirrorEntry] = []
        for chunk in Chunks.of(Array(xml.utf8), size: size) { entries += try parser.feed(chunk) }
        return try entries + parser.finish()
    }

    private func document(_ files: String) -> String {
        "<?xml version=\"1.0\"?><metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>"
    }

    @Test("4 describes files with sources by priority, digests and pieces")
    func file() throws {
        let xml = document(
            """
            <generator>x</generator>
            <file name="dir/example.ext"><size>22</size><identity>Example</identity>
            <hash type="sha-256">\(Self.sha256)</hash><hash type="md5"> \(Self.md5.uppercased()) </hash>
            <hash type="whirlpool">abc</hash>
            <pieces length="10" type="sha-256"><hash>\(Self.sha256)</hash><hash>\(Self.sha256)</hash><hash>\(Self.sha256)</hash></pieces>
            <url location="de" priority="2">ftp://one/x</url><url>http://last/x</url>
            <url priority="2">http://two/x</url><url priority="1">http://u:p@one/x&amp;y</url>
            <metaurl mediatype="torrent" priority="1">http://torrent/x</metaurl>
            <x:url xmlns:x="urn:x">http://foreign/x</x:url></file>
            <file name="b"><url>http://one/b</url></file>
            """)
        let entries = try entries(xml)
        guard case .item(let item)? = entries.first, entries.count == 2 else {
            Issue.record("\(entries)")
            return
        }
        #expect(item.path.text == "dir/example.ext")
        #expect(item.size == 22)
        #expect(item.sources.map(\.url) == ["http://one/x&y", "http://two/x", "http://last/x"])
        #expect(item.checksums.map(\.description) == ["sha256=\(Self.sha256)", "md5=\(Self.md5)"])
        #expect(item.pieces?.count == 3)
        #expect(item.pieces?.length == 10)
        #expect(item.pieces?[2].hexadecimal == Self.sha256)
        for size in Chunks.sizes { #expect(try self.entries(xml, size: size) == entries) }
    }

    private func third(_ files: String) -> String {
        "<metalink version=\"3.0\" type=\"dynamic\" xmlns=\"http://www.metalinker.org/\"><publisher/><files>\(files)</files></metalink>"
    }

    @Test("3 describes the same, with its own elements and preferences")
    func third() throws {
        let pieces = [2, 0, 1].map { "<hash piece=\"\($0)\">\(String(repeating: "\($0)", count: 32))</hash>" }
        let xml = third(
            """
            <file name="dir/example.ext"><size> 22 </size><language>en</language><os>Linux-x86</os>
            <verification><hash type="sha256">\(Self.sha256)</hash><hash type="md5">\(Self.md5)</hash>
            <signature type="pgp">x</signature><pieces length="10" type="md5">\(pieces.joined())</pieces></verification>
            <resources maxconnections="5"><url type="http" location="us">http://last/x</url>
            <url type="ftp" preference="100">ftp://one/x</url>
            <url type="http" location="de" preference="10" maxconnections="1">http://three/x</url>
            <url type="bittorrent" preference="100">http://one/x.torrent</url>
            <url preference="100">https://one/x</url><url type="http" preference="99">http://two/x</url>
            <url type="http" preference="101">http://much/x</url></resources>
            <hash type="sha1">of version 4</hash><url>http://version4/x</url></file>
            <file name="b"><resources><url type="http">http://one/b</url></resources></file>
            """)
        let entries = try entries(xml)
        guard case .item(let item)? = entries.first, entries.count == 2 else {
            Issue.record("\(entries)")
            return
        }
        #expect(item.path.text == "dir/example.ext")
        #expect(item.size == 22)
        #expect(
            item.sources.map(\.url) == [
                "https://one/x", "http://two/x", "http://three/x", "http://last/x", "http://much/x",
            ])
        #expect(item.checksums.map(\.description) == ["sha256=\(Self.sha256)", "md5=\(Self.md5)"])
        #expect(item.pieces?.length == 10 && item.pieces?.count == 3)
        for piece in 0..<3 {
            #expect(item.pieces?[piece].hexadecimal == String(repeating: "\(piece)", count: 32))
        }
        for size in Chunks.sizes { #expect(try self.entries(xml, size: size) == entries) }
    }

    @Test("elements of one version are ignored in the other")
    func versionsApart() throws {
        let other = try entries(document("<files><file name='x'><url>http://h/x</url></file></files>"))
        #expect(other.isEmpty)
        let file = "<file name='x'><resources><url>http://h/x</url></resources></file>"
        guard case .unusable? = try entries(document(file)).first else { throw Unexpected() }
        #expect(try entries(third("")).isEmpty && entries(third("<x>\(file)</x>")).isEmpty)
        let nested = "<file xmlns='urn:ietf:params:xml:ns:metalink' name='x'><url>http://h/x</url></file>"
        #expect(try entries(third(nested)).isEmpty)
    }

    private struct Unexpected: Error {}

    @Test(
        "3 with an unavailable file gives the reason, and continues",
        arguments: [
            ("<file><resources><url>http://h/x</url></resources></file>", "no name"),
            ("<file name='../x'><resources><url>http://h/x</url></resources></file>", "'..'"),
            ("<file name='x'><url>http://h/x</url></file>", "no http or https URL"),
            (
                "<file name='x'><resources><url type='bittorrent'>http://h/x</url></resources></file>",
                "no http or https URL"
            ),
            (numbered([0, 1, 1]), "Piece 2 is missing or occurs twice"),
            (numbered([1, 2, 3]), "Piece 0 is missing"),
            (numbered([0, 1, .max]), "Piece 2 is missing"), (numbered([.min, 1, 2]), "Piece 0 is missing"),
            (numbered([0]), "3 pieces, not 1"),
        ])
    func unusableThird(file: String, reason: String) throws {
        let good = "<file name='y'><resources><url>http://h/y</url></resources></file>"
        let entries = try entries(third(file + good))
        guard case .unusable(let entry)? = entries.first, entries.count == 2 else {
            Issue.record("\(entries)")
            return
        }
        #expect(entry.reason.contains(reason), "\(entry.reason)")
    }

    private static func numbered(_ numbers: [Int]) -> String {
        let pieces = numbers.map { "<hash piece='\($0)'>\(md5)</hash>" }.joined()
        return
            "<file name='x'><size>22</size><verification><pieces length='10' type='md5'>\(pieces)</pieces></verification><resources><url>http://h/x</url></resources></file>"
    }

    @Test(
        "4 with an unavailable file gives the reason, and continues",
        arguments: [
            ("<file><url>http://h/x</url></file>", "no name"),
            ("<file name='../x'><url>http://h/x</url></file>", "'..'"),
            ("<file name='/x'><url>http://h/x</url></file>", "absolute"),
            ("<file name='x'><url>ftp://h/x</url></file>", "no http or https URL"),
            ("<file name='x'><size>-1</size><url>http://h/x</url></file>", "is not a number of bytes"),
            ("<file name='x'><hash type='md5'>12</hash><url>http://h/x</url></file>", "md5"),
            (
                "<file name='x'><size>21</size><pieces length='10' type='md5'><hash>\(md5)</hash></pieces><url>http://h/x</url></file>",
                "3 pieces, not 1"
            ),
            (
                "<file name='x'><pieces length='0' type='md5'><hash>\(md5)</hash></pieces><url>http://h/x</url></file>",
                "'0'"
            ),
        ])
    func unusable(file: String, reason: String) throws {
        let entries = try entries(document(file + "<file name='y'><url>http://h/y</url></file>"))
        guard case .unusable(let entry)? = entries.first, entries.count == 2 else {
            Issue.record("\(entries)")
            return
        }
        #expect(entry.reason.contains(reason), "\(entry.reason)")
    }

    @Test(
        "that is malformed, of another kind or hostile is refused",
        arguments: [
            ("<metalink><file/></metalink>", "is not a Metalink 3 or 4"),
            ("<metalink version='3.0'><files/></metalink>", "in the namespace ''"),
            ("<files xmlns='http://www.metalinker.org/'/>", "is not a Metalink 3 or 4"),
            ("<metalink xmlns='http://www.metalinker.org/'><files></metalink>", "line 1"),
            ("<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file></metalink>", "line 1"),
            ("not xml", "list.meta4"),
            (
                "<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><metalink xmlns='urn:ietf:params:xml:ns:metalink'/>",
                "document type"
            ),
        ])
    func refused(xml: String, reason: String) throws {
        for size in Chunks.sizes {
            let error = #expect(throws: DownloadError.self) { try entries(xml, size: size) }
            #expect(error?.message.contains(reason) ?? false, "\(error?.message ?? "")")
        }
    }

    @Test("over HTTP lists duplicates, descriptions and digests")
    func headers() throws {
        var head = ResponseHead(status: 200)
        head.append(
            HTTPHeader(
                "Link",
                "<http://two/x>; rel=duplicate; pri=2; geo=de, </same/x>; rel=\"duplicate other\"; pri=1,"
                    + "<ftp://no/x>; rel=duplicate,<http://host/x>; rel=duplicate"))
        head.append(HTTPHeader("Link", "<x.meta4>; rel=describedby; type=\"application/metalink4+xml\""))
        head.append(HTTPHeader("Link", "<>; rel=duplicate, <#x>; rel=duplicate"))
        head.append(HTTPHeader("Link", "<>; rel=describedby; type=\"application/metalink4+xml\""))
        head.append(HTTPHeader("Link", "<x.asc>; rel=describedby; type=\"application/pgp-signature\""))
        head.append(
            HTTPHeader(
                "Link",
                "<http://pref/x,y>;Rel=DUPLICATE ; pri=9; pref, <http://an/x>; rel=duplicate; anchor=\"#a\""))
        head.append(HTTPHeader("Digest", "SHA-256=uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek="))
        let found = MetalinkHeaders(head, of: try Source("http://host/x"), bodyIsWhole: false)
        #expect(found.duplicates.map(\.url) == ["http://pref/x,y", "http://host/same/x", "http://two/x"])
        #expect(found.descriptions.map(\.url) == ["http://host/x.meta4"])
        #expect(found.digests.map(\.hexadecimal) == [Self.sha256])
    }

    @Test(
        "links that are malformed are ignored",
        arguments: [
            "", "http://x", "<http://x", "<http://x>; rel=\"dup", "<>;;;=", ", ,", "<a> <b>",
            ";<a>; rel=duplicate",
        ])
    func links(value: String) throws {
        let head = ResponseHead(status: 200, fields: [HTTPHeader("Link", value)])
        #expect(MetalinkHeaders(head, of: try Source("http://host/x"), bodyIsWhole: true).duplicates == [])
    }
}

import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLDatabase
@testable import SegmentedDLMirror

@Suite("Listings of S3-compatible stores")
struct S3ListingTests {
    private func page(
        _ xml: String, prefix: String = "", size: Int = .max
    ) throws -> S3PageParser.Page {
        let bucket = try S3Bucket(endpoint: Source("http://u:p@host/bucket"), prefix: prefix)
        var parser = try S3PageParser(of: bucket)
        for chunk in Chunks.of(Array(xml.utf8), size: size) { try parser.feed(chunk) }
        return try parser.finish()
    }

    private static let listing = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix></Prefix>
        <KeyCount>4</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>true</IsTruncated>
        <NextContinuationToken>1/a+b=&amp;</NextContinuationToken>
        <Contents><Key>pub/a%20b%2Bc+d.bin</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified>
        <ETag>&quot;fba9dede5f27731c9771645a39863328&quot;</ETag><Size>434234</Size></Contents>
        <Contents><Key>pub/</Key><Size>0</Size></Contents>
        <Contents><Key>pub/big</Key><ETag>"d41d8cd98f00b204e9800998ecf8427e-12"</ETag><Size>1099511627776</Size></Contents>
        <Contents><Key>pub/..%2Fup</Key><Size>1</Size></Contents>
        <EncodingType>url</EncodingType></ListBucketResult>
        """

    @Test("give keys as files, with sizes and validators but no digests")
    func keys() throws {
        let listing = try page(Self.listing, prefix: "pub/")
        let (entries, end) = (listing.entries, listing.end)
        #expect(end == .token("1/a+b=&"))
        #expect(entries.count == 3)
        guard case .item(let first) = entries[0], case .item(let second) = entries[1],
            case .unusable = entries[2]
        else {
            Issue.record("\(entries)")
            return
        }
        #expect(first.path.text == "a b+c d.bin")
        #expect(first.sources.map(\.url) == ["http://host/bucket/pub/a%20b%2Bc%20d.bin"])
        #expect(first.sources.first?.credentials?.user == "u")
        #expect(first.size == 434_234)
        #expect(first.etag == "\"fba9dede5f27731c9771645a39863328\"")
        #expect(first.modified == 1_255_369_830)
        #expect(first.checksums.isEmpty && second.checksums.isEmpty)
        #expect(second.size == 1 << 40)
        for size in Chunks.sizes {
            let again = try page(Self.listing, prefix: "pub/", size: size)
            #expect(again.entries == entries && again.end == end)
        }
    }

    @Test("return the request for the next page")
    func requests() throws {
        let bucket = try S3Bucket(endpoint: Source("http://host/bucket"), prefix: "a b/&")
        let query = "encoding-type=url&list-type=2&prefix=a%20b%2F%26"
        #expect(try bucket.page(after: nil).url == "http://host/bucket/?\(query)")
        #expect(
            try bucket.page(after: .token("1/a+b=&")).url
                == "http://host/bucket/?continuation-token=1%2Fa%2Bb%3D%26&\(query)")
        #expect(
            try bucket.page(after: .marker("a b/&/c+d")).url
                == "http://host/bucket/?encoding-type=url&marker=a%20b%2F%26%2Fc%2Bd&prefix=a%20b%2F%26")
        #expect(throws: DownloadError.self) {
            try S3Bucket(endpoint: Source("http://host/b?x=1"), prefix: "")
        }
    }

    @Test("have paths relative to the prefix's directory")
    func prefixes() throws {
        func path(_ key: String, _ prefix: String) throws -> String? {
            try S3Bucket(endpoint: Source("http://host/b/"), prefix: prefix).item(key: key)?.path.text
        }
        #expect(try path("a/b/c", "") == "a/b/c")
        #expect(try path("a/b/c", "a/") == "b/c")
        #expect(try path("a/b/c", "a/b") == "b/c")
        #expect(try path("a/bc", "a/b") == "bc")
        #expect(try path("a/", "a/") == nil)
        #expect(throws: DownloadError.self) { try path("x", "a/") }
        for key in ["../x", "a/../../x", "/x", "a//b", "./x", "a/./b"] {
            #expect(throws: DownloadError.self) { try path(key, "") }
        }
    }

    @Test("are not decoded unless the store has encoded them")
    func plain() throws {
        let xml = "<ListBucketResult><Contents><Key>a+b%20c</Key></Contents></ListBucketResult>"
        guard case .item(let item)? = try page(xml).entries.first else {
            Issue.record("no item")
            return
        }
        #expect(item.path.text == "a+b%20c")
        #expect(item.sources.map(\.url) == ["http://host/bucket/a%2Bb%2520c"])
    }

    @Test("that are invalid are described")
    func wrong() throws {
        func error(_ xml: String) -> DownloadError? { #expect(throws: DownloadError.self) { try page(xml) } }
        let denied = error("<Error><Code>AccessDenied</Code><Message>No.</Message></Error>")
        #expect(denied?.message.contains("AccessDenied: No.") ?? false)
        #expect(error("<html><body/></html>")?.message.contains("instead of a listing") ?? false)
        #expect(error("<ListBucketResult><Contents></ListBucketResult>")?.message.contains("line 1") ?? false)
        #expect(error("<ListBucketResult>")?.code == .badResponse)
        #expect(error("")?.code == .badResponse)
        #expect(
            error("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")?.message.contains(
                "it is incomplete") ?? false)
    }

    @Test(
        "continue if a token exists, unless the page is the last one",
        arguments: [
            (nil, "t", "t"), ("True", "t", "t"), (" TRUE ", "t", "t"), ("1", "t", "t"), ("false", "t", nil),
            ("False", "t", nil), (nil, nil, nil), ("false", nil, nil), (nil, "", nil),
        ] as [(String?, String?, String?)])
    func truncated(_ truncated: String?, _ token: String?, _ next: String?) throws {
        let fields = [
            truncated.map { "<IsTruncated>\($0)</IsTruncated>" },
            token.map { "<NextContinuationToken>\($0)</NextContinuationToken>" },
        ]
        let xml = "<ListBucketResult>\(fields.compactMap(\.self).joined())</ListBucketResult>"
        #expect(try page(xml).end == next.map { .token($0) })
    }

    @Test(
        "of the first version continue after the marker or the last key",
        arguments: [
            ("<NextMarker>b%20c</NextMarker><EncodingType>url</EncodingType>", "b c"),
            ("<NextMarker>b%20c</NextMarker>", "b%20c"), ("", "a%2Bb"),
            ("<NextMarker></NextMarker>", "a%2Bb"),
            ("<EncodingType>url</EncodingType>", "a+b"),
            ("<NextContinuationToken></NextContinuationToken>", "a%2Bb"),
        ])
    func markers(fields: String, marker: String) throws {
        let objects = "<Contents><Key>a</Key></Contents><Contents><Key>a%2Bb</Key></Contents>"
        let xml = "<ListBucketResult><IsTruncated>true</IsTruncated>\(fields)\(objects)</ListBucketResult>"
        #expect(try page(xml).end == .marker(marker))
    }

    @Test("neither expand nor load anything")
    func entities() throws {
        var laughs = "<!DOCTYPE l [<!ENTITY l0 \"lol\">"
        for index in 1..<10 {
            laughs += "<!ENTITY l\(index) \"" + String(repeating: "&l\(index - 1);", count: 10) + "\">"
        }
        laughs += "]><ListBucketResult><Name>&l9;</Name></ListBucketResult>"
        let external = """
            <!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><ListBucketResult><Name>&x;</Name></ListBucketResult>
            """
        let parameter = "<!DOCTYPE l SYSTEM \"http://127.0.0.1:1/x.dtd\"><ListBucketResult/>"
        for attack in [laughs, external, parameter] {
            for size in Chunks.sizes {
                let error = #expect(throws: DownloadError.self) { try page(attack, size: size) }
                #expect(error?.message.contains("document type") ?? false)
            }
        }
    }
}

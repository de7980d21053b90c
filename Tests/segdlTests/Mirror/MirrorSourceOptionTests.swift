import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite("The kind of a mirror's source")
struct MirrorSourceOptionTests {
    private func source(
        _ text: String, _ format: MirrorSourceOption.Format = .auto, base: String? = nil,
        prefix: String? = nil
    ) throws -> MirrorSource {
        try MirrorSourceOption(text, format: format, base: base, prefix: prefix).source
    }

    @Test(
        "follows from its name",
        arguments: [
            ("https://host/pub/", nil), ("https://host/pub", nil), ("HTTP://host", nil),
            ("https://host/pub/SHA256SUMS", .checksums), ("https://host/x.md5?a=/", .checksums),
            ("https://host/list.jsonl", .jsonLines), ("https://host/x.meta4", .metalink),
            ("https://host/x.tsv", .tabSeparated),
        ] as [(String, ListFormat?)])
    func urls(text: String, format: ListFormat?) throws {
        let url = try Source(text)
        #expect(try source(text) == (format.map { .list(url, $0) } ?? .index(url)))
    }

    @Test("cannot be skopeo's name of an image, for which the error gives the right one")
    func skopeo() {
        let error = #expect(throws: DownloadError.self) { try source("docker://docker.io/alpine:3.20") }
        #expect(error?.code == .invalidURL && error?.message.contains("write oci://") ?? false)
    }

    @Test("in a file is a list")
    func files() throws {
        let directory = try TemporaryDirectory()
        for (name, format) in [("x", ListFormat.urls), ("x.ndjson", .jsonLines), ("SHA512SUMS", .checksums)] {
            try directory.write("", to: name)
            let path = directory.filePath(name)
            let base = try Source("http://host/")
            #expect(try source(path.string, base: "http://host/") == .file(path, format, base: base))
        }
        try directory.write("\u{feff} \n{\"url\": \"http://host/a\"}\n", to: "x")
        #expect(
            try source(directory.filePath("x").string)
                == .file(directory.filePath("x"), .jsonLines, base: nil))
        try directory.write("http://host/{a}\n", to: "x")
        #expect(
            try source(directory.filePath("x").string) == .file(directory.filePath("x"), .urls, base: nil))
        let baseless = #expect(throws: DownloadError.self) { try source(directory.file("SHA512SUMS")) }
        #expect(baseless?.message.contains("--base URL") ?? false)
        #expect(throws: DownloadError.self) { try source(directory.file("none")) }
        #expect(throws: DownloadError.self) { try source(directory.file("x"), .index) }
        #expect(throws: DownloadError.self) { try source(directory.file("x"), base: "host") }
    }

    @Test("in a file with checksums under another name requires its format")
    func checksums() throws {
        let directory = try TemporaryDirectory()
        let path = directory.filePath("SUMS.tmp")
        let line = "\(String(repeating: "0", count: 64))  a\n"
        for text in [line, String(repeating: line, count: 2000)] {
            try directory.write("# all\n\(text)", to: "SUMS.tmp")
            for base in ["http://host/", nil] {
                let error = #expect(throws: DownloadError.self) { try source(path.string, base: base) }
                #expect(error?.message.contains("add --format checksums") ?? false)
                #expect(error?.message.contains("--base") == (base == nil))
            }
            let named = try source(path.string, .checksums, base: "http://host/")
            #expect(try named == .file(path, .checksums, base: Source("http://host/")))
        }
        try directory.write("http://host/a\n\(line)", to: "SUMS.tmp")
        #expect(try source(path.string) == .file(path, .urls, base: nil))
    }

    @Test(
        "a bucket's directory follows from its name",
        arguments: [
            ("s3://bucket", nil, ""), ("s3://bucket/", "p", "p"), ("s3://bucket/a", nil, "a/"),
            ("s3://bucket/a/b/", "p", "a/b/p"),
        ] as [(String, String?, String)])
    func buckets(text: String, prefix: String?, whole: String) throws {
        let url = try Source("https://bucket.s3.amazonaws.com/")
        #expect(try source(text, prefix: prefix) == .bucket(url, prefix: whole))
        #expect(throws: DownloadError.self) { try source(text, .index) }
    }

    @Test("a key signs requests for buckets, and for nothing else")
    func keys() throws {
        func credentials(_ text: String, _ format: MirrorSourceOption.Format = .auto) throws -> Credentials? {
            try MirrorSourceOption(
                text, format: format, base: nil, prefix: nil,
                s3: { _ throws(DownloadError) in
                    try S3Settings(environment: ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s"])
                }
            ).credentials
        }
        #expect(try credentials("s3://bucket")?.user == "id")
        #expect(try credentials("http://host/bucket/", .s3)?.user == "id")
        #expect(try credentials("http://u:p@host/bucket/", .s3) == nil)
        #expect(try credentials("http://host/pub/") == nil)
        #expect(try credentials("http://host/SHA256SUMS") == nil)
    }

    @Test("can be stated")
    func said() throws {
        let url = try Source("http://host/b/")
        #expect(try source("http://host/b/", .s3, prefix: "p") == .bucket(url, prefix: "p"))
        #expect(try source("http://host/b/", .urls) == .list(url, .urls))
        #expect(throws: DownloadError.self) { try source("http://host/b/", prefix: "p") }
    }
}

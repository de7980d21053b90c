import Testing

@testable import SegmentedDL

@Suite("Secrets in URLs are hidden")
struct RedactionTests {
    @Test("a source's description has neither query nor user")
    func description() throws {
        #expect(try Source("https://me:pw@host/x?token=secret#f").description == "https://host/x?…")
        #expect(try Source("https://host/x").description == "https://host/x")
    }

    @Test(
        "error messages have neither",
        arguments: [
            "ftp://user:secret@host/x", "http://user:secret@host:99999/", "http://host:99999/?token=secret",
            "http://host:99999/#secret", "http://user:sec@secret@host:99999/", "http://user:secret@",
            "x://a/?secret",
            "http://user:secret@host/\nx",
        ])
    func messages(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(!error.message.contains("secret"), "\(error.message)")
        #expect(error.url?.contains("secret") != true)
        #expect(!error.message.contains("user"), "\(error.message)")
    }

    @Test(
        "redaction keeps the rest",
        arguments: [
            ("http://host/path", "http://host/path"), ("http://u:p@host/a", "http://host/a"),
            ("http://host/x?y", "http://host/x?…"), ("http://host/x#y", "http://host/x?…"),
            ("nonsense", "nonsense"),
            ("http://host/a\u{1}b", "http://host/a·b"), ("", ""),
        ])
    func redacted(text: String, shown: String) {
        #expect(URLParser.redacted(text) == shown)
    }
}

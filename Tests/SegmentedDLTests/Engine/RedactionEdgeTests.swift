import Testing

@testable import SegmentedDL

@Suite("Secrets in malformed URLs are hidden")
struct RedactionEdgeTests {
    @Test(
        "user information is found without a full '://'",
        arguments: [
            "user:secret@host/file", "http:/user:secret@host:99999/", "http:///user:secret@host:99999/",
            "//user:secret@host/file",
        ])
    func irregularScheme(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(!error.message.contains("secret"), "\(error.message)")
    }

    @Test(
        "a password with a reserved character is hidden",
        arguments: [
            "http://user:secret/x@host/file", "http://user:secret?x@host:99999/",
            "http://user:secret#x@host:99999/",
        ])
    func reservedCharacters(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(!error.message.contains("secret"), "\(error.message)")
    }

    @Test(
        "a URL inside the query or the user information is not mistaken for the beginning",
        arguments: [
            "host/x?token=secret&next=http://other/", "user:secret@host/x?next=http://other/",
            "//host:99999/x?token=secret&next=http://other/", "host/x#secret://y",
        ])
    func innerURL(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(!error.message.contains("secret"), "\(error.message)")
        #expect(error.url?.contains("secret") != true)
    }

    @Test(
        "a mark that combines with an @ or a question mark does not hide it",
        arguments: [
            "ftp://user:secret@\u{301}host/", "ftp://host/x?\u{301}secret", "ftp://host/x#\u{301}secret",
        ])
    func combiningMarks(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(!error.message.contains("secret"), "\(error.message)")
    }

    @Test("control characters beyond ASCII, which terminals interpret, too, are hidden")
    func controlCharacters() {
        #expect(URLParser.redacted("ftp://host/\u{9b}31m") == "ftp://host/·31m")
    }

    @Test("only two hexadecimal digits after a percent sign are decoded", arguments: ["%+5", "%-0", "a%+fb"])
    func signs(text: String) {
        #expect(URLParser.decoded(text) == text)
    }
}

import Testing

@testable import SegmentedDL

@Suite("Secrets in malformed URLs are not shown either")
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
        "a password with a reserved character in it is not shown",
        arguments: [
            "http://user:secret/x@host/file", "http://user:secret?x@host:99999/",
            "http://user:secret#x@host:99999/",
        ])
    func reservedCharacters(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Source(text) }
        #expect(!error.message.contains("secret"), "\(error.message)")
    }

    @Test("only two hexadecimal digits after a percent sign are decoded", arguments: ["%+5", "%-0", "a%+fb"])
    func signs(text: String) {
        #expect(URLParser.decoded(text) == text)
    }
}

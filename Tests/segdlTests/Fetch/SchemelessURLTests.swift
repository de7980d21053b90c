import Testing

@testable import segdl

@Suite("A word of the command line without a scheme")
struct SchemelessURLTests {
    @Test("is a URL unless a file or directory with that name exists")
    func disk() {
        #expect(SchemelessURL.guess("a.com/x/y", isThere: { _ in false }) == "http://a.com/x/y")
        #expect(SchemelessURL.guess("a.com/x/y", isThere: { $0 == "a.com" }) == nil)
        #expect(SchemelessURL.guess("a.com:80", isThere: { $0 == "a.com:80" }) == nil)
        #expect(SchemelessURL.guess("http://a.com/x", isThere: { _ in false }) == nil)
    }
}

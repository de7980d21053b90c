import Testing

@testable import segdl

@Suite("Counted nouns")
struct PluralTests {
    @Test(
        "only one is singular",
        arguments: [(0, "0 files"), (1, "1 file"), (2, "2 files"), (21, "21 files")])
    func count(number: Int, text: String) {
        #expect(Plural.count(number, "file") == text)
    }
}

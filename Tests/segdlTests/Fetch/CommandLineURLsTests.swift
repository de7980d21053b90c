import Testing

@testable import segdl

@Suite("The URLs of a command line")
struct CommandLineURLsTests {
    @Test("count once each, without blanks around them, in their order")
    func distinct() {
        #expect(
            CommandLineURLs.distinct([" http://b/", "http://a/\n", "http://b/"]) == [
                "http://b/", "http://a/",
            ])
        #expect(CommandLineURLs.distinct(["http://a/x", "http://a/X"]).count == 2)
    }
}

import Testing

@testable import segdl

@Suite("The files of a command line and its list")
struct NamedFileTests {
    @Test("count once each, in order")
    func distinct() {
        let files = ["http://b/", "http://a/x", "http://b/", "http://a/X"].map { NamedFile(url: $0) }
        #expect(NamedFile.distinct(files).map(\.url) == ["http://b/", "http://a/x", "http://a/X"])
    }

    @Test("are equal only with the same options, whatever their lines are")
    func options() throws {
        var options = InputOptions()
        try options.take("out=other")
        let files = [
            NamedFile(url: "http://a/x", place: "list:1"), NamedFile(url: "http://a/x", place: "list:2"),
            NamedFile(url: "http://a/x", options: options),
            NamedFile(url: "http://a/x", mirrors: ["http://b/x"]),
            NamedFile(url: "a reason", place: "list:5", isWrong: true),
            NamedFile(url: "a reason", place: "list:6", isWrong: true),
        ]
        #expect(NamedFile.distinct(files).map(\.place) == ["list:1", nil, nil, "list:5", "list:6"])
    }
}

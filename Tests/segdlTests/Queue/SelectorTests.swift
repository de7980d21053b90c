import Testing

@testable import segdl

@Suite("The selection of downloads on the command line")
struct SelectorTests {
    @Test(
        "is one, or numbers separated by commas",
        arguments: [
            ("7", ["7"]), ("1,2,30", ["1", "2", "30"]), ("all", ["all"]), ("state:failed", ["state:failed"]),
            ("key:a,b", ["key:a,b"]), ("http://host/a,b", ["http://host/a,b"]),
            ("position:2", ["position:2"]),
        ])
    func several(text: String, expected: [String]) throws {
        #expect(try Selector.several(text).map(\.text) == expected)
    }

    @Test("is refused otherwise", arguments: ["", ",", "1-3", "1,b", "first", "state:over", "1,,x"])
    func refused(text: String) {
        #expect(throws: (any Error).self) { try Selector.several(text) }
    }
}

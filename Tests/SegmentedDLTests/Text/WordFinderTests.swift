import Testing

@testable import SegmentedDL

@Suite("Words in bytes")
struct WordFinderTests {
    private static let words = ["sha3", "shake", "hak", "sha-512/", "md2", "a"]

    private func found(_ text: String, ignoring ignored: UInt8? = nil) -> [String] {
        WordFinder(Self.words).words(in: Array(text.utf8)[...], ignoring: ignored).sorted().map {
            Self.words[$0]
        }
    }

    @Test(
        "are found in any case, also within and after others",
        arguments: [
            ("", []), ("md", []), ("MD2", ["md2"]), ("mmd2", ["md2"]), ("mdmd2", ["md2"]),
            ("SHAKE", ["shake", "hak", "a"]), ("shasha3", ["sha3", "a"]),
            ("sha-512/256", ["sha-512/", "a"]), ("shhak", ["hak", "a"]), ("s\u{e4}ha3", ["a"]),
        ] as [(String, [String])])
    func anywhere(text: String, words: [String]) {
        #expect(found(text) == words)
    }

    @Test("are found around an ignored byte")
    func ignored() {
        #expect(found("m-d-2", ignoring: UInt8(ascii: "-")) == ["md2"])
        #expect(found("m-d-2") == [])
    }
}

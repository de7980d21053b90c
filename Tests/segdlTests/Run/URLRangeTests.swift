import Testing

@testable import segdl

@Suite("URL ranges of curl and aria2")
struct URLRangeTests {
    @Test(
        "are rewritten for a shell",
        arguments: [
            ("http://h/f00[1-3].dat", "http://h/f00{1..3}.dat"),
            ("http://h/%5B01-12%5D/f", "http://h/{01..12}/f"),
            ("http://h/[0-9:3]", "http://h/{0..9..3}"), ("http://h/[a-c].gz", "http://h/{a..c}.gz"),
            ("http://h/%7Bone,two%7D.dat", "http://h/{one,two}.dat"),
            ("http://h/f.dat", nil), ("http://h/a[1].dat", nil), ("http://[::1]/f", nil),
            ("http://[fe80::1-2]/f", nil), ("http://h/{guid}", nil), ("http://h/[-3]", nil),
            ("http://h/[ab-c]", nil),
        ] as [(String, String?)])
    func examples(url: String, example: String?) {
        #expect(URLRange.example(in: url) == example)
    }
}

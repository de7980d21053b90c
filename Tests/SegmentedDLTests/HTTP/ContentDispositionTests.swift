import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Content-Disposition")
struct ContentDispositionTests {
    @Test(
        "the examples of RFC 6266",
        arguments: [
            ("Attachment; filename=example.html", "example.html"),
            ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
            ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
        ])
    func rfc6266(header: String, name: String) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test(
        "the examples of RFC 8187",
        arguments: [
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", "£ and € rates"),
            ("attachment; filename*=UTF-8'de'na%C3%AFve", "naïve"),
        ])
    func rfc8187(header: String, name: String) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test("the extended name goes first, wherever it stands")
    func bothNames() {
        #expect(ContentDisposition.fileName("a; filename*=UTF-8''ext; filename=plain") == "ext")
        #expect(ContentDisposition.fileName("a; filename=plain; filename*=UTF-8''ext") == "ext")
    }

    @Test(
        "an extended name that cannot be read leaves the plain one",
        arguments: [
            "a; filename=plain; filename*=ext", "a; filename=plain; filename*=UTF-8'ext",
            "a; filename=plain; filename*=koi8-r''ext", "a; filename=plain; filename*=",
        ])
    func unreadableExtended(header: String) {
        #expect(ContentDisposition.fileName(header) == "plain")
    }

    @Test(
        "quotes and escapes are undone",
        arguments: [
            (#"a; filename="b\"c""#, #"b"c"#), (#"a; filename="b\\c""#, #"b\c"#),
            (#"a; filename="b;c=d""#, "b;c=d"),
            (#"a; filename="""#, ""), (#"a; filename="unclosed"#, "unclosed"),
            (#"a; filename="ends in \"#, "ends in \\"),
            (#"a; filename="x" ; size=3"#, "x"), (#"a; name="filename=no"; filename=yes"#, "yes"),
        ])
    func quotes(header: String, name: String) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test("blanks around names and values do not count")
    func blanks() {
        #expect(ContentDisposition.fileName("attachment ;\tfilename =\t a b.txt ; x=y") == "a b.txt")
    }

    @Test("the first of several equal parameters counts")
    func repeated() {
        #expect(ContentDisposition.fileName("a; filename=one; filename=two") == "one")
        #expect(ContentDisposition.fileName("a; filename*=UTF-8''one; filename*=UTF-8''two") == "one")
    }

    @Test(
        "without a name there is none",
        arguments: [
            "", ";", ";;;", "attachment", "inline;", "attachment; size=10", "attachment; filename",
            "filename=x",
            "attachment; filename; x", "attachment; =x", "a; xfilename=x", "a; filename**=x", "====",
            "a;=;=;=",
        ])
    func none(header: String) {
        #expect(ContentDisposition.fileName(header) == nil)
    }

    @Test("bytes that are not UTF-8 become replacement characters")
    func invalidUTF8() {
        #expect(ContentDisposition.fileName("a; filename*=UTF-8''x%ff") == "x\u{fffd}")
    }

    @Test(
        "a mark that combines with a quote, a backslash or a blank does not hide it",
        arguments: [
            ("a; filename=\"\u{301}x\"; y=z", "\u{301}x"), ("a; filename=\"x\u{600}\"; y=z", "x\u{600}"),
            ("a; filename=\"\\\"\u{301}x\"; y=z", "\"\u{301}x"),
            ("a; filename=\u{301}x; y=z", "\u{301}x"),
            ("a; filename*=UTF-8''\u{301}x; y=z", "\u{301}x"),
        ])
    func combiningMarks(header: String, name: String) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test("no garbage makes it trap or loop")
    func garbage() {
        let seed: UInt64 = 6266
        var random = SplitMix64(seed: seed)
        let alphabet = Array("filename*=\"\\;' \t%0aUTF-8''é€/")
        for _ in 0..<5000 {
            let length = Int.random(in: 0...40, using: &random)
            let text = "a;" + String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "x" })
            let name = ContentDisposition.fileName(text)
            // Decoding makes text shorter but for a replacement character of three bytes in place of one.
            #expect((name ?? "").utf8.count <= text.utf8.count * 3, "seed \(seed), \(text)")
        }
    }
}

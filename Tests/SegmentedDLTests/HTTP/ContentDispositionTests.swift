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

    @Test(
        "fields that other programs have misread",
        arguments: [
            // erickutcher/httpdownloader #28
            (
                "attachment; filename*=UTF-8''APNG-2018.10.10.7z; filename=\"APNG-2018.10.10.7z\"",
                "APNG-2018.10.10.7z"
            ),
            // mozilla-mobile/android-components #11054
            (
                "attachment;filename*=utf-8''f3_Java8%2064%E4%BD%8D%2Eexe;filename=\"f3_Java8 64%E4%BD%8D.exe\"",
                "f3_Java8 64位.exe"
            ),
            // axel-download-accelerator/axel #430
            ("attachment; filename=\"foo;bar\"", "foo;bar"),
            // supabase/storage #1385
            (
                "attachment; filename=John's%20Resume.pdf; filename*=UTF-8''John's%20Resume.pdf",
                "John's Resume.pdf"
            ),
            ("attachment; filename=report(1).pdf; filename*=UTF-8''report(1).pdf", "report(1).pdf"),
            // dotnet/aspnetcore #50557
            ("attachment; filename=\"test ; value\"; filename*=UTF-8''test%20%3B%20value ", "test ; value"),
            // phalcon/cphalcon #13919
            ("attachment; filename=a.txt;", "a.txt"),
        ])
    func reports(header: String, name: String) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test(
        "a name in several parts is joined (RFC 2231)",
        arguments: [
            ("a; filename*0=\"foo\"; filename*1=\"bar.html\"", "foobar.html"),
            ("a; filename*1=bar.html; filename*0=foo", "foobar.html"),
            ("a; FILENAME*0=foo; fileName*1=\".html\"", "foo.html"),
            ("a; filename*0=\"a;b\\\"c'\"; filename*1=\"d e\"; filename*2=%4", "a;b\"c'd e%4"),
            ("a; filename*0*=UTF-8''na%C3; filename*1*=%AFve; filename*2=.txt", "naïve.txt"),
            ("a; filename*2=\"(%41).txt\"; filename*1*=%e2%82%ac%20; filename*0*=utf-8'en'1", "1€ (%41).txt"),
            ("a; filename*0*=iso-8859-1''%A3%20; filename*1=rates; filename*2*=%A3", "£ rates£"),
            ("a; filename*0=foo-; filename*1*=%c3%a4.html", "foo-ä.html"),
            ("a; filename*0*=UTF-8''a'b; filename*1*='c", "a'b'c"),
            ("a; filename*0*=UTF-8''only", "only"), ("a; filename*0=only", "only"),
            ("a; filename*0=; filename*1=x", "x"),
            ("a; " + (0...11).map { "filename*\($0)=\($0)" }.joined(separator: ";"), "01234567891011"),
            ("a; filename*0=\"=?UTF-8?B?w6Q\"; filename*1=\"=?=.txt\"", "ä.txt"),
            ("a; filename*0=a%2; filename*1=0b", "a b"),
            ("a; filename*0=one; filename*0=two; filename*0*=UTF-8''three", "one"),
        ])
    func parts(header: String, name: String) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test("an extended name takes precedence over one in parts, which precedes a plain one, in any order")
    func order() {
        let names = ["filename=plain", "filename*0=par", "filename*1=ts", "filename*=UTF-8''ext"]
        for names in [names, names.reversed()] {
            #expect(ContentDisposition.fileName("a; " + names.joined(separator: "; ")) == "ext")
            let others = names.filter { !$0.hasPrefix("filename*=") }
            #expect(ContentDisposition.fileName("a; " + others.joined(separator: "; ")) == "parts")
        }
    }

    @Test("with a missing part the name is the plain one, or ends there")
    func gap() {
        #expect(ContentDisposition.fileName("a; filename*0=foo; filename*2=bar; filename=plain") == "plain")
        #expect(ContentDisposition.fileName("a; filename*0=foo; filename*2=bar") == "foo")
        #expect(ContentDisposition.fileName("a; filename*1=foo; filename*2=bar; filename=plain") == "plain")
    }

    @Test(
        "unreadable parts leave the plain name, or none",
        arguments: [
            "filename*1=foo", "filename*00=foo", "filename*0*=foo", "filename*0*=UTF-8''%ff",
            "filename*0*=UTF-8''%e2%82; filename*1=x", "filename*0*=koi8-r''x", "filename*0*=UTF-8''%4",
            "filename*0*=UTF-8''x%; filename*1*=41", "filename*0**=UTF-8''x", "filename*-1=x",
            "filename*+0=x", "filename*x=x", "filename**0=x", "filename*99999999999999999999=x",
            "xfilename*0=x", "filename*0x=x", "filename*٠=x",
        ])
    func unreadableParts(parameters: String) {
        #expect(ContentDisposition.fileName("a; \(parameters); filename=plain") == "plain")
        #expect(ContentDisposition.fileName("a; filename=plain; \(parameters)") == "plain")
        #expect(ContentDisposition.fileName("a; \(parameters)") == nil)
    }

    @Test("the extended name takes precedence in any position")
    func bothNames() {
        #expect(ContentDisposition.fileName("a; filename*=UTF-8''ext; filename=plain") == "ext")
        #expect(ContentDisposition.fileName("a; filename=plain; filename*=UTF-8''ext") == "ext")
    }

    @Test(
        "an unreadable extended name leaves the plain one",
        arguments: [
            "a; filename=plain; filename*=ext", "a; filename=plain; filename*=UTF-8'ext",
            "a; filename=plain; filename*=koi8-r''ext", "a; filename=plain; filename*=",
            "a; filename=plain; filename*=UTF-8''", "a; filename=plain; filename*=UTF-8''x%ff",
            "a; filename*=UTF-8''x%c3; filename=plain", "a; filename=plain; filename*=UTF-8''x%",
            "a; filename=plain; filename*=UTF-8''x%zz", "a; filename=plain; filename*=gbk''%c4%e3",
            "a; filename=plain; filename*=''x",
        ])
    func unreadableExtended(header: String) {
        #expect(ContentDisposition.fileName(header) == "plain")
    }

    @Test(
        "a filename* that cannot be decoded keeps its escapes if there is no other name",
        arguments: [
            ("gbk''%c4%e3.zip", "%C4%E3.zip"), ("GB18030'zh'a%20%c4.zip", "a %C4.zip"),
            ("UTF-8''%ff.zip", "%FF.zip"), ("a%20b.zip", "a b.zip"), ("''x.zip", "x.zip"),
        ])
    func undecoded(value: String, name: String) {
        #expect(ContentDisposition.fileName("a; filename*=\(value)") == name)
        #expect(ContentDisposition.fileName("a; filename*=\(value); filename=plain") == "plain")
    }

    @Test(
        "quotes and escapes are decoded",
        arguments: [
            (#"a; filename="b\"c""#, #"b"c"#), (#"a; filename="b\\c""#, #"b\c"#),
            (#"a; filename="b;c=d""#, "b;c=d"), (#"a; filename="6.5\\x.rpm""#, #"6.5\x.rpm"#),
            // From old versions of IIS: a path whose backslashes are not doubled.
            (#"a; filename="C:\dir\file.txt""#, #"C:\dir\file.txt"#),
            (#"a; filename="\\srv\s\f""#, #"\srv\s\f"#),
            (#"a; filename="d\f \"1\".txt""#, #"d\f "1".txt"#),
            (#"a; filename="""#, ""), (#"a; filename="unclosed"#, "unclosed"),
            (#"a; filename="ends in \"#, "ends in \\"),
            (#"a; filename="x" ; size=3"#, "x"), (#"a; name="filename=no"; filename=yes"#, "yes"),
        ])
    func quotes(header: String, name: String) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test("spaces around names and values are ignored")
    func blanks() {
        #expect(ContentDisposition.fileName("attachment ;\tfilename =\t a b.txt ; x=y") == "a b.txt")
    }

    @Test(
        "the type may be missing",
        arguments: [
            ("filename=x.txt", "x.txt"), ("filename=\"a;b.txt\"; size=3", "a;b.txt"),
            ("filename*=UTF-8''%C3%A9; filename=e", "é"), (" filename = x", "x"), ("x=y", nil),
            ("inline", nil),
        ])
    func noType(header: String, name: String?) {
        #expect(ContentDisposition.fileName(header) == name)
    }

    @Test("the first of several equal parameters is used")
    func repeated() {
        #expect(ContentDisposition.fileName("a; filename=one; filename=two") == "one")
        #expect(ContentDisposition.fileName("a; filename*=UTF-8''one; filename*=UTF-8''two") == "one")
    }

    @Test(
        "without a name there is none",
        arguments: [
            "", ";", ";;;", "attachment", "inline;", "attachment; size=10", "attachment; filename",
            "filename",
            "attachment; filename; x", "attachment; =x", "a; xfilename=x", "a; filename**=x", "====",
            "a;=;=;=",
        ])
    func none(header: String) {
        #expect(ContentDisposition.fileName(header) == nil)
    }

    @Test(
        "a fully percent-encoded name is decoded",
        arguments: [
            ("a%20b.zip", "a b.zip"), ("na%C3%AFve.pdf", "naïve.pdf"), ("foo-%41.html", "foo-A.html"),
            ("%E4%BD%A0.zip", "你.zip"), ("a+b%20c", "a+b c"), ("a%2Fb", "a%2Fb"), ("a%5Cb", "a%5Cb"),
            ("a%00%0A", "a%00%0A"),
            ("100%.txt", "100%.txt"), ("100%25.txt", "100%.txt"), ("5% of %20.txt", "5% of %20.txt"),
            ("%zz", "%zz"), ("%", "%"), ("a%2", "a%2"), ("%c4%e3.zip", "%c4%e3.zip"), ("x%ff", "x%ff"),
        ])
    func percentEncoded(sent: String, name: String) {
        #expect(ContentDisposition.fileName("attachment; filename=\"\(sent)\"") == name)
        #expect(ContentDisposition.fileName("attachment; filename=\(sent); size=1") == name)
    }

    @Test(
        "encoded words are decoded (RFC 2047)",
        arguments: [
            ("=?UTF-8?B?bmHDr3ZlLnBkZg==?=", "naïve.pdf"), ("=?utf-8?b?bmHDr3ZlLnBkZg?=", "naïve.pdf"),
            ("=?UTF-8?Q?na=C3=AFve_1.pdf?=", "naïve 1.pdf"), ("=?utf-8?q?na=c3=afve=2Epdf?=", "naïve.pdf"),
            ("=?ISO-8859-1?Q?na=EFve.pdf?=", "naïve.pdf"), ("=?iso-8859-1?B?7y5wZGY=?=", "ï.pdf"),
            ("=?US-ASCII?Q?plain.txt?=", "plain.txt"), ("=?UTF-8*en?Q?a=20b?=", "a b"),
            ("=?UTF-8?Q?a?= =?UTF-8?Q?b?=", "ab"), ("=?UTF-8?Q?na=C3?= =?UTF-8?Q?=AFve?=", "naïve"),
            ("=?UTF-8?B?w68=?= =?ISO-8859-1?Q?=EF?=", "ïï"), ("x =?UTF-8?Q?y?=.pdf", "x y.pdf"),
            ("=?UTF-8?Q?100%?=", "100%"), ("=?UTF-8?B?Li4vLi4vZXRjL3Bhc3N3ZA==?=", "../../etc/passwd"),
        ])
    func encodedWords(sent: String, name: String) {
        #expect(ContentDisposition.fileName("attachment; filename=\"\(sent)\"") == name)
        #expect(ContentDisposition.fileName("attachment; filename=\(sent)") == name)
    }

    @Test(
        "invalid or unreadable encoded words are kept",
        arguments: [
            "=?UTF-8?B?w6?=", "=?UTF-8?B?!!!!?=", "=?UTF-8?X?abc?=", "=?UTF-8?Q?=FF?=", "=?gbk?B?xOM=?=",
            "=?UTF-8?Q?=zz?=", "=?UTF-8?Q", "=?", "a=?b", "=?=?=?=", "=?UTF-8?Q?a", "=?UTF-8?Q?a?= =?",
        ])
    func notEncoded(sent: String) {
        #expect(ContentDisposition.fileName("attachment; filename=\"\(sent)\"") == sent)
    }

    @Test(
        "a mark that combines with a quote, a backslash or a space does not hide it",
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

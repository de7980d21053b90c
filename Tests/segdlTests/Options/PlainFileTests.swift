import Testing

@testable import segdl

@Suite("Files of cookies and logins in other encodings")
struct PlainFileTests {
    private static let cookie = "a.b\tFALSE\t/\tFALSE\t0\tname\tvalue\n"

    @Test(
        "are refused if libcurl would ignore a line",
        arguments: [
            ("\u{feff}" + cookie, true), ("\u{feff}#HttpOnly_" + cookie, true),
            ("\u{feff}# Netscape HTTP Cookie File\n" + cookie, false), ("\u{feff}\n" + cookie, false),
            ("\u{feff}", false), (cookie, false), ("", false),
        ])
    func marks(text: String, isRefused: Bool) {
        let fault = PlainFile.fault(in: Array(text.utf8), hasComments: true)
        #expect((fault?.contains("byte order mark") ?? false) == isRefused)
    }

    @Test("have no comments that libcurl would recognize behind a mark in a file of logins")
    func logins() {
        for text in ["machine h login u password p\n", "# machine h login u password p\n"] {
            #expect(PlainFile.fault(in: Array(("\u{feff}" + text).utf8), hasComments: false) != nil)
            #expect(PlainFile.fault(in: Array(text.utf8), hasComments: false) == nil)
        }
    }

    @Test("are refused in UTF-16")
    func wide() {
        for mark: [UInt8] in [[0xff, 0xfe], [0xfe, 0xff]] {
            #expect(PlainFile.fault(in: mark + [0x61, 0], hasComments: true)?.contains("UTF-8") ?? false)
        }
    }
}

import Testing

@testable import SegmentedDL

@Suite("Parsing of header fields")
struct HTTPHeaderTests {
    @Test(
        "name and value are separated at the first colon",
        arguments: [
            ("A: b", "A", "b"), ("A:b", "A", "b"), ("X-Time: 12:34:56", "X-Time", "12:34:56"),
            ("A:", "A", ""),
            ("A: \t b c \t", "A", "b c"), ("!#$%&'*+-.^_`|~09az: v", "!#$%&'*+-.^_`|~09az", "v"),
            ("A: é", "A", "é"),
            ("A: b\tc", "A", "b\tc"),
            ("A:\u{301}b", "A", "\u{301}b"), ("A: \u{301}b", "A", "\u{301}b"),
        ])
    func good(line: String, name: String, value: String) {
        #expect(HTTPHeader(parsing: line) == HTTPHeader(name, value))
    }

    @Test(
        "invalid fields are refused",
        arguments: [
            "", ":", ": v", "A", " A: v", "A : v", "A B: v", "Ä: v", "A\n: v", "A: v\r\nB: w", "A: v\n",
            "A: \u{0}",
            "A: \u{7f}", "A: \u{85}", "A: \u{9b}31m", "(A): v", "\"A\": v",
        ])
    func bad(line: String) {
        #expect(HTTPHeader(parsing: line) == nil)
    }

    @Test(
        "a field made of parts is checked by the same rule",
        arguments: [
            ("A", "b", true), ("A", "", true), ("A", "b\tc", true), ("A", "b\r\nC: d", false),
            ("A", "b\n", false), ("A", "\u{0}", false), ("A: b\r\nC", "d", false), ("", "b", false),
            ("A:", "b", false), (" A", "b", false),
        ])
    func parts(name: String, value: String, isValid: Bool) {
        let header = HTTPHeader(name, value)
        #expect(header.isValid == isValid)
        var error: DownloadError?
        do throws(DownloadError) {
            try header.check()
        } catch let caught {
            error = caught
        }
        #expect((error == nil) == isValid)
        #expect(error?.code == (isValid ? nil : .invalidSetting))
        #expect((error?.recoverySuggestion == nil) == isValid)
    }
}

import SegmentedDLSupport
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Expired cookies")
struct ExpiredCookiesTests {
    private func line(_ domain: String, _ date: String, below: Bool = true) -> String {
        [domain, below ? "TRUE" : "FALSE", "/", "FALSE", date, "name", "value"].joined(separator: "\t")
    }

    @Test("are counted by their domains")
    func counts() {
        let text = [
            "# Netscape HTTP Cookie File", line(".a.example", "5"), line("#HttpOnly_.a.example", "6"),
            line("b.example", "99", below: false), line("b.example", "100", below: false),
            line("c.example", "0"), line("c.example", "-1"), line("d.example", "12.75"),
            line("#.e.example", "5"), "Set-Cookie: a=b", "", "x\ty",
        ].joined(separator: "\r\n")
        #expect(
            ExpiredCookies.counts(text, now: 100) == [".a.example": 2, "b.example": 1, ".d.example": 1])
    }

    @Test(
        "belong to their hosts",
        arguments: [
            ("a.example", ".a.example", true), ("www.a.example", ".a.example", true),
            ("xa.example", ".a.example", false), ("a.example", "a.example", true),
            ("www.a.example", "a.example", false), ("example", ".a.example", false),
        ])
    func hosts(host: String, domain: String, isSent: Bool) {
        #expect(ExpiredCookies.isSent(to: host, domain) == isSent)
    }

    @Test("are reported once for each host")
    func once() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            [line("a.example", "5"), line("b.example", "5")].joined(separator: "\n"), to: "jar")
        let cookies = ExpiredCookies(in: directory.filePath("jar"))
        let first = try #require(cookies.notice(for: "a.example"))
        #expect(first.contains("1 cookie in") && first.contains("a.example"))
        #expect(cookies.notice(for: "a.example") == nil)
        #expect(cookies.notice(for: "b.example") != nil)
        #expect(cookies.notice(for: "c.example") == nil)
        #expect(ExpiredCookies(in: directory.filePath("none")).notice(for: "a.example") == nil)
    }
}

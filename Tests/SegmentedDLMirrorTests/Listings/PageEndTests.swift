import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The end of a page with a listing")
struct PageEndTests {
    private func end(_ page: String) -> PageEnd { PageEnd(of: Array(page.utf8)) }

    @Test(
        "shows that the page is truncated",
        arguments: [
            "<a href=x>x</a><a hr", "<a href=x>x</a><a href=\"f1", "<a href=x>x</a></", "<a href=x>x</a><",
            "<a href=x>x</a><!-- a", "<A HREF=x>x", "<a href=x>x</a>\n<a\nhref=y>y",
            "<html><a href=x>x</a>\n", "<!DOCTYPE html><HTML lang=en><pre>", "<html><a href=x>x</a></html",
            "<html></html><a href=x>x",
        ])
    func cut(page: String) {
        #expect(end(page).isCut)
    }

    @Test(
        "is regular",
        arguments: [
            "", "\n", "no html & <<< >", "a < b", "1 <2", "<a href=x>x</a>", "<pre><a href=x>x</a></pre>\n",
            "<html><a href=x>x</body>", "<html><a href=x>x</a></HTML >\n", "<html></html><a href=x>x</a>",
            "<a name=top><a href=x>x</a><address>me", "<abbr>x", "<htmlx>", "<p>x<br>",
        ])
    func whole(page: String) {
        #expect(!end(page).isCut && end(page).wholeBytes == page.utf8.count)
    }

    @Test(
        "is regular for each server's listing, and not for a part of it",
        arguments: ["nginx", "lighttpd", "apache-plain", "apache-fancy", "apache-table", "caddy", "python"])
    func servers(name: String) throws {
        let page = try recordedListing(name)
        #expect(!PageEnd(of: page).isCut)
        for count in stride(from: page.count / 2, to: page.count * 3 / 4, by: 7) {
            #expect(PageEnd(of: Array(page.prefix(count))).isCut, "\(count)")
        }
    }

    @Test("states where a truncated tag begins")
    func place() {
        #expect(end("<a href=x>x</a><a href=\"f1").wholeBytes == 15)
        #expect(end("<a href=x>x").wholeBytes == 11)
    }

    @Test("prevents deletions by a mirror if it is truncated, and counts as its failure")
    func deletion() async throws {
        let directory = try TemporaryDirectory()
        let site = MirroredSite()
        site.change {
            $0.pages = ["": MirroredSite.page("pub/"), "pub/": MirroredSite.page("a", "b")]
            $0.files = ["pub/a": "A", "pub/b": "B"]
        }
        let job = MirrorJob.remembering(below: directory) { $0.deletion = .everything }
        #expect(try await site.mirror(job).report.isComplete)
        for end in ["<a hr", "<a href=\"b", "<a href=\"c\">c", "<html>"] {
            site.change {
                $0.pages["pub/"] = MirroredSite.page("a") + end
                $0.files["pub/c"] = "C"
            }
            let report = try await site.mirror(job).report
            #expect(report.failed == 1 && report.deleted == 0 && report.gone == 0, "\(end): \(report)")
            #expect(directory.exists("root/pub/b"))
        }
        #expect(directory.exists("root/pub/c"), "a whole link counts")
        site.change { $0.pages["pub/"] = MirroredSite.page("a") }
        let report = try await site.mirror(job).report
        #expect(report.isComplete && report.deleted == 2, "\(report)")
    }
}

import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("A web page instead of the file is detected")
struct WebPageTests {
    private func isUnexpected(
        _ type: String?, _ url: String, output: String? = nil, stored: String?
    ) throws -> Bool {
        let request = try DownloadRequest(
            url, to: output.map { DownloadRequest.Destination.file(FilePath($0)) } ?? .directory("."))
        return WebPage.isUnexpected(type, for: request, stored: stored)
    }

    @Test(
        "by its type alone",
        arguments: [
            ("text/html", true), ("Text/HTML; charset=utf-8", true), ("text/html;x", true),
            ("application/xhtml+xml", true), ("text/plain", false), ("application/octet-stream", false),
            ("text/htmlx", false), ("", false), (nil, false),
        ] as [(String?, Bool)])
    func types(type: String?, isPage: Bool) throws {
        #expect(try isUnexpected(type, "http://h/disk.iso", stored: "disk.iso") == isPage)
    }

    @Test("a message is JSON or XML, unless its name says so")
    func messages() {
        for type in ["application/json", "Text/XML; charset=utf-8", "application/problem+json"] {
            #expect(WebPage.isMessageType(type))
        }
        for type in ["text/html", "application/zip", "image/svg+xml", "", nil] {
            #expect(!WebPage.isMessageType(type))
        }
        #expect(WebPage.isMessageName("a.JSON") && WebPage.isMessageName("feed.xml"))
        #expect(!WebPage.isMessageName("disk.iso") && !WebPage.isMessageName("json"))
    }

    @Test(
        "unless the name is that of a page",
        arguments: [
            ("http://h/disk.iso", nil, "disk.iso", true), ("http://h/latest", nil, "latest", true),
            ("http://h/latest", nil, "disk.iso", true), ("http://h/disk.iso", nil, "login.html", true),
            ("http://h/get?id=3", "disk.iso", "disk.iso", true), ("http://h/", "disk.iso", "disk.iso", true),
            ("http://h/index.html", "disk.iso", "disk.iso", true), ("http://h/latest", nil, nil, true),
            ("http://h/.hidden", nil, ".hidden", true), ("http://h/v1.2", nil, "v1.2", true),
            ("http://h/index.html", nil, "index.html", false), ("http://h/A.HTM", nil, "A.HTM", false),
            ("http://h/a.php?x=1", nil, "a.php", false), ("http://h/", "page.html", "page.html", false),
            ("http://h/index.html", "saved", "saved", false), ("http://h/", nil, nil, false),
            ("http://h/", "saved", "saved", false), ("http://h/latest", nil, "report.html", false),
            ("http://h/x.xhtml", nil, "x.xhtml", false), ("http://h/dir/", nil, "index.html", false),
        ] as [(String, String?, String?, Bool)])
    func names(url: String, output: String?, stored: String?, isUnexpected: Bool) throws {
        #expect(try self.isUnexpected("text/html", url, output: output, stored: stored) == isUnexpected)
    }
}

@Suite("Expected media types")
struct MediaRangeTests {
    @Test(
        "are compared without case and parameters",
        arguments: [
            ("image/png", "image/png", true), ("image/png", "IMAGE/PNG; q=1", true),
            ("IMAGE/PNG", "image/png", true), ("image/*", "image/jpeg", true), ("*/*", "x/y", true),
            ("image/png", "image/jpeg", false), ("image/*", "imagex/png", false),
            ("image/*", "text/html", false), ("image/png", "image/png2", false),
            ("image/png", nil, false), ("*/*", nil, false), ("*/*", "", false),
            ("application/gzip", "application/gzip ;x=y", true),
        ] as [(String, String?, Bool)])
    func include(range: String, type: String?, isIncluded: Bool) {
        #expect(MediaRange.isValid(range))
        #expect(MediaRange.include(type, in: [range]) == isIncluded)
        #expect(MediaRange.include(type, in: ["audio/x-none", range]) == isIncluded)
    }

    @Test(
        "are refused in another form",
        arguments: [
            "", "image", "image/", "/png", "*/png", "a/b/c", "a b/c", "image/p*", "text/html; charset=utf-8",
        ])
    func invalid(range: String) {
        #expect(!MediaRange.isValid(range))
    }
}

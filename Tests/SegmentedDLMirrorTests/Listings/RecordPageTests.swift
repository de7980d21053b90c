import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Records of research data repositories")
struct RecordPageTests {
    private static let md5 = String(repeating: "a", count: 32)

    @Test(
        "are recognized by the URLs of Zenodo and its DOIs",
        arguments: [
            ("https://zenodo.org/records/123", "https://zenodo.org/api/records/123", true),
            (
                "https://zenodo.org/record/123/files/a.zip?download=1", "https://zenodo.org/api/records/123",
                true
            ),
            ("https://doi.org/10.5281/zenodo.123", "https://zenodo.org/api/records/123", true),
            ("https://sandbox.zenodo.org/records/9", "https://sandbox.zenodo.org/api/records/9", true),
            ("https://zenodo.org/communities/x", "https://zenodo.org/communities/x", false),
            ("https://other.org/records/abc-de", "https://other.org/api/records/abc-de", false),
            ("https://other.org/api/records/abc-de", "https://other.org/api/records/abc-de", false),
            ("https://doi.org/10.1000/182", "https://doi.org/10.1000/182", false),
        ])
    func places(url: String, api: String, isKnown: Bool) throws {
        let source = try Source(url)
        #expect(try RecordPage.place(source).url == api)
        #expect((MirrorFormat.auto.resolved(for: source) == .record) == isKnown)
    }

    private func entries(_ text: String) throws -> [MirrorEntry] {
        let place = try Source("https://h/api/records/1")
        return try RecordPage.entries(Array(text.utf8), of: place)
    }

    @Test("have files with digests, in both forms of the API")
    func page() throws {
        let zenodo = """
            {"id": 1, "files": [{"key": "a b.zip", "size": 3, "checksum": "md5:\(Self.md5)",
            "links": {"self": "https://h/api/records/1/files/a%20b.zip/content"}},
            {"key": "../x", "size": 3, "links": {"self": "/y"}}, {"key": "z", "links": {}}]}
            """
        let invenio = """
            {"files": {"enabled": true, "entries": {"a b.zip": {"key": "a b.zip", "size": 3, "checksum": "md5:\(Self.md5)",
            "links": {"self": "/api/records/1/files/a%20b.zip", "content": "/api/records/1/files/a%20b.zip/content"}}}}}
            """
        for (text, count) in [(zenodo, 3), (invenio, 1)] {
            let entries = try entries(text)
            guard entries.count == count, case .item(let item) = entries[0] else {
                Issue.record("\(entries)")
                return
            }
            #expect(item.path.text == "a b.zip" && item.size == 3)
            #expect(item.checksums.map(\.hexadecimal) == [Self.md5])
            #expect(item.sources.map(\.url) == ["https://h/api/records/1/files/a%20b.zip/content"])
            #expect(entries.dropFirst().allSatisfy { if case .unusable = $0 { true } else { false } })
        }
        for other in ["{}", "<html>", "{\"files\": 1}", ""] {
            #expect(throws: DownloadError.self) { try entries(other) }
        }
    }
}

@Suite("Indexes of Python packages")
struct PackagePageTests {
    private static let sha256 = String(repeating: "b", count: 64)

    @Test(
        "are recognized by the URLs of PyPI",
        arguments: [
            ("https://pypi.org/simple/numpy/", "https://pypi.org/simple/numpy/", true),
            ("https://pypi.org/simple/numpy", "https://pypi.org/simple/numpy/", true),
            ("https://pypi.org/project/Foo__Bar.baz/", "https://pypi.org/simple/foo-bar-baz/", true),
            ("https://pypi.org/simple/", "https://pypi.org/simple/", false),
            ("https://h.example/simple/numpy/", "https://h.example/simple/numpy/", false),
        ])
    func places(url: String, place: String, isKnown: Bool) throws {
        let source = try Source(url)
        #expect(try PackagePage.place(source).url == place)
        #expect((MirrorFormat.auto.resolved(for: source) == .packages) == isKnown)
    }

    private func entries(_ text: String) throws -> [MirrorEntry] {
        let place = try Source("https://h/simple/p/")
        return try PackagePage.entries(Array(text.utf8), of: place, from: place)
    }

    @Test("of a later major version are refused, and of a minor one are read")
    func versions() throws {
        func page(_ version: String) -> String {
            #"{"meta": {"api-version": "\#(version)"}, "files": [{"filename": "p-1.0.whl", "url": "p-1.0.whl"}]}"#
        }
        #expect(try entries(page("1.9")).count == 1)
        let error = #expect(throws: DownloadError.self) { try entries(page("2.0")) }
        #expect(error?.code == .badResponse && error?.message.contains("version 2.0") ?? false)
    }

    @Test("have files with digests, in JSON and in HTML")
    func page() throws {
        let json = """
            {"meta": {"api-version": "1.1"}, "name": "p", "files": [{"filename": "p-1.0.whl", "size": 9,
            "url": "https://files.h/x/p-1.0.whl", "hashes": {"sha256": "\(Self.sha256)", "blake2b": "0"}, "yanked": "why"},
            {"filename": "..", "url": "x"}, {"filename": "p-2.0.whl"}, {"url": 1}, 7]}
            """
        let html = """
            <!DOCTYPE html><html><body><a href="https://files.h/x/p-1.0.whl#sha256=\(Self.sha256)" data-yanked>p-1.0.whl</a>
            <a href="../%2e%2e%2fx.whl">x</a><a href="/">Home</a><a href="https://other.h/help">Help</a><a href="#top">Top</a></body></html>
            """
        for (text, size) in [(json, 9), (html, nil)] as [(String, Int64?)] {
            let entries = try entries(text)
            guard entries.count == 2, case .item(let item) = entries[0], case .unusable = entries[1] else {
                Issue.record("\(entries)")
                return
            }
            #expect(item.path.text == "p-1.0.whl" && item.size == size)
            #expect(item.sources.map(\.url) == ["https://files.h/x/p-1.0.whl"])
            #expect(item.checksums.map(\.hexadecimal) == [Self.sha256])
        }
        for other in ["{}", "<html></html>", "<a href=\"/help\">Help</a>", ""] {
            #expect(throws: DownloadError.self) { try entries(other) }
        }
    }

    @Test(
        "in HTML have links relative to the first base", arguments: ["https://files.h/y/", "../../y/", nil])
    func base(href: String?) throws {
        let base = href.map { "<base target=\"_top\"><base href=\"\($0)\"><base href=\"/z/\">" } ?? ""
        let html = "<html><head>\(base)</head><body><a href=\"P-1.0.TAR.GZ\">P</a></body></html>"
        let found = try entries(html)
        guard found.count == 1, case .item(let item) = found[0] else {
            Issue.record("\(found)")
            return
        }
        let place = href.map { $0.hasPrefix("..") ? "https://h/y/" : $0 } ?? "https://h/simple/p/"
        #expect(item.sources.map(\.url) == ["\(place)P-1.0.TAR.GZ"])
    }

    @Test(
        "in HTML that are truncated may have further files",
        arguments: ["", "<a hr", "<a href=\"p-2.whl", "</"])
    func truncated(end: String) throws {
        let found = try entries("<html><a href=\"p-1.whl\">p-1.whl</a>\(end)")
        guard found.count == 2, case .item(let item) = found[0], case .unusable(let missing) = found[1] else {
            Issue.record("\(found)")
            return
        }
        #expect(item.path.text == "p-1.whl")
        #expect(missing.path == nil && missing.place == "https://h/simple/p/")
    }

    @Test("in HTML prevent deletions by a mirror if they are truncated")
    func deletion() async throws {
        let directory = try TemporaryDirectory()
        let site = MirroredSite()
        let source = MirrorSource.packages(try Source("http://host/simple/p/"))
        func serve(_ names: [String], end: String) {
            site.change { state in
                state.pages["simple/p/"] = "<html>" + MirroredSite.page(names.map { "/f/" + $0 }) + end
                for name in names { state.files["f/" + name] = name }
            }
        }
        let job = MirrorJob.remembering(below: directory) { $0.deletion = .everything }
        serve(["p-1.whl", "p-2.whl"], end: "</html>")
        #expect(try await site.mirror(job, source).report.isComplete)
        for end in ["", "<a href=\"/f/p-2"] {
            serve(["p-1.whl"], end: end)
            let report = try await site.mirror(job, source).report
            #expect(report.failed == 1 && report.deleted == 0 && report.gone == nil, "\(end): \(report)")
            #expect(directory.exists("root/p-2.whl"))
        }
        serve(["p-1.whl"], end: "</html>")
        let report = try await site.mirror(job, source).report
        #expect(report.isComplete && report.deleted == 1, "\(report)")
    }
}

import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("A mirror with unusable names")
struct UnusableNameTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func job(_ change: (inout MirrorJob) -> Void = { _ in }) -> MirrorJob {
        .remembering(below: directory, change)
    }

    @Test(
        "an excluded unusable name is not a failure",
        arguments: [
            (["*.segdl"], []), (["x.part.segdl"], []), (["odd/x.part.segdl"], []), (["odd/*"], []),
            (["odd/"], []),
            ([], ["*.txt"]), (["*.part*"], ["odd/*"]),
        ] as [([String], [String])])
    func leftOut(exclude: [String], include: [String]) async throws {
        let site = MirroredSite()
        let names = ["a.txt", "odd/x.part.segdl", "odd/b.txt"]
        site.change { state in
            state.pages = [
                "": MirroredSite.page("a.txt", "odd/"), "odd/": MirroredSite.page("x.part.segdl", "b.txt"),
                "?encoding-type=url&list-type=2": "<?xml version=\"1.0\"?><ListBucketResult>"
                    + names.map { "<Contents><Key>\($0)</Key></Contents>" }.joined() + "</ListBucketResult>",
            ]
            for name in names { state.files[name] = name }
            state.files["lines"] =
                names.map { "{\"url\":\"http://host/\($0)\",\"path\":\"\($0)\"}\n" }.joined()
            state.files["urls"] = names.map { "http://host/\($0)\n  out=\($0)\n" }.joined()
            state.files["sums"] = names.map { "\(Digest.sha256($0.utf8))  \($0)\n" }.joined()
        }
        let host = try Source("http://host/")
        let filter = PathFilter(
            include: try include.map { try Glob($0) }, exclude: try exclude.map { try Glob($0) })
        for source: MirrorSource in [
            .index(host), .bucket(host, prefix: ""), .list(try Source("http://host/lines"), .jsonLines),
            .list(try Source("http://host/urls"), .urls), .list(try Source("http://host/sums"), .checksums),
        ] {
            let downloader = site.downloader()
            func run(_ filter: PathFilter) async -> MirrorReport {
                let entries = downloader.entries(of: source, filter: filter)
                return await downloader.mirror(job(), of: entries).report()
            }
            let report = await run(filter)
            #expect(report.isComplete, "\(source): \(report.failures)")
            #expect(report.completed + report.skipped >= 1)
            #expect(await run(PathFilter()).failures.map(\.code) == [nil])
        }
    }

    @Test("an unusable directory is a failure only if it may contain selected files")
    func unusableDirectory() async throws {
        let site = MirroredSite()
        site.change { state in
            state.pages[""] = MirroredSite.page("a.txt", "d.part/")
            state.files["a.txt"] = "a"
        }
        for (include, failed) in [(["*.txt"], 1), (["/*.txt"], 0), (["/*.txt", "d.part/*.txt"], 1)] {
            let downloader = site.downloader()
            let entries = downloader.entries(
                of: .index(try Source("http://host/")),
                filter: PathFilter(include: try include.map { try Glob($0) }))
            #expect(await downloader.mirror(job(), of: entries).report().failed == failed, "\(include)")
        }
    }

    @Test("an excluded name of the mirror's own files is not a failure")
    func reserved() async throws {
        let site = MirroredSite()
        site.change { state in
            state.pages[""] = MirroredSite.page("a.txt", ".segdl-mirror.sqlite")
            state.files["a.txt"] = "a"
        }
        let downloader = site.downloader()
        for (filter, failed) in [(PathFilter(), 1), (PathFilter(exclude: [try Glob(".segdl*")]), 0)] {
            let entries = downloader.entries(of: .index(try Source("http://host/")), filter: filter)
            #expect(await downloader.mirror(job(), of: entries).report().failed == failed)
        }
    }
}

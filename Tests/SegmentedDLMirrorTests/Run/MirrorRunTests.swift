import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import SegmentedDLQueue
@testable import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("A mirror")
struct MirrorRunTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var job: MirrorJob { MirrorJob(root: directory.filePath("root")) }

    private func downloader(
        _ engine: MemoryEngine, _ change: (inout Configuration) -> Void = { _ in }
    ) -> Downloader {
        var configuration = Configuration()
        configuration.retry.retries = 0
        configuration.retry.delay = .milliseconds(10)
        configuration.durability = .process
        change(&configuration)
        return Downloader(configuration: configuration, engine: engine)
    }

    private func visibleNames(in path: String) throws -> [String] {
        try TemporaryDirectory.names(of: directory.filePath(path).string).filter { !$0.hasPrefix(".") }
            .sorted()
    }

    private func missing(_ report: MirrorReport) -> [String] {
        report.failures.map { "\($0.path?.text ?? "-")|\($0.place)" }.sorted()
    }

    private var site: MemorySite {
        var site = MemorySite()
        site.list("http://host/pub/", "../", "a.txt", "sub/", "gone/", "http://other/x")
        site.list("http://host/pub/sub/", "../", "b%20c.txt", "%2e%2e%2fx", "deep/")
        site.list("http://host/pub/sub/deep/", "d.txt", "lost.txt")
        for name in ["a.txt", "sub/b%20c.txt", "sub/deep/d.txt"] {
            site.file("http://host/pub/\(name)", name)
        }
        return site
    }

    @Test("fetches a tree of listings, and reports what it could not fetch")
    func index() async throws {
        let downloader = downloader(site.engine())
        let entries = downloader.entries(of: .index(try Source("http://host/pub/")))
        let report = await downloader.mirror(job, of: entries).report()
        #expect(report.ending == .finished && !report.isComplete)
        #expect(report.completed == 3 && report.skipped == 0 && report.failed == 3)
        #expect(report.bytes == Int64("a.txtsub/b%20c.txtsub/deep/d.txt".utf8.count))
        #expect(
            missing(report) == [
                "-|http://host/pub/gone/", "-|http://host/pub/sub/",
                "sub/deep/lost.txt|http://host/pub/sub/deep/lost.txt",
            ])
        #expect(try directory.read("root/sub/b c.txt") == Array("sub/b%20c.txt".utf8))
        #expect(try directory.read("root/sub/deep/d.txt") == Array("sub/deep/d.txt".utf8))
    }

    /// A site whose listings do not mark directories.
    private var unmarkedSite: MemorySite {
        var site = MemorySite()
        site.list("http://host/pub/", "..", "a.txt", "sub", "empty")
        site.list("http://host/pub/sub/", "..", "b.txt", "deep%20er")
        site.list("http://host/pub/sub/deep%20er/", "..", "c.txt")
        site.list("http://host/pub/empty/", "..")
        for name in ["sub", "sub/deep%20er", "empty"] {
            site.redirects["http://host/pub/\(name)"] = "/pub/\(name)/"
        }
        for name in ["a.txt", "sub/b.txt", "sub/deep%20er/c.txt"] {
            site.file("http://host/pub/\(name)", name)
        }
        return site
    }

    @Test("lists directories that resemble files", arguments: [true, false])
    func unmarked(isRemembered: Bool) async throws {
        var job = job
        if isRemembered { job.state = MirrorJob.defaultState(in: job.root) }
        for _ in 1...(isRemembered ? 2 : 1) {
            let downloader = downloader(unmarkedSite.engine()) { $0.limits.activeFiles = 1 }
            let entries = downloader.entries(of: .index(try Source("http://host/pub/")))
            let report = await downloader.mirror(job, of: entries).report()
            #expect(report.isComplete && report.failures.isEmpty)
            #expect(report.completed + report.skipped == 3)
        }
        #expect(try directory.read("root/sub/deep er/c.txt") == Array("sub/deep%20er/c.txt".utf8))
        #expect(try visibleNames(in: "root") == ["a.txt", "sub"])
        #expect(try visibleNames(in: "root/sub") == ["b.txt", "deep er"])
    }

    @Test("resumes the listing of directories that resemble files")
    func unmarkedResumed() async throws {
        var job = job
        job.state = MirrorJob.defaultState(in: job.root)
        job.failurePolicy = .stop(after: 1)
        var site = unmarkedSite
        site.pages["http://host/pub/sub/b.txt"] = nil
        var downloader = downloader(site.engine()) { $0.limits.activeFiles = 1 }
        var entries = downloader.entries(of: .index(try Source("http://host/pub/")))
        #expect(await downloader.mirror(job, of: entries).report().ending == .stopped)
        downloader = self.downloader(unmarkedSite.engine())
        entries = downloader.entries(of: .index(try Source("http://host/pub/")))
        #expect(await downloader.mirror(job, of: entries).report().isComplete)
        #expect(try directory.read("root/sub/deep er/c.txt") == Array("sub/deep%20er/c.txt".utf8))
    }

    @Test("does not store a listing as a file if directories are marked, except this one")
    func oddDirectory() async throws {
        var site = site
        site.list("http://host/pub/", "../", "a.txt", "sub")
        site.redirects["http://host/pub/sub"] = "http://host/pub/sub/"
        let downloader = downloader(site.engine())
        let entries = downloader.entries(of: .index(try Source("http://host/pub/")))
        let report = await downloader.mirror(job, of: entries).report()
        #expect(report.completed == 1 && report.failures.map(\.path?.text) == ["sub"])
        #expect(try visibleNames(in: "root") == ["a.txt"])
    }

    @Test("needs only one file and one connection at a time")
    func caps() async throws {
        let downloader = downloader(site.engine()) {
            $0.limits.activeFiles = 1
            $0.limits.connections = 1
            $0.limits.connectionsPerHost = 1
        }
        let entries = downloader.entries(of: .index(try Source("http://host/pub/")))
        #expect(await downloader.mirror(job, of: entries).report().completed == 3)
    }

    @Test("fetches only files accepted by the filter")
    func filtered() async throws {
        let engine = site.engine()
        let downloader = downloader(engine)
        let entries = downloader.entries(
            of: .index(try Source("http://host/pub/")), filter: PathFilter(include: [try Glob("/*.txt")]))
        let report = await downloader.mirror(job, of: entries).report()
        #expect(report.isComplete && report.completed == 1)
        #expect(engine.requests.map(\.url) == ["http://host/pub/", "http://host/pub/a.txt"])
    }

    @Test("follows the start's redirect, and sends no header elsewhere")
    func redirected() async throws {
        var site = MemorySite()
        site.redirects["http://host/latest"] = "http://mirror/v9/"
        site.list("http://mirror/v9/", "a", "moved/")
        site.redirects["http://mirror/v9/moved/"] = "http://mirror/secret/"
        site.list("http://mirror/secret/", "b")
        site.file("http://mirror/v9/a")
        let engine = site.engine()
        let downloader = downloader(engine)
        let home = try Source("http://host/latest")
        var access = MirrorAccess(for: home)
        access.headers = [HTTPHeader("X-Secret", "1")]
        var job = job
        job.access = access
        let report = await downloader.mirror(
            job, of: downloader.entries(of: .index(home), access: access)
        ).report()
        #expect(report.completed == 1)
        #expect(missing(report) == ["-|http://mirror/v9/moved/"])
        for request in engine.requests {
            let hasSecret = request.headers.contains { $0.name == "X-Secret" }
            #expect(hasSecret == request.url.hasPrefix("http://host/"), "\(request.url)")
        }
    }

    @Test("of something that is not a listing fails with a message")
    func noListing() async throws {
        var site = MemorySite()
        site.file("http://host/disk.iso")
        site.list("http://host/long/", String(repeating: "x", count: 2000))
        let downloader = downloader(site.engine())
        func failure(_ url: String, _ options: WalkOptions = WalkOptions()) async throws -> MirrorReport
            .Failure?
        {
            let entries = downloader.entries(of: .index(try Source(url)), options: options)
            let report = await downloader.mirror(job, of: entries).report()
            #expect(report.ending == .sourceFailed && !report.isComplete && report.failed == 1)
            return report.failures.first
        }
        let file = try await failure("http://host/disk.iso")
        #expect(file?.code == .invalidURL && file?.message.contains("is not an HTML listing") ?? false)
        #expect(try await failure("http://host/none/")?.code == .httpStatus)
        var options = WalkOptions()
        options.listingSize = 1000
        #expect(
            try await failure("http://host/long/", options)?.message.contains("more than 1000 bytes") ?? false
        )
    }

    @Test("terminates on endless listings")
    func endless() async throws {
        let engine = MemoryEngine { request, _ in
            .init(
                head: ResponseHead(status: 200, fields: [HTTPHeader("Content-Type", "text/html")]),
                body: Array("<a href='a/'>a</a><a href='b/'>b</a>".utf8))
        }
        let downloader = downloader(engine)
        var options = WalkOptions()
        options.directories = 50
        let entries = downloader.entries(of: .index(try Source("http://host/")), options: options)
        let report = await downloader.mirror(job, of: entries).report()
        #expect(report.ending == .sourceFailed)
        #expect(report.failures.last?.message.contains("more than 50 directories") ?? false)
        #expect(engine.requests.count <= 50)
    }

    @Test("lists a bucket page by page, and detects a loop")
    func bucket() async throws {
        func page(_ key: String, _ next: String?) -> (type: String, body: String) {
            let more = next.map {
                "<IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken>"
            }
            return (
                "application/xml",
                "<ListBucketResult>\(more ?? "")<Contents><Key>\(key)</Key><Size>7</Size></Contents></ListBucketResult>"
            )
        }
        var site = MemorySite()
        let query = "encoding-type=url&list-type=2"
        site.pages["http://host/b/?\(query)"] = page("one", "t1")
        site.pages["http://host/b/?continuation-token=t1&\(query)"] = page("d/two", "t2")
        site.pages["http://host/b/?continuation-token=t2&\(query)"] = page("three", nil)
        for key in ["one", "d/two", "three"] { site.file("http://host/b/\(key)") }
        let source = MirrorSource.bucket(try Source("http://host/b"), prefix: "")
        let good = downloader(site.engine())
        let report = await good.mirror(job, of: good.entries(of: source)).report()
        #expect(report.isComplete && report.completed == 3)
        // A store that ignores the version, and one that ignores the marker.
        let first =
            "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>one</Key></Contents></ListBucketResult>"
        site.pages["http://host/b/?\(query)"] = ("application/xml", first)
        for (body, ending) in [(page("three", nil), 2), (("application/xml", first), nil)] as [(_, Int?)] {
            var old = site
            old.pages["http://host/b/?encoding-type=url&marker=one"] = body
            let lister = downloader(old.engine())
            let second = await lister.mirror(job, of: lister.entries(of: source)).report()
            #expect(second.isComplete == (ending != nil) && second.completed + second.skipped == ending ?? 1)
        }
        site.pages["http://host/b/?\(query)"] = page("one", "t1")
        // The same token, an earlier one, and a new one each time, from a store that does not understand it.
        for (last, key, next) in [("t2", "three", "t2"), ("t2", "three", "t1"), ("t1", "one", "t3")] {
            var broken = site
            broken.pages["http://host/b/?continuation-token=\(last)&\(query)"] = page(key, next)
            let circle = downloader(broken.engine())
            let second = await circle.mirror(job, of: circle.entries(of: source)).report()
            #expect(second.ending == .sourceFailed)
            #expect(second.failures.last?.message.contains("circular") ?? false)
        }
    }

    @Test("reports both files of a source if one has the name of the other's directory")
    func clash() async throws {
        var site = MemorySite()
        for path in ["d", "d/e", "d/f/g"] { site.file("http://host/\(path)") }
        let list = ["d/e", "d", "d/f/g"].map { "{\"url\":\"http://host/\($0)\",\"path\":\"\($0)\"}\n" }
            .joined()
        try directory.write(list, to: "list.jsonl")
        let downloader = downloader(site.engine())
        let source = MirrorSource.file(directory.filePath("list.jsonl"), .jsonLines, base: nil)
        let report = await downloader.mirror(job, of: downloader.entries(of: source)).report()
        #expect(!report.isComplete && !report.failures.isEmpty)
        for failure in report.failures {
            #expect(failure.code == .badPath && failure.message.contains("a file 'd', and 'd/"), "\(failure)")
        }
    }

    @Test("uses another source when one fails, and keeps no file of a wrong length or digest")
    func sources() async throws {
        var site = MemorySite()
        site.file("http://two/x", "hello world")
        let list = """
            {"url":["http://one/x","http://two/x"],"path":"good","size":11,"sha256":"\(Self.sha256)"}
            {"url":"http://two/x","path":"long","size":12}
            {"url":"http://two/x","path":"wrong","md5":"\(String(repeating: "0", count: 32))"}
            {"url":"http://two/x","path":"good"}
            {"url":"http://two/x","path":"../up"}
            """
        try directory.write(list, to: "list.jsonl")
        let source = MirrorSource.file(directory.filePath("list.jsonl"), .jsonLines, base: nil)
        let engine = site.engine()
        let downloader = downloader(engine)
        let report = await downloader.mirror(job, of: downloader.entries(of: source)).report()
        #expect(report.completed == 1 && report.failed == 4)
        #expect(
            Set(report.failures.compactMap(\.code)) == [.lengthMismatch, .checksumMismatch, .duplicate])
        #expect(report.failures.contains { $0.place == "line 5" })
        #expect(try directory.read("root/good") == Array("hello world".utf8))
        let names = try TemporaryDirectory.names(of: directory.path + "/root")
        #expect(names.filter { !$0.contains(".part") && !$0.contains("wrong") } == ["good"])
        // An existing file with the expected digest is kept without a request.
        let before = engine.requests.count
        let again = await downloader.mirror(job, of: downloader.entries(of: source)).report()
        #expect(again.skipped == 1)
        #expect(!engine.requests[before...].contains { $0.url == "http://one/x" })
    }

    private static let sha256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"

    @Test("gives up according to its policy")
    func policies() async throws {
        let downloader = downloader(MemorySite().engine()) { $0.limits.activeFiles = 1 }
        let entries = ManyEntries(count: 100)
        var job = job
        #expect(await downloader.mirror(job, of: entries).report().failed == 100)
        job.failurePolicy = .stop(after: 1)
        let first = await downloader.mirror(job, of: entries).report()
        #expect(first.ending == .stopped)
        #expect((1...3).contains(first.failed))
        job.failurePolicy = .stop(after: 10)
        let some = await downloader.mirror(job, of: entries).report()
        #expect(some.ending == .stopped && (10...13).contains(some.failed))
        job.failurePolicy = .stop(after: 0)
        #expect(await downloader.mirror(job, of: entries).report().ending == .invalidJob)
    }

    @Test("reads entries only as capacity permits, and slows down with its reader")
    func bounded() async throws {
        let engine = MemoryEngine { request, _ in .honest(Array("x".utf8), request.range) }
        let downloader = downloader(engine)
        let entries = ManyEntries(count: 600)
        var (most, ended) = (0, 0)
        for await event in downloader.mirror(job, of: entries) {
            if case .completed = event { ended += 1 }
            most = max(most, entries.given - ended)
            if case .ended(let report) = event { #expect(report.completed == 600 && report.isComplete) }
        }
        #expect(ended == 600)
        #expect(most <= 300, "\(most) were taken ahead")
    }

    @Test("stops when its events are no longer read, or its task is cancelled")
    func stopped() async throws {
        let engine = MemoryEngine { request, _ in .honest(Array("x".utf8), request.range) }
        let downloader = downloader(engine)
        let entries = ManyEntries(count: 100_000)
        for await event in downloader.mirror(job, of: entries) {
            if case .completed = event { break }
        }
        let run = downloader.mirror(job, of: ManyEntries(count: 100_000))
        let task = Task { await run.report() }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(await task.value.ending == .cancelled)
        #expect(entries.given < 1000)
    }

    @Test("has a report that round-trips through JSON")
    func report() throws {
        var report = MirrorReport()
        for index in 0..<(MirrorReport.maximumFailures + 10) {
            report.add(
                .init(
                    path: try RelativePath("d/\(index)"), place: "line \(index)", code: .httpStatus,
                    message: "m"))
        }
        #expect(report.failed == MirrorReport.maximumFailures + 10)
        #expect(report.failures.count == MirrorReport.maximumFailures)
        let encoded = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(MirrorReport.self, from: encoded) == report)
    }
}

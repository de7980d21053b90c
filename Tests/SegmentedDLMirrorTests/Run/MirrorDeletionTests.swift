import Foundation
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The removal of files that the source no longer has")
struct MirrorDeletionTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func job(_ deletion: MirrorJob.Deletion) -> MirrorJob {
        .remembering(below: directory) { $0.deletion = deletion }
    }

    @Test("removes all of them, however many exist")
    func many() async throws {
        let site = MirroredSite()
        let names = (100..<400).map { "\($0).txt" }
        site.change { state in
            state.pages = ["": MirroredSite.page(names + ["stays.txt"])]
            for name in names + ["stays.txt"] { state.files[name] = name }
        }
        try #require(try await site.mirror(job(.mirrored)).report.completed == 301)
        site.change { $0.pages = ["": MirroredSite.page("stays.txt")] }
        let second = try await site.mirror(job(.mirrored))
        #expect(second.report.isComplete && second.report.deleted == 300)
        let left = try TemporaryDirectory.names(of: directory.file("root")).filter { $0.hasSuffix(".txt") }
        #expect(left == ["stays.txt"])
    }

    @Test("keeps unfinished files of the source, and removes all others")
    func unfinished() async throws {
        let job = job(.everything)
        let store = try MirrorStore(path: directory.filePath("state"))
        let run = try store.begin(nil, startsOver: false, now: 0)
        let item = MirrorItem([try Source("http://host/sub/a")], path: try RelativePath("sub/a"))
        _ = try store.add([ListingBatch(items: [item])], of: run, turn: 1)
        let session = MirrorSession(
            job, with: MirroredSite().downloader(),
            MirrorReporter(.keepGoing, channel: EventChannel(capacity: 100)), store: store, run: run,
            lastTurn: 0)
        session.listing.add(1)
        session.listing.end(nil)
        try directory.makeDirectory("root/sub")
        for name in ["a.part", "a.part.segdl", "b.part", "b.part.segdl", "c"] {
            try directory.write("x", to: "root/sub/" + name)
        }
        #expect(try await MirrorDeletion(session: session, entries: nil).run())
        #expect(session.reporter.report.deleted == 3)
        let left = try TemporaryDirectory.names(of: directory.file("root/sub")).sorted()
        #expect(left == ["a.part", "a.part.segdl"])
    }

    @Test(
        "is skipped if an entry failed; the number of its files is reported",
        arguments: [MirrorJob.Deletion.nothing, .mirrored, .everything])
    func prevented(deletion: MirrorJob.Deletion) async throws {
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("a", "b", "sub/"), "sub/": MirroredSite.page("c")]
            state.files = ["a": "a", "b": "b", "sub/c": "c"]
        }
        try #require(try await site.mirror(job(deletion)).report.completed == 3)
        site.change { state in
            state.pages = ["": MirroredSite.page("a", "sub/", "x.part.segdl")]
            state.files["b"] = nil
        }
        let second = try await site.mirror(job(deletion)).report
        #expect(second.failed == 2 && second.deleted == 0 && second.gone == 1)
        #expect(directory.exists("root/b") && directory.exists("root/sub/c"))
    }

    @Test(
        "is skipped if a subdirectory's page has no sign of a listing",
        arguments: ["", "\n", "<br />\n<b>Warning</b>: opendir(/sub): failed to open dir<br />"])
    func noListing(page: String) async throws {
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("a", "sub/"), "sub/": MirroredSite.page("c")]
            state.files = ["a": "a", "sub/c": "c"]
        }
        try #require(try await site.mirror(job(.everything)).report.completed == 2)
        site.change { $0.pages["sub/"] = page }
        let second = try await site.mirror(job(.everything)).report
        #expect(second.failed == 1 && second.deleted == 0 && directory.exists("root/sub/c"))
        #expect(second.failures.first?.message.contains("not a listing") == true)
        site.change { $0.pages["sub/"] = "<title>Index of /sub/</title>" }
        let third = try await site.mirror(job(.everything)).report
        #expect(third.isComplete && third.deleted == 1 && !directory.exists("root/sub"))
    }

    /// A tree whose listings do not mark directories.
    private func unmarkedSite() -> MirroredSite {
        let site = MirroredSite()
        site.change { state in
            state.pages = [
                "": MirroredSite.page("a", "f0"), "a/": MirroredSite.page("f1", "b"),
                "a/b/": MirroredSite.page("f2"),
            ]
            for name in ["f0", "a/f1", "a/b/f2"] { state.files[name] = name }
            state.redirects = ["a": "/a/", "a/b": "/a/b/"]
        }
        return site
    }

    @Test(
        "keeps the files below a name that could not be listed",
        arguments: [MirrorJob.Deletion.mirrored, .everything])
    func failedDirectory(deletion: MirrorJob.Deletion) async throws {
        let site = unmarkedSite()
        try #require(try await site.mirror(job(deletion)).report.completed == 3)
        site.change { $0.redirects["a"] = nil }
        let second = try await site.mirror(job(deletion))
        #expect(second.report.failed == 1 && second.report.deleted == 0)
        #expect(directory.exists("root/a/f1") && directory.exists("root/a/b/f2"))
        // Once the server responds again, removed files are deleted.
        site.change { state in
            state.redirects["a"] = "/a/"
            state.pages["a/"] = MirroredSite.page("f1")
        }
        let third = try await site.mirror(job(deletion))
        #expect(third.report.isComplete && third.report.deleted == 1)
        #expect(directory.exists("root/a/f1") && !directory.exists("root/a/b"))
    }

    /// A tree with a directory.
    private func siteWithDirectory() -> MirroredSite {
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("a/", "z"), "a/": MirroredSite.page("b", "c")]
            state.files = ["a/b": "1", "a/c": "2", "z": "3"]
        }
        return site
    }

    @Test(
        "removes the files of a directory that has become a file, which the next run fetches",
        arguments: [MirrorJob.Deletion.mirrored, .everything])
    func becameFile(deletion: MirrorJob.Deletion) async throws {
        let site = siteWithDirectory()
        try #require(try await site.mirror(job(deletion)).report.completed == 3)
        try directory.write("local", to: "root/a/own")
        site.change { state in
            state.pages = ["": MirroredSite.page("a", "z")]
            state.files = ["a": "file", "z": "3"]
        }
        let kept = try await site.mirror(job(.nothing)).report
        #expect(kept.failed == 1 && kept.deleted == 0 && kept.gone == 2)
        #expect(kept.failures.first?.message.contains("--delete removes") == true, "\(kept.failures)")
        let second = try await site.mirror(job(deletion)).report
        #expect(second.failed == 1 && second.deleted == (deletion == .everything ? 3 : 2))
        #expect(directory.exists("root/a/own") == (deletion == .mirrored) && !directory.exists("root/a/b"))
        if deletion == .mirrored { try directory.remove("root/a") }
        let third = try await site.mirror(job(deletion)).report
        #expect(third.isComplete)
        #expect(try directory.read("root/a") == Array("file".utf8))
    }

    @Test(
        "keeps the files of a directory whose name the source answers with a page, or not at all",
        arguments: [MirrorJob.Deletion.mirrored, .everything], [true, false])
    func mayBeDirectory(deletion: MirrorJob.Deletion, isPage: Bool) async throws {
        let site = siteWithDirectory()
        try #require(try await site.mirror(job(deletion)).report.completed == 3)
        site.change { state in
            state.pages[""] = MirroredSite.page("a", "z")
            if isPage { state.pages["a"] = MirroredSite.page("b", "c") }
        }
        let second = try await site.mirror(job(deletion)).report
        #expect(second.failed == 1 && second.deleted == 0, "\(second.failures)")
        #expect(directory.exists("root/a/b") && directory.exists("root/a/c"))
    }

    @Test("is skipped if an excluded name may be a directory")
    func filteredDirectory() async throws {
        let site = unmarkedSite()
        try #require(try await site.mirror(job(.mirrored)).report.completed == 3)
        let downloader = site.downloader()
        let entries = downloader.entries(
            of: .index(try Source("http://host/")), filter: PathFilter(include: [try Glob("f*")]))
        let report = await downloader.mirror(job(.mirrored), of: entries).report()
        #expect(report.isComplete && report.deleted == 0)
        #expect(directory.exists("root/a/f1"))
    }

    @Test("removes leftovers of a killed run for removed files, and nothing through a link")
    func leftovers() async throws {
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("sub/", "link/"), "sub/": MirroredSite.page("a", "b")]
            state.pages["link/"] = MirroredSite.page("c")
            state.files = ["sub/b": "b"]
        }
        // Two of them are never complete.
        try #require(try await site.mirror(job(.nothing)).report.completed == 1)
        try directory.makeDirectory("elsewhere")
        #expect(directory.exists("root/sub/b"))
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("root/link"), withDestinationPath: directory.file("elsewhere"))
        for path in ["root/sub/a", "elsewhere/c"] { try leaveUnfinished(path) }
        site.change { state in
            state.pages = ["": MirroredSite.page("new")]
            state.files = ["new": "new"]
        }
        try #require(try await site.mirror(job(.nothing)).report.completed == 1)
        #expect(directory.exists("root/sub/a.part"))
        let last = try await site.mirror(job(.mirrored))
        #expect(last.report.isComplete && last.report.deleted == 1)
        #expect(!directory.exists("root/sub"))
        #expect(directory.exists("elsewhere/c.part") && directory.exists("elsewhere/c.part.segdl"))
    }

    /// Writes the files left by a download that was killed.
    private func leaveUnfinished(_ path: String) throws {
        let paths = DownloadPaths(directory.filePath(path))
        let part = try PartFile(paths)
        defer { part.close() }
        let manifest = Manifest(
            url: "http://host/", urlDigest: "", total: 5, inode: try part.status().inode, boot: "",
            written: [], durable: [], updated: 0)
        try ManifestStore(paths).save(manifest, durably: false)
    }

    @Test("descends only to the listing's depth")
    func depth() async throws {
        let site = MirroredSite()
        func list(_ files: [String]) {
            site.change { state in
                state.pages = [
                    "": MirroredSite.page("one/"), "one/": MirroredSite.page(files + ["two/"]),
                    "one/two/": MirroredSite.page("deep.txt"),
                ]
                for name in ["one/a.txt", "one/b.txt", "one/two/deep.txt"] { state.files[name] = name }
            }
        }
        func mirror(depth: Int?) async throws -> MirrorReport {
            let downloader = site.downloader()
            var options = WalkOptions()
            options.depth = depth
            let entries = downloader.entries(
                of: .index(try Source("http://host/")), options: options)
            return await downloader.mirror(job(.mirrored), of: entries).report()
        }
        list(["a.txt", "b.txt"])
        try #require(try await mirror(depth: nil).completed == 3)
        list(["a.txt"])
        let report = try await mirror(depth: 1)
        #expect(report.isComplete && report.deleted == 1)
        #expect(!directory.exists("root/one/b.txt"))
        #expect(directory.exists("root/one/a.txt") && directory.exists("root/one/two/deep.txt"))
    }
}

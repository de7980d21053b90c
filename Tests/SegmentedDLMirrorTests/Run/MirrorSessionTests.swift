import Foundation
import SegmentedDLSupport
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLDatabase
@testable import SegmentedDLMirror

@Suite("A mirror with stored state")
struct MirrorSessionTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func job(_ change: (inout MirrorJob) -> Void = { _ in }) -> MirrorJob {
        .remembering(below: directory, change)
    }

    /// Returns a run of a job without a server.
    private func session(
        _ job: MirrorJob, _ store: MirrorStore, _ run: MirrorStore.Run, lastTurn: Int64 = 0
    ) -> MirrorSession {
        MirrorSession(
            job, with: MirroredSite().downloader(),
            MirrorReporter(.keepGoing, channel: EventChannel(capacity: 100)),
            store: store, run: run, lastTurn: lastTurn)
    }

    /// Returns a mirrored site with one file, `a.txt`.
    private func mirroredSite() async throws -> MirroredSite {
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("a.txt")]
            state.files = ["a.txt": "a"]
        }
        try #require(try await site.mirror(job()).report.completed == 1)
        return site
    }

    @Test("a stopped run does not list completed directories again")
    func resumes() async throws {
        let site = MirroredSite()
        site.change { state in
            state.pages = [
                "": MirroredSite.page("sub/"), "sub/": MirroredSite.page("deep/"),
                "sub/deep/": MirroredSite.page("a.txt", "b.txt"),
            ]
            state.files = ["sub/deep/a.txt": "a"]
        }
        let first = try await site.mirror(job { $0.failurePolicy = .stop(after: 1) })
        #expect(first.report.ending == .stopped)
        #expect(first.asked.contains("sub/deep/b.txt"))
        site.change { $0.files["sub/deep/b.txt"] = "b" }
        let second = try await site.mirror(job())
        #expect(second.report.isComplete && second.report.completed + second.report.skipped == 2)
        // The remaining files are processed first; then the whole source is listed again.
        #expect(second.asked.prefix { $0 != "" }.contains("sub/deep/b.txt"))
        #expect(
            second.asked.filter { $0.isEmpty || $0.hasSuffix("/") } == ["", "sub/", "sub/deep/"])
        // The run is complete: the next one starts from the beginning.
        let third = try await site.mirror(job())
        #expect(third.report.isComplete && third.report.skipped == 2)
        #expect(third.asked.sorted() == ["", "sub/", "sub/deep/", "sub/deep/a.txt", "sub/deep/b.txt"])
    }

    @Test(
        "a recorded copy is revalidated, and fetched only if its bytes differ",
        arguments: ["a", "b"])
    func copied(content: String) async throws {
        let site = try await mirroredSite()
        try directory.write(content, to: "copy")
        let touch = ["touch", "-r", directory.file("root/a.txt"), directory.file("copy")]
        try #require(await ChildProcess("/usr/bin/env", touch).result().status == 0)
        // Both exist during the rename, so it cannot get the old one's inode.
        try directory.rename("copy", to: "root/a.txt")

        let planned = try await site.mirror(job { $0.isDryRun = true })
        #expect(planned.asked == (content == "a" ? ["", "a.txt"] : [""]))
        let second = try await site.mirror(job())
        #expect(second.asked == (content == "a" ? ["", "a.txt"] : ["", "a.txt", "a.txt"]))
        #expect(second.report.skipped == (content == "a" ? 1 : 0))
        #expect(try directory.read("root/a.txt") == Array("a".utf8))
        let third = try await site.mirror(job())
        #expect(third.report.isComplete && third.report.skipped == 1)
    }

    @Test("a listed file waits after earlier ones, even once none of them waits any more")
    func placesOfListed() async throws {
        let store = try MirrorStore(path: directory.filePath("state"))
        let run = try store.begin(nil, startsOver: false, now: 0)
        let session = session(job(), store, run, lastTurn: 7)
        let item = MirrorItem([try Source("http://host/a")], path: try RelativePath("a"))
        let (entries, more) = AsyncStream.makeStream(of: MirrorEntry.self)
        more.yield(.item(item))
        more.finish()
        try await ListingReader(session: session).run(entries)
        #expect(try store.waiting(after: 7, atMost: 10).map(\.item.path) == [item.path])
    }

    @Test("a run whose state cannot be written ends with a message")
    func brokenState() async throws {
        let site = MirroredSite()
        let names = (10..<90).map { "\($0).txt" }
        let state = MirrorJob.defaultState(in: job().root)
        site.change { site in
            site.pages = ["": MirroredSite.page(names)]
            site.files = Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
            site.limits.activeFiles = 1
            site.whenAsked = { path in
                guard path == "12.txt" else { return }
                // The mirror may be writing to it.
                let other = try Database(state, .readWrite, busyTimeoutMilliseconds: 60_000)
                try other.run("DROP TABLE file")
            }
        }
        let run = try await site.mirror(job())
        #expect(run.report.ending == .sourceFailed)
        #expect(run.report.failures.last?.message.contains("mirror's state") == true)
        #expect(run.asked.count < names.count / 2)
    }

    @Test(
        "after three useless groups of pipelined questions a host is queried copy by copy")
    func askedSingly() throws {
        let hosts = RevalidatedHosts()
        let (host, other) = (try Source("http://host/").origin, try Source("http://other/").origin)
        for wasUseless in [true, true, false, true, true] { hosts.record(wasUseless: wasUseless, for: host) }
        #expect(!hosts.isAskedSingly(host))
        for wasUseless in [true, false] { hosts.record(wasUseless: wasUseless, for: host) }
        #expect(hosts.isAskedSingly(host) && !hosts.isAskedSingly(other))
    }

    @Test("a host is proven while its last group of pipelined questions had an effect")
    func proven() throws {
        let hosts = RevalidatedHosts()
        let (host, other) = (try Source("http://host/").origin, try Source("http://other/").origin)
        #expect(!hosts.isProven(host))
        hosts.record(wasUseless: false, for: host)
        #expect(hosts.isProven(host) && !hosts.isProven(other))
        hosts.record(wasUseless: true, for: host)
        #expect(!hosts.isProven(host))
    }

    @Test("a removal of foreign files ends when it is cancelled")
    func cancelledRemoval() async throws {
        let job = job { $0.deletion = .everything }
        try directory.makeDirectory("root")
        try directory.write("own", to: "root/own.txt")
        let store = try MirrorStore(path: directory.filePath("state"))
        let session = session(job, store, try store.begin(nil, startsOver: false, now: 0))
        session.listing.add(1)
        session.listing.end(nil)
        func remove(cancelled: Bool) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if cancelled { group.cancelAll() }
                group.addTask { _ = try await MirrorDeletion(session: session, entries: nil).run() }
                try await group.waitForAll()
            }
        }
        await #expect(throws: CancellationError.self) { try await remove(cancelled: true) }
        #expect(session.reporter.report.deleted == 0)
        #expect(try directory.read("root/own.txt").count == 3)
        try await remove(cancelled: false)
        #expect(session.reporter.report.deleted == 1)
        #expect(!directory.exists("root/own.txt"))
    }

    @Test("leftovers of a run killed right after a rename are removed by a later one")
    func killedAfterRename() async throws {
        let site = try await mirroredSite()
        let place = DownloadPaths(directory.filePath("root/a.txt"))
        let source = try Source("http://host/a.txt")
        let identity = try #require(FileIdentity.ofFile(at: place.destination))
        let manifest = Manifest(
            url: source.description, urlDigest: source.digest, total: 1, inode: identity.inode,
            boot: BootIdentity.current, written: [[0, 1]], durable: [], updated: WallClock.seconds())
        try ManifestStore(place).save(manifest, durably: false)
        let second = try await site.mirror(job())
        #expect(second.report.isComplete && second.asked == ["", "a.txt"])
        #expect(try ManifestStore(place).load() == .absent)
        #expect(FileIdentity.ofFile(at: place.destination) == identity)
        #expect(try await site.mirror(job()).asked == ["", "a.txt"])
    }

    @Test(
        "a file that is removed or changed while it is revalidated is fetched again",
        arguments: [false, true])
    func changedMeanwhile(goes: Bool) async throws {
        let site = try await mirroredSite()
        let file = URL(filePath: directory.file("root/a.txt"))
        let wasTouched = Lock(false)
        site.change { state in
            state.whenAsked = { path in
                let isFirst = wasTouched.withLock { wasTouched in
                    defer { wasTouched = wasTouched || path == "a.txt" }
                    return path == "a.txt" && !wasTouched
                }
                guard isFirst else { return }
                if goes {
                    try? FileManager.default.removeItem(at: file)
                } else {
                    try? Data("other".utf8).write(to: file)
                }
            }
        }
        let second = try await site.mirror(job())
        #expect(second.asked == ["", "a.txt", "a.txt"])
        #expect(second.report.isComplete && second.report.completed == 1)
        #expect(try String(contentsOf: file, encoding: .utf8) == "a")
    }

    @Test("leftovers of another version from a killed run are removed if the old one is still current")
    func leftOfAnotherVersion() async throws {
        let site = try await mirroredSite()
        let place = DownloadPaths(directory.filePath("root/a.txt"))
        let source = try Source("http://host/a.txt")
        let part = try PartFile(place)
        try part.preallocate(5)
        let manifest = Manifest(
            url: source.description, urlDigest: source.digest, total: 5, inode: try part.status().inode,
            boot: BootIdentity.current, written: [[0, 2]], durable: [], updated: WallClock.seconds())
        try ManifestStore(place).save(manifest, durably: false)
        part.close()
        let second = try await site.mirror(job())
        #expect(second.report.isComplete && second.report.skipped == 1)
        #expect(try ManifestStore(place).load() == .absent)
        #expect(try SystemCalls.statusIfThere(place.part) == nil)
    }

    @Test("a part file without its own manifest is kept")
    func foreignPart() async throws {
        let site = try await mirroredSite()
        let place = DownloadPaths(directory.filePath("root/a.txt"))
        let source = try Source("http://host/a.txt")
        try Data("mine".utf8).write(to: URL(filePath: place.part.string))
        let manifest = Manifest(
            url: source.description, urlDigest: source.digest, total: 5, inode: 1, boot: BootIdentity.current,
            written: [[0, 2]], durable: [], updated: WallClock.seconds())
        try ManifestStore(place).save(manifest, durably: false)
        #expect(try await site.mirror(job()).report.isComplete)
        #expect(try ManifestStore(place).load() == .absent)
        #expect(try Data(contentsOf: URL(filePath: place.part.string)) == Data("mine".utf8))
    }

    @Test("ETags in a bucket's listing replace revalidation")
    func bucket() async throws {
        let site = MirroredSite()
        func list(_ etag: String) {
            site.change { state in
                state.pages["?encoding-type=url&list-type=2"] = """
                    <?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>
                    <Contents><Key>a</Key><Size>1</Size><ETag>"\(etag)"</ETag>
                    <LastModified>2024-03-01T12:34:56.000Z</LastModified></Contents></ListBucketResult>
                    """
                state.files["a"] = "a"
                state.etags["a"] = "\"\(etag)\""
            }
        }
        list("one")
        let source = MirrorSource.bucket(try Source("http://host/"), prefix: "")
        let first = try await site.mirror(job(), source)
        #expect(first.report.isComplete && first.report.completed == 1, "\(first.report.failures)")
        #expect(try await site.mirror(job(), source).asked.count == 1)
        list("two")
        let changed = try await site.mirror(job(), source)
        #expect(changed.report.isComplete && changed.report.completed == 1 && changed.asked.count == 2)
    }

    @Test("a caller's own entries are stored as well")
    func ownEntries() async throws {
        let site = MirroredSite()
        site.change { $0.files = ["a": "1", "b": "2"] }
        func run() async throws -> MirrorReport {
            let items = try [("a", "a"), ("b", "b"), ("a", "a"), ("b", "a")].map { url, path in
                MirrorEntry.item(MirrorItem([try Source("http://host/" + url)], path: try RelativePath(path)))
            }
            let entries = AsyncStream { continuation in
                for item in items { continuation.yield(item) }
                continuation.finish()
            }
            return await site.downloader().mirror(job(), of: entries).report()
        }
        let first = try await run()
        #expect(first.completed == 2 && first.failures.map(\.code) == [.duplicate])
        let second = try await run()
        #expect(second.completed == 0 && second.skipped == 2 && second.failed == 1)
        #expect(site.asked.sorted() == ["a", "a", "b", "b"])
    }

    @Test("a file that a page links twice, or a list contains twice, is one file")
    func repeated() async throws {
        let site = MirroredSite()
        site.change { state in
            state.files = ["a.txt": "a", "b.txt": "b"]
            state.files["x"] = ["a", "b", "a"].map { "http://host/\($0).txt\n" }.joined()
            state.pages[""] = MirroredSite.page("a.txt", "b.txt", "a.txt")
        }
        for source: MirrorSource in [
            .index(try Source("http://host/")), .list(try Source("http://host/x"), .urls),
        ] {
            for isFirst in [true, false] {
                let (report, asked) = try await site.mirror(job { $0.startsOver = isFirst }, source)
                #expect(report.isComplete && report.completed + report.skipped == 2, "\(report.failures)")
                #expect(asked.filter { $0 == "a.txt" }.count == 1)
            }
        }
    }

    @Test("entries that end in an error leave existing files, and delete nothing")
    func brokenEntries() async throws {
        let site = MirroredSite()
        site.change { $0.files = ["a": "1", "b": "2"] }
        func run(_ names: [String], _ error: DownloadError?) async throws -> MirrorReport {
            let items = try names.map {
                MirrorEntry.item(MirrorItem([try Source("http://host/" + $0)], path: try RelativePath($0)))
            }
            let entries = AsyncThrowingStream { continuation in
                for item in items { continuation.yield(item) }
                continuation.finish(throwing: error)
            }
            return await site.downloader().mirror(job { $0.deletion = .mirrored }, of: entries).report()
        }
        #expect(try await run(["a", "b"], nil).isComplete)
        let broken = try await run(["a"], DownloadError(.badResponse, "cut"))
        #expect(broken.ending == .sourceFailed && broken.deleted == 0 && broken.skipped == 1)
        #expect(directory.exists("root/b"))
        let whole = try await run(["a"], nil)
        #expect(whole.isComplete && whole.deleted == 1)
        #expect(!directory.exists("root/b"))
    }

    @Test(
        "a source without any files is a failure, and removes nothing from the proof",
        arguments: [false, true])
    func emptied(isDryRun: Bool) async throws {
        let site = MirroredSite()
        let job = job { $0.proof = $0.root }
        site.change { $0.pages[""] = "Down for maintenance" }
        // The first mirror of an empty source does not fail.
        #expect(try await site.mirror(job).report.isComplete)
        site.change { state in
            state.pages[""] = MirroredSite.page("a.txt")
            state.files = ["a.txt": "a"]
        }
        #expect(try await site.mirror(job).report.completed == 1)
        let names = ["root/a.txt", "root/SHA256SUMS", "root/segdl-mirror.jsonl"]
        let before = try names.map(directory.read)
        site.change { $0.pages[""] = "Down for maintenance" }
        var second = job
        (second.isDryRun, second.proof) = (isDryRun, isDryRun ? nil : job.proof)
        for _ in 1...2 {
            let report = try await site.mirror(second).report
            #expect(report.ending == .sourceFailed && report.failed == 1 && report.gone == nil)
            #expect(report.failures.first?.message.contains("lists no files at all") == true)
        }
        #expect(try names.map(directory.read) == before)
        site.change { $0.pages[""] = MirroredSite.page("a.txt") }
        let third = try await site.mirror(job).report
        #expect(third.isComplete && third.skipped == 1)
        #expect(try names.map(directory.read) == before)
    }

    @Test("an empty path is no root")
    func emptyRoot() async throws {
        let report = try await MirroredSite().mirror(MirrorJob(root: "")).report
        #expect(report.ending == .invalidJob && report.failures.map(\.code) == [.invalidSetting])
    }

    @Test("settings that need the state are refused without it")
    func needsState() async throws {
        for change: (inout MirrorJob) -> Void in [
            { $0.deletion = .mirrored }, { $0.isDryRun = true }, { $0.startsOver = true }, { $0.proof = "p" },
            { $0.missing = "m" },
        ] {
            var job = MirrorJob(root: directory.filePath("root"))
            change(&job)
            let report = try await MirroredSite().mirror(job).report
            #expect(report.ending == .invalidJob && report.failures.map(\.code) == [.invalidSetting])
        }
    }
}

import Foundation
import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

/// A repository in memory with an unpacked index.
@Suite("A mirror of a Debian repository in memory")
struct DebianMirrorTests {
    private let directory: TemporaryDirectory
    private let site = MirroredSite()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func job(_ change: (inout MirrorJob) -> Void = { _ in }) -> MirrorJob {
        .remembering(below: directory, change)
    }

    private func source(_ change: (inout DebianSource) -> Void = { _ in }) throws -> MirrorSource {
        var source = DebianSource(try Source("http://host/dists/s/"))
        change(&source)
        return .debian(source)
    }

    private func index(_ packages: [String: String]) -> String {
        packages.sorted { $0.key < $1.key }.map { path, content in
            "Package: p\nFilename: \(path)\nSize: \(content.utf8.count)\nSHA256: \(Digest.sha256(content.utf8))\n\n"
        }.joined()
    }

    /// Replaces the state of the repository by an index and packages.
    private func publish(
        _ index: String, _ packages: [String: String], byHash: Bool = true, version: Int = 1
    ) {
        let digest = Digest.sha256(index.utf8)
        let release =
            "Suite: s\nVersion: \(version)\nComponents: main\nArchitectures: all\n\(byHash ? "Acquire-By-Hash: yes\n" : "")SHA256:\n \(digest) \(index.utf8.count) main/binary-all/Packages\n"
        let name = byHash ? "by-hash/SHA256/\(digest)" : "Packages"
        site.change { state in
            state.files = packages
            state.files["dists/s/InRelease"] = release
            state.files["dists/s/main/binary-all/\(name)"] = index
        }
    }

    private func root(_ path: String) throws -> String {
        String(decoding: try directory.read("root/" + path), as: UTF8.self)
    }

    private static let first = ["pool/a.deb": "first a", "pool/b.deb": "b"]
    private static let second = ["pool/a.deb": "first a", "pool/c.deb": "c"]
    private static let releasePath = "dists/s/InRelease"
    private static let packagesPath = "dists/s/main/binary-all/Packages"

    @Test(
        "has the indexes and their files, and requests only InRelease in the second run",
        arguments: [true, false])
    func twice(byHash: Bool) async throws {
        publish(index(Self.first), Self.first, byHash: byHash)
        let first = try await site.mirror(job(), source())
        #expect(first.report.isComplete, "\(first.report.failures)")
        #expect(Set(first.asked).count == first.asked.count && first.asked.count == 4)
        // The index that the listing has stored is fetched, too.
        #expect(first.report.completed == 3 && first.report.skipped == 0)
        for (path, content) in Self.first { #expect(try root(path) == content) }
        #expect(try root(Self.packagesPath) == index(Self.first))
        #expect(try root(Self.releasePath).contains("Version: 1"))
        let again = try await site.mirror(job(), source())
        #expect(again.report.isComplete && again.asked == [Self.releasePath])
        #expect(again.report.completed == 0 && again.report.skipped == 3)
    }

    @Test("replaces the indexes once all new files exist, and then removes old files")
    func replaces() async throws {
        publish(index(Self.first), Self.first)
        #expect(try await site.mirror(job(), source()).report.isComplete)
        publish(index(Self.second), ["pool/a.deb": "first a"], version: 2)
        let failed = try await site.mirror(job { $0.deletion = .mirrored }, source()).report
        #expect(failed.failed == 1 && !failed.isComplete)
        #expect(try root(Self.packagesPath) == index(Self.first))
        #expect(try root(Self.releasePath).contains("Version: 1"))
        #expect(try root("pool/b.deb") == "b")
        publish(index(Self.second), Self.second, version: 2)
        let second = try await site.mirror(job { $0.deletion = .mirrored }, source()).report
        // The index named by its digest, and a package.
        #expect(second.isComplete && second.deleted == 2)
        #expect(try root(Self.packagesPath) == index(Self.second))
        #expect(try root(Self.releasePath).contains("Version: 2"))
        #expect(!directory.exists("root/pool/b.deb"))
        let all = try await site.mirror(job { $0.deletion = .everything }, source()).report
        #expect(all.isComplete && all.deleted == 0, "the published names are no foreign files")
        #expect(directory.exists("root/" + Self.packagesPath))
    }

    private func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory.file(path), withIntermediateDirectories: true)
    }

    @Test("does not remove the packages of another suite in its directory")
    func otherSuite() async throws {
        publish(index(Self.first), Self.first)
        #expect(try await site.mirror(job(), source()).report.isComplete)
        try makeDirectory("root/dists/deep/other")
        try directory.write("Suite: other\n", to: "root/dists/deep/other/InRelease")
        publish(index(Self.second), Self.second, version: 2)
        let refused = try await site.mirror(job { $0.deletion = .mirrored }, source()).report
        #expect(!refused.isComplete && refused.deleted == 0)
        #expect(refused.failures.contains { $0.message.contains("dists/deep/other") }, "\(refused.failures)")
        #expect(try root("pool/b.deb") == "b")
        #expect(try await site.mirror(job(), source()).report.isComplete)
    }

    @Test("removes the indexes of deselected components, together with the packages")
    func narrowed() async throws {
        publish(index(Self.first), Self.first)
        let old = "dists/s/main/binary-arm64/Packages"
        site.change { state in
            state.files[Self.releasePath]? +=
                " \(String(repeating: "0a", count: 32)) 7 main/binary-arm64/Packages\n"
        }
        try makeDirectory("root/dists/s/main/binary-arm64")
        try directory.write("old one", to: "root/" + old)
        let narrow = try source { $0.architectures = ["all"] }
        #expect(try await site.mirror(job(), narrow).report.isComplete)
        #expect(directory.exists("root/" + old))
        #expect(try await site.mirror(job { $0.deletion = .mirrored }, narrow).report.isComplete)
        #expect(!directory.exists("root/" + old))
    }

    @Test("has the indexes of a server that lacks them by digest")
    func copied() async throws {
        publish(index(Self.first), Self.first)
        site.change { state in
            for path in state.files.keys where path.contains("by-hash") {
                state.files[Self.packagesPath] = state.files.removeValue(forKey: path)
            }
        }
        let report = try await site.mirror(job(), source()).report
        #expect(report.isComplete, "\(report.failures)")
        #expect(try root(Self.packagesPath) == index(Self.first))
    }

    @Test("is complete without a form of an index that the suite lists but the server lacks")
    func missingForm() async throws {
        publish(index(Self.first), Self.first, byHash: false)
        let packed = " \(String(repeating: "0a", count: 32)) 7 main/binary-all/Packages.xz\n"
        site.change { $0.files[Self.releasePath]? += packed }
        try makeDirectory("root/dists/s/main/binary-all")
        try directory.write("old", to: "root/" + Self.packagesPath + ".xz")
        let report = try await site.mirror(job(), source()).report
        #expect(report.isComplete, "\(report.failures)")
        #expect(!directory.exists("root/" + Self.packagesPath + ".xz"))
        #expect(try root(Self.packagesPath) == index(Self.first))
        #expect(try root("pool/b.deb") == "b")
        #expect(try root(Self.releasePath).hasSuffix(packed))
    }

    @Test(
        "gives no package the name of an index, even of another suite",
        arguments: [
            "dists/other/InRelease", "dists/s/main/binary-amd64/Packages.xz", "sub/Release.gpg", "SHA256SUMS",
        ])
    func names(path: String) async throws {
        publish(index([path: "evil"]), [path: "evil"])
        let report = try await site.mirror(job(), source()).report
        #expect(!report.isComplete && !directory.exists("root/" + path), "\(report.failures)")
    }

    @Test("is the newer one if the suite changes during the run")
    func changes() async throws {
        publish(index(Self.first), Self.first)
        let old = try #require(site.state.withLock { $0.files[Self.releasePath] })
        publish(index(Self.second), Self.second, version: 2)
        let files = site.state.withLock { $0.files }
        // From the second response on, the server has the newer suite.
        let isFirst = OnceFlag()
        let engine = MemoryEngine { request, _ in
            let path = String(request.url.dropFirst("http://host/".count))
            let file = path == Self.releasePath && isFirst.raise() ? old : files[path]
            guard let file else { return .init(head: ResponseHead(status: 404)) }
            return .honest(Array(file.utf8), request.range)
        }
        var configuration = Configuration()
        configuration.retry.retries = 0
        let downloader = Downloader(configuration: configuration, engine: engine)
        let report = await downloader.mirror(job(), of: downloader.entries(of: try source())).report()
        #expect(report.isComplete, "\(report.failures)")
        #expect(try root(Self.releasePath).contains("Version: 2"))
        #expect(directory.exists("root/pool/c.deb") && !directory.exists("root/pool/b.deb"))
    }

    @Test("fails, and publishes nothing, if an index or a package differs from its digest")
    func wrongContent() async throws {
        publish(index(Self.first), Self.first)
        let key = try #require(site.state.withLock { $0.files.keys.first { $0.contains("by-hash") } })
        site.change { $0.files[key]? += "\n" }
        let index = try await site.mirror(job(), source()).report
        #expect(index.ending == .sourceFailed && index.failures.first?.code == .checksumMismatch)
        publish(self.index(Self.first), ["pool/a.deb": "other a", "pool/b.deb": "b"])
        let package = try await site.mirror(job(), source()).report
        #expect(package.failed == 1 && package.completed >= 1)
        #expect(!directory.exists("root/" + Self.releasePath) && !directory.exists("root/pool/a.deb"))
    }

    @Test("stays within its directory, whatever an index contains")
    func hostile() async throws {
        let digest = Digest.sha256("x".utf8)
        let text =
            index(Self.first)
            + "Filename: ../x.deb\nSize: 1\nSHA256: \(digest)\n\nFilename: dists/s/InRelease\nSize: 1\nSHA256: \(digest)\n"
        publish(text, Self.first.merging(["x.deb": "x", "../x.deb": "x"]) { $1 })
        let report = try await site.mirror(job(), source()).report
        #expect(report.failed == 2 && report.completed + report.skipped == 3)
        #expect(!directory.exists("x.deb") && !directory.exists("root/" + Self.releasePath))
        let before = "Suite: s\nSHA256:\n \(digest) 1 ../../main/binary-all/Packages\n"
        site.change { $0.files[Self.releasePath] = before }
        let outside = try await site.mirror(job(), source()).report
        #expect(outside.ending == .sourceFailed && outside.failures.first?.code == .badPath)
    }

    @Test("has a Release with a detached signature instead of InRelease")
    func release() async throws {
        publish(index(Self.first), Self.first)
        #expect(try await site.mirror(job(), source()).report.isComplete)
        publish(index(Self.second), Self.second, version: 2)
        site.change { state in
            state.files["dists/s/Release"] = state.files.removeValue(forKey: Self.releasePath)
            state.files["dists/s/Release.gpg"] = "signature"
        }
        #expect(try await site.mirror(job(), source()).report.isComplete)
        #expect(try root("dists/s/Release").contains("Version: 2"))
        #expect(try root("dists/s/Release.gpg") == "signature")
        #expect(!directory.exists("root/" + Self.releasePath))
    }

    @Test("requires a suite, without filters, a depth and shards")
    func refused() async throws {
        publish(index(Self.first), Self.first)
        let none = try await site.mirror(job(), source { $0.suites = [] }).report
        #expect(none.failures.first?.message.contains("specify a suite") == true)
        let missing = try await site.mirror(job(), source { $0.suites = ["none"] }).report
        #expect(missing.failures.first?.message.contains("that suite does not exist") == true)
        let downloader = site.downloader()
        let filtered = try downloader.entries(
            of: source(), filter: PathFilter(include: [Glob("*.deb")]))
        let part = await downloader.mirror(job(), of: filtered).report()
        #expect(part.failures.first?.code == .invalidSetting)
        let shard = try await site.mirror(job { $0.shard = try? Shard(1, of: 1) }, source()).report
        #expect(shard.failures.first?.code == .invalidSetting)
        #expect(!directory.exists("root/" + Self.releasePath))
    }

    @Test("uses no name that the path check refuses")
    func checked() async throws {
        publish(index(Self.first), Self.first)
        func report(refusing name: String) async throws -> MirrorReport {
            let check = PathCheck { path in
                try require(!path.string.hasSuffix(name), "'\(path)' is out of bounds.")
            }
            return try await site.mirror(job { $0.pathCheck = check }, source()).report
        }
        let release = try await report(refusing: "InRelease")
        #expect(release.failed == 1 && !directory.exists("root/" + Self.packagesPath))
        let hash = Digest.sha256(index(Self.first).utf8)
        try directory.remove("root")
        #expect(try await report(refusing: hash).failed == 1)
        #expect(!directory.exists("root/dists"))
        #expect(try await report(refusing: "nothing").isComplete)
    }

    @Test("writes nothing in a dry run")
    func dryRun() async throws {
        publish(index(Self.first), Self.first)
        let report = try await site.mirror(job { $0.isDryRun = true }, source()).report
        #expect(report.ending == .finished && report.failed == 0)
        #expect(!directory.exists("root"))
    }
}

import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The proof of a mirror's later runs")
struct StoredProofTests {
    private let directory: TestSupport.TemporaryDirectory
    private let site = MirroredSite()

    init() throws {
        directory = try TestSupport.TemporaryDirectory()
        site.change { state in
            state.pages = ["": MirroredSite.page("a.txt", "b.txt")]
            state.files = ["a.txt": "a", "b.txt": "b"]
        }
    }

    private func run(writesProof: Bool = true) async throws -> MirrorReport {
        let job = MirrorJob.remembering(below: directory) { $0.proof = writesProof ? $0.root : nil }
        return try await site.mirror(job).report
    }

    private func list(_ names: String...) {
        site.change { $0.pages = ["": MirroredSite.page(names)] }
    }

    private var names: [String] {
        get throws {
            String(decoding: try directory.read("root/SHA256SUMS"), as: UTF8.self)
                .split(separator: "\n").map { String($0.suffix(5)) }
        }
    }

    private var identities: [FileIdentity?] {
        ["SHA256SUMS", "segdl-mirror.jsonl"].map { .ofFile(at: directory.filePath("root/" + $0)) }
    }

    @Test("is left as it is while nothing changes")
    func unchanged() async throws {
        #expect(try await run().isComplete)
        let before = identities
        for _ in 0..<2 {
            #expect(try await run().skipped == 2)
            #expect(identities == before)
        }
        site.change { $0.files["a.txt"] = "new" }
        #expect(try await run().completed == 1)
        #expect(zip(identities, before).allSatisfy { $0 != $1 })
        #expect(try names == ["a.txt", "b.txt"])
    }

    @Test("names other files, though as many as before")
    func otherFiles() async throws {
        _ = try await run()
        list("a.txt")
        _ = try await run()
        #expect(try names == ["a.txt"])
        list("b.txt")
        #expect(try await run().skipped == 1)
        #expect(try names == ["b.txt"])
    }

    @Test("does not name a file that has failed in place of one that is back")
    func failed() async throws {
        _ = try await run()
        list("a.txt")
        _ = try await run()
        list("a.txt", "b.txt")
        site.change { $0.files["a.txt"] = nil }
        let report = try await run()
        #expect(report.failed == 1 && report.skipped == 1)
        #expect(try names == ["b.txt"])
    }

    @Test("tells of what changed in a run that wrote none")
    func skippedRun() async throws {
        _ = try await run()
        let before = try directory.read("root/SHA256SUMS")
        site.change { $0.files["a.txt"] = "new" }
        _ = try await run(writesProof: false)
        #expect(try directory.read("root/SHA256SUMS") == before)
        #expect(try await run().skipped == 2)
        #expect(try directory.read("root/SHA256SUMS") != before)
    }

    @Test("is there again after it was removed")
    func removed() async throws {
        _ = try await run()
        let before = try directory.read("root/SHA256SUMS")
        try directory.remove("root/SHA256SUMS")
        _ = try await run()
        #expect(try directory.read("root/SHA256SUMS") == before)
    }
}

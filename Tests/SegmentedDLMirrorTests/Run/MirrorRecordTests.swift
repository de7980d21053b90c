import Foundation
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The record of a mirrored file")
struct MirrorRecordTests {
    @Test("contains the boot if the file was not synced, because a power cut may lose its bytes")
    func boot() async throws {
        let directory = try TemporaryDirectory()
        let job = MirrorJob.remembering(below: directory) { _ in }
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("small.txt", "large.txt")]
            state.files["small.txt"] = "small"
            // Too long to be received with its head.
            state.files["large.txt"] = String(repeating: "large", count: 40_000)
        }
        // Its downloader uses `Durability.process`.
        try #require(try await site.mirror(job).report.completed == 2)
        let store = try MirrorStore(path: try #require(job.state))
        defer { store.close() }
        let run = MirrorStore.Run(id: 1, pass: 1, isResumed: false, isListed: true)
        let records = try store.complete(in: run, after: "", atMost: 10).map(\.record)
        #expect(records.count == 2)
        #expect(records.map(\.boot) == [BootIdentity.current, BootIdentity.current])
    }

    @Test("of a recorded copy is durable once the mirror has synced the copy")
    func copied() async throws {
        let directory = try TemporaryDirectory()
        let job = MirrorJob.remembering(below: directory) { _ in }
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page("a.txt")]
            state.files["a.txt"] = "content"
            state.durability = .power
        }
        try #require(try await site.mirror(job).report.completed == 1)
        let path = directory.file("root/a.txt")
        // Foundation's copies lose the fraction of the date.
        let copied = try await ChildProcess("/bin/cp", ["-p", path, path + ".copy"]).result()
        try #require(copied.status == 0)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
        let second = try await site.mirror(job)
        #expect(second.report.isComplete && second.report.completed == 0)
        let store = try MirrorStore(path: try #require(job.state))
        defer { store.close() }
        let run = MirrorStore.Run(id: 2, pass: 1, isResumed: false, isListed: true)
        let record = try #require(try store.complete(in: run, after: "", atMost: 10).first?.record)
        #expect(record.identity.isAt(directory.filePath("root/a.txt")) && record.boot == nil)
    }
}

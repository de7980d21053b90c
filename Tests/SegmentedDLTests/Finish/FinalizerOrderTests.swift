import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The last steps before the final name")
struct FinalizerOrderTests {
    private let directory: ScratchDirectory
    private let paths: DownloadPaths
    private let part: PartFile
    private let store: ManifestStore

    init() throws {
        directory = try ScratchDirectory()
        paths = DownloadPaths(directory.file("x.iso"))
        part = try PartFile(paths)
        store = ManifestStore(paths)
        try Array("content".utf8).withUnsafeBytes { try part.write($0, at: 0) }
        try store.save(.fixture(total: 7, written: [[0, 2]], durable: []), durably: false)
    }

    private func prepare(_ durability: Durability) throws -> Finalizer.ReadyFile {
        try Finalizer.prepare(part, at: paths, length: 7, manifest: store, durability: durability)
    }

    @Test("the manifest is complete, and durable only after a sync")
    func claims() throws {
        let cases: [(Durability, [[Int64]])] = [(.process, []), (.power, [[0, 7]])]
        for (durability, durable) in cases {
            _ = try prepare(durability)
            guard case .manifest(let manifest) = try store.load() else {
                Issue.record("no manifest")
                return
            }
            #expect(manifest.written == [[0, 7]])
            #expect(manifest.durable == durable)
        }
    }

    @Test(
        "a file that replaces the part file then is not published",
        arguments: ExistingFilePolicy.allCases)
    func intruder(policy: ExistingFilePolicy) throws {
        let ready = try prepare(.process)
        try directory.write(Array("intruder".utf8), to: "other")
        try SystemCalls.rename(directory.file("other"), to: part.path)
        let error = #expect(throws: DownloadError.self) {
            try Finalizer.publish(ready, of: part, manifest: store, policy: policy, durability: .process)
        }
        #expect(error?.code == .badPath)
        #expect(!directory.exists("x.iso"))
        #expect(try directory.read("x.iso.part") == Array("intruder".utf8))
    }
}

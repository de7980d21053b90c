import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue
import SegmentedDLTesting
import Testing

@testable import model_downloader

@MainActor @Suite("A model waits for Wi-Fi, and ends complete or not at all")
final class FaultTests {
    static let commit = String(repeating: "a", count: 40)
    static let digest = "4665fb6ada77ebc5c9a8d3e66c5318688b34ff686d544d92f220b1d6fc91e8a0"
    static let tree = #"[{"type":"file","path":"a.gguf","lfs":{"oid":"\#(digest)","size":2000000}}]"#
    static let file = "https://huggingface.co/org/model/resolve/\(commit)/a.gguf"
    static let api = "https://huggingface.co/api/models/org/model"
    let server = FaultServer([
        "\(api)/revision/main": .init(Array(#"{"sha":"\#(commit)"}"#.utf8)),
        "\(api)/tree/\(commit)?recursive=true": .init(Array(tree.utf8)),
        file: .init([UInt8](repeating: 7, count: 2_000_000)),
    ])
    var isMetered = true
    func gate() -> Gate { isMetered ? .waitForSignal("no Wi-Fi") : .start }

    @Test(arguments: [(Fault.lost(after: 900_000), true), (.status(503), true), (.corrupted, false)])
    func fault(_ fault: Fault, isComplete: Bool) async throws {
        server.add(fault, to: Self.file)
        let directory = FilePath(NSTemporaryDirectory()).appending(UUID().uuidString)
        defer { try? FileManager.default.removeItem(atPath: directory.string) }
        var configuration = ManagerConfiguration.models(":memory:", try HubSettings(), gate: gate)
        configuration.downloads.retry.delay = .milliseconds(1)
        try await server.withManager(configuration) { manager in
            let added = try await manager.add(
                "hf://org/model", of: HubSettings(), to: directory, with: server.downloader())
            for await receipt in manager.progress(of: added[0].id) where receipt.hold != nil { break }
            #expect(await manager.progress.bytesTotal == 2_000_000)
            isMetered = false
            try await manager.reconsider()
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.map(\.state) == [isComplete ? .completed : .failed])
            #expect(FileManager.default.fileExists(atPath: "\(directory)/a.gguf") == isComplete)
        }
    }
}

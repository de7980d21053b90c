import Observation
import SegmentedDLObservation
import SegmentedDLQueue
import SegmentedDLTesting
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A model of a queue", .timeLimit(.minutes(10)))
struct QueueModelVerbTests {
    /// An operation on a queue with a complete, a paused and a held download. It returns when the queue no
    /// longer changes.
    private typealias Verb = @MainActor (DownloadManager, [Receipt.ID]) async throws -> Void

    private static let verbs: [(name: String, run: Verb)] = [
        (
            "add",
            { manager, ids in
                let path = try #require(await manager.receipt(ids[0])?.path)
                let request = try DownloadRequest(
                    "http://host/new", to: .file(path.removingLastComponent().appending("new")))
                try await manager.result(of: manager.add(request).id)
            }
        ),
        (
            "start",
            { manager, ids in
                try await manager.start(.id(ids[1]))
                try await manager.result(of: ids[1])
            }
        ),
        ("pause", { manager, ids in try await manager.pause(.id(ids[2])) }),
        (
            "resume",
            { manager, ids in
                try await manager.resume(.all)
                try await manager.result(of: ids[1])
            }
        ),
        ("cancel", { manager, ids in try await manager.cancel(.ids(Array(ids[1...]))) }),
        ("remove", { manager, ids in try await manager.remove(.id(ids[0])) }),
        (
            "restart",
            { manager, ids in
                try await manager.restart(.ids(Array(ids[..<2])))
                for id in ids[..<2] { try await manager.result(of: id) }
            }
        ),
        (
            "setSource",
            { manager, ids in try await manager.setSource(Source("http://host/other"), of: ids[1]) }
        ),
        ("change", { manager, ids in try await manager.change(ids[1]) { $0.key = "key" } }),
        ("moveToFront", { manager, ids in try await manager.moveToFront(.id(ids[2])) }),
        ("moveToBack", { manager, ids in try await manager.moveToBack(.id(ids[0])) }),
        ("move", { manager, ids in try await manager.move(.id(ids[2]), before: ids[1]) }),
        ("setPriority", { manager, _ in try await manager.setPriority(7, of: .all) }),
        (
            "relocate",
            { manager, ids in
                let old = try #require(await manager.receipt(ids[0])?.path).removingLastComponent()
                try await manager.relocate(from: old, to: "/moved")
            }
        ),
        (
            "reconsider",
            { manager, _ in
                let events = manager.events()
                try await manager.reconsider()
                for await case .held in events { break }
            }
        ),
        (
            "setLimits",
            { manager, _ in
                var limits = await manager.limits
                limits.activeFiles = 1
                try await manager.setLimits(limits)
            }
        ),
    ]

    @Test("shows the result of every operation")
    func verbs() async throws {
        for (name, run) in Self.verbs {
            let directory = try TemporaryDirectory()
            let files = DownloadRequest.Destination.directory(directory.filePath("files"))
            let server = FaultServer(
                ["file", "paused", "held", "new", "other"].reduce(into: [:]) {
                    $0["http://host/\($1)"] = FaultServer.File([1, 2, 3])
                })
            var configuration = ManagerConfiguration.inMemory
            configuration.mayStart = { receipt, _ in
                receipt.source.url.hasSuffix("held") ? .waitForSignal("by the test") : .start
            }
            try await server.withManager(configuration) { manager in
                let events = manager.events()
                var ids = [try await manager.add(DownloadRequest("http://host/file", to: files)).id]
                var paused = QueueEntry(try DownloadRequest("http://host/paused", to: files))
                paused.startsPaused = true
                ids.append(try await manager.add(paused).id)
                ids.append(try await manager.add(DownloadRequest("http://host/held", to: files)).id)
                try await manager.result(of: ids[0])
                for await case .held in events { break }
                let model = QueueModel()
                let showing = Task { await model.follow(manager, every: .milliseconds(10)) }
                while model.receipts.isEmpty { await Self.change(of: model) }
                try await run(manager, ids)
                try await manager.shutdown()
                await showing.value
                let receipts = await manager.receipts
                #expect(model.receipts == receipts, "\(name)")
            }
        }
    }

    /// Returns when the receipts of a model change.
    private static func change(of model: QueueModel) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            withObservationTracking {
                _ = model.receipts
            } onChange: {
                continuation.resume()
            }
        }
    }
}

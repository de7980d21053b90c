import SegmentedDL
import SegmentedDLQueue

/// Downloads by index and by key, events for a delegate, a decision about files that exist: as with MZDownloadManager.
func byKey(_ directory: FilePath, _ urls: [String]) async throws {
    var configuration = ManagerConfiguration(store: directory.appending("queue.sqlite"))
    configuration.resolveExisting = { existing, _ in
        print("exists: \(existing.path.lastComponent?.string ?? "") of \(existing.key ?? "")")
        return .rename
    }
    try await DownloadManager.withManager(configuration) { manager in
        let events = manager.events()
        let delegate = Task {
            for await event in events {
                switch event {
                case .added(let receipt): print("added: \(receipt.key ?? "")")
                case .changed(let receipt, _) where receipt.state.isFinal:
                    print("\(receipt.state): \(receipt.key ?? "")")
                case .changed: break
                case .held(let receipt): print("waits: \(receipt.key ?? "")")
                case .updated, .reordered: break
                case .removed(let receipt): print("removed: \(receipt.key ?? "")")
                @unknown default: break
                }
            }
        }
        let running = Task {
            for await receipts in manager.activeReceipts(every: .milliseconds(500)) {
                for receipt in receipts {
                    print("\(receipt.key ?? ""): \(Int((receipt.fraction ?? 0) * 100)) %")
                }
            }
        }
        for (index, url) in urls.enumerated() {
            try await manager.add(
                QueueEntry(DownloadRequest(url, to: .directory(directory)), key: "task-\(index)"))
        }
        try await manager.pause(.position(1))
        print("second: \(try await manager.receipt(.position(1))?.key ?? "")")
        try await manager.resume(.key("task-1"))
        try await manager.waitUntilIdle()
        try await manager.remove(.key("task-0"))
        running.cancel()
        try await manager.shutdown()
        await delegate.value
    }
}

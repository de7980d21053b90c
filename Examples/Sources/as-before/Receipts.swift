import SegmentedDL
import SegmentedDLQueue

/// Receipts, closures and verbs by URL, at most four at once, the last one first until all resume, names by MD5, a
/// queue that goes on after a kill: as with MCDownloadManager.
func receipts(_ directory: FilePath, _ urls: [String]) async throws {
    var configuration = ManagerConfiguration(store: directory.appending("queue.sqlite"))
    configuration.downloads.limits.activeFiles = .fixed(4)
    configuration.downloads.limits.queueOrder = .lifo
    configuration.onRestore = .stayPaused
    try await DownloadManager.withManager(configuration) { manager in
        var ends: [Task<Void, Never>] = []
        for url in urls {
            var request = try DownloadRequest(url, to: .directory(directory))
            request.naming = .urlMD5
            let receipt = try await manager.add(request)
            ends.append(
                manager.follow(receipt.id) { receipt in
                    print("\(url): \(Int((receipt.fraction ?? 0) * 100)) %")
                } onCompletion: { result in
                    switch result {
                    case .success(let receipt): print("\(url): \(receipt.fileURL?.lastPathComponent ?? "")")
                    case .failure(let error): print("\(url): \(error.localizedDescription)")
                    }
                })
        }
        try await manager.pause(.url(urls[0]))
        print("\(urls[0]): \(await manager.receipt(for: urls[0])?.state.rawValue ?? "none")")
        var limits = await manager.limits
        limits.queueOrder = .fifo
        try await manager.setLimits(limits)
        try await manager.resume(.all)
        for end in ends { await end.value }
    }
}

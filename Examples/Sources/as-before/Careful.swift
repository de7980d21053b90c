import SegmentedDL
import SegmentedDLQueue

/// Odd URLs as people paste them, unfinished files in a directory of their own, digests, a hook after each file.
func careful(_ directory: FilePath, _ urls: [String]) async throws {
    var configuration = ManagerConfiguration(store: directory.appending("queue.sqlite"))
    configuration.downloads.incompleteDirectory = directory.appending("unfinished")
    configuration.afterCompletion = { receipt, _ in
        print("complete: \(receipt.path?.lastComponent?.string ?? "")")
    }
    try await DownloadManager.withManager(configuration) { manager in
        for text in urls {
            // URL, or URL#md5=HEX
            let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
            var request = try DownloadRequest(parts[0], to: .directory(directory.appending("files")))
            request.makesDirectory = true
            request.takesOver = true
            request.checksums = try parts.dropFirst().map { try Checksum(parsing: $0) }
            try await manager.add(request)
        }
        try await manager.waitUntilIdle()
        for receipt in await manager.receipts { print("\(receipt.source.url): \(receipt.state)") }
    }
}

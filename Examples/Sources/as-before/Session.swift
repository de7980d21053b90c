import Foundation
import SegmentedDL
import SegmentedDLProgress
import SegmentedDLQueue

/// The destination from the response, Foundation's progress, a completion with the file's URL: as with
/// AFURLSessionManager.
func session(_ directory: FilePath, _ urls: [String]) async throws {
    var configuration = ManagerConfiguration.inMemory
    configuration.chooseDestination = { _, response, _ in
        print(
            "\(response.status) \(response.value(of: "Content-Type") ?? "") from \(response.finalSource.url)")
        return directory.appending(response.suggestedName ?? "download")
    }
    try await DownloadManager.withManager(configuration) { manager in
        let parent = Progress(totalUnitCount: Int64(urls.count))
        for url in urls {
            let receipt = try await manager.add(DownloadRequest(url, to: .directory(directory)))
            parent.addChild(manager.foundationProgress(of: receipt.id), withPendingUnitCount: 1)
            print("file: \(try await manager.result(of: receipt.id).fileURL?.path ?? "")")
        }
    }
}

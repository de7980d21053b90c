import Foundation
import SegmentedDL
import SegmentedDLProgress
import SegmentedDLQueue

/// The destination from the response, Foundation's progress, notifications, a completion with the response and the
/// file's URL: as with AFURLSessionManager.
func session(_ directory: FilePath, _ urls: [String]) async throws {
    let ended = Notification.Name("DownloadEnded")
    let observer = NotificationCenter.default.addObserver(forName: ended, object: nil, queue: nil) { note in
        print("\(note.userInfo?["state"] ?? "") is posted of \(note.userInfo?["url"] ?? "")")
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    var configuration = ManagerConfiguration.inMemory
    configuration.onEvent = { event, _ in
        guard case .changed(let receipt, _) = event, receipt.state.isFinal else { return }
        NotificationCenter.default.post(
            name: ended, object: nil, userInfo: ["state": receipt.state, "url": receipt.source.url])
    }
    configuration.chooseDestination = { _, response, _ in
        directory.appending(response.contentType == "text/plain" ? "texts" : "others")
            .appending(response.suggestedName ?? "download")
    }
    try await DownloadManager.withManager(configuration) { manager in
        let parent = Progress(totalUnitCount: Int64(urls.count))
        for url in urls {
            let id = try await manager.add(DownloadRequest(url, to: .directory(directory))).id
            parent.addChild(manager.foundationProgress(of: id), withPendingUnitCount: 1)
            do {
                let receipt = try await manager.result(of: id)
                print("\(receipt.response?.status ?? 0) from \(url): \(receipt.fileURL?.path ?? "")")
            } catch let error as DownloadError {
                print("\(error.status ?? 0) from \(url): \(error.response?.contentType ?? "")")
            }
        }
    }
}

import SegmentedDL
import SegmentedDLQueue

try await DownloadManager.withManager(ManagerConfiguration(store: "queue.sqlite")) { manager in
    for url in CommandLine.arguments.dropFirst() {
        try await manager.add(DownloadRequest(url, to: .directory("files")))
    }
    try await manager.waitUntilIdle()
    for receipt in await manager.receipts {
        print(receipt.state, receipt.path ?? "", receipt.error?.message ?? "")
    }
}

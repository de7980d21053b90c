import Foundation
import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue

guard CommandLine.arguments.count == 3 else {
    print("usage: model-downloader hf://OWNER/NAME DIRECTORY")
    exit(64)
}
let (model, directory) = (CommandLine.arguments[1], FilePath(CommandLine.arguments[2]))
let hub = try HubSettings(environment: ProcessInfo.processInfo.environment)
let configuration = ManagerConfiguration.models(directory.appending("queue.sqlite"), hub) { .start }
try await DownloadManager.withManager(configuration) { manager in
    _ = try await manager.add(model, of: hub, to: directory, with: Downloader.shared)
    for await progress in manager.progress() {
        print("\(progress.bytesCompleted) of \(progress.bytesTotal) bytes")
        if progress.counts.keys.allSatisfy(\.isFinal) { break }
    }
    for receipt in await manager.receipts {
        print(receipt.path?.lastComponent ?? "", receipt.state, receipt.error?.localizedDescription ?? "")
    }
}

import Foundation
import SegmentedDL
import SegmentedDLQueue

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: queue-twenty STORE DIRECTORY [URL…]")
    exit(64)
}
let urls = arguments.dropFirst(3)
let files = DownloadRequest.Destination.directory(FilePath(arguments[2]))

var configuration = ManagerConfiguration(store: FilePath(arguments[1]))
configuration.onComplete = { action, receipt, _ in
    guard action == "unpack", let archive = receipt.path else { return }
    try await unpack(archive)
}

try await DownloadManager.withManager(configuration) { manager in
    // A download that is already in the queue stays as it is.
    let entries = try urls.map { url in
        let isArchive = URL(string: url)?.path.hasSuffix(".tar.gz") ?? false
        return QueueEntry(try DownloadRequest(url, to: files), onComplete: isArchive ? "unpack" : nil)
    }
    for (url, result) in zip(urls, try await manager.add(entries)) {
        if case .failure(let error) = result { print("\(url) was not added: \(error)") }
    }

    let keyboard = Task {
        for await line in typedLines() {
            switch line {
            case "p": try await manager.pause(.all)
            case "r": try await manager.resume(.all)
            default: print("p and Enter pauses all, r and Enter resumes all.")
            }
        }
    }
    defer { keyboard.cancel() }

    for await progress in manager.progress(every: .seconds(1)) {
        show(await manager.receipts, progress)
        // Paused downloads keep the program running until an r, or until its next run.
        if progress.counts.keys.allSatisfy(\.isFinal) { break }
    }
}

import Foundation
import SegmentedDL
import SegmentedDLQueue

let run = Task {
    try await DownloadManager.withManager(ManagerConfiguration(store: "queue.sqlite")) { manager in
        for url in CommandLine.arguments.dropFirst() {
            try await manager.add(DownloadRequest(url, to: .directory("files")))
        }
        try await manager.waitUntilIdle()
    }
}

// Ignore the signal itself, because its default action ends the process before the source sees it.
signal(SIGTERM, SIG_IGN)
let terminated = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
// @Sendable, because it runs on another thread, and would belong to the main actor otherwise.
terminated.setEventHandler { @Sendable in run.cancel() }
terminated.resume()

do {
    try await run.value
    print("All is done.")
} catch is CancellationError {
    print("Stopped; the next run continues from here.")
}

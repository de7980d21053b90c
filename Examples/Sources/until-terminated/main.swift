import SegmentedDLMirror
import SegmentedDLQueue
import Foundation
import SegmentedDL

let run = Task {
    try await DownloadManager.withManager(ManagerConfiguration(store: "queue.sqlite")) { manager in
        for url in CommandLine.arguments.dropFirst() {
            try await manager.add(DownloadRequest(url, to: .directory("files")))
        }
        try await manager.waitUntilIdle()
    }
}

// The default would end the process before the source is heard.
signal(SIGTERM, SIG_IGN)
let terminated = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
// Not the main actor's, as it would be here without the word: it is called on another thread.
terminated.setEventHandler { @Sendable in run.cancel() }
terminated.resume()

do {
    try await run.value
    print("All is done.")
} catch is CancellationError {
    print("Stopped; the next run goes on from here.")
}

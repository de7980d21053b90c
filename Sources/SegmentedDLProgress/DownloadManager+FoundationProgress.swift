public import Foundation
internal import SegmentedDL
public import SegmentedDLQueue

extension DownloadManager {
    /// Returns a Foundation `Progress` of a download, for a view that binds to one. Its `pause()`, `resume()`
    /// and `cancel()` act on the download. It is updated until the download is complete, failed, cancelled or
    /// removed.
    ///
    /// - Parameters:
    ///   - id: The download.
    ///   - interval: The time between two updates.
    public nonisolated func foundationProgress(
        of id: Receipt.ID, every interval: Duration = .milliseconds(500)
    ) -> Progress {
        let progress = Progress.ofFile()
        progress.pausingHandler = Progress.handler { try await self.pause(.id(id)) }
        progress.resumingHandler = Progress.handler { try await self.start(.id(id)) }
        progress.cancellationHandler = Progress.handler { try await self.cancel(.id(id)) }
        progress.follow(self.progress(of: id, every: interval)) { progress, receipt in
            progress.show(
                receipt.bytesCompleted, of: receipt.bytesTotal, speed: receipt.bytesPerSecond,
                secondsRemaining: receipt.secondsRemaining)
        }
        return progress
    }
}

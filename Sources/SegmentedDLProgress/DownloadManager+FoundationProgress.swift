public import Foundation
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
        let progress = Progress(totalUnitCount: -1)
        progress.kind = .file
        progress.setUserInfoObject(Progress.FileOperationKind.downloading, forKey: .fileOperationKindKey)
        progress.isPausable = true
        progress.isCancellable = true
        progress.pausingHandler = { Task { try? await self.pause(.id(id)) } }
        progress.resumingHandler = { Task { try? await self.start(.id(id)) } }
        progress.cancellationHandler = { Task { try? await self.cancel(.id(id)) } }
        Task { [weak progress] in
            for await receipt in self.progress(of: id, every: interval) {
                guard let progress else { return }
                progress.totalUnitCount = receipt.bytesTotal ?? -1
                progress.completedUnitCount = receipt.bytesCompleted
                progress.setUserInfoObject(Int(receipt.bytesPerSecond), forKey: .throughputKey)
                progress.setUserInfoObject(receipt.secondsRemaining, forKey: .estimatedTimeRemainingKey)
            }
        }
        return progress
    }
}

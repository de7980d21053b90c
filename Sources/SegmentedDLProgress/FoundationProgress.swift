public import Foundation
public import SegmentedDL
public import SegmentedDLQueue

extension DownloadHandle {
    /// Returns a Foundation `Progress` of the download, for a view that binds to one. Its `pause()`,
    /// `resume()` and `cancel()` act on the download. It is updated until the download has ended; a failed or
    /// cancelled download also completes its share of a parent progress.
    ///
    /// - Parameter interval: The time between two updates; less than 10 ms counts as 10 ms.
    public func foundationProgress(every interval: Duration = .milliseconds(500)) -> Progress {
        let progress = Progress.ofFile()
        progress.pausingHandler = Progress.handler { await self.pause() }
        progress.resumingHandler = { self.resume() }
        progress.cancellationHandler = { self.cancel() }
        progress.follow(self.progress(every: interval)) { progress, now in
            progress.show(
                now.bytesCompleted, of: now.bytesTotal, speed: now.bytesPerSecond,
                secondsRemaining: now.secondsRemaining)
        }
        return progress
    }
}

extension DownloadManager {
    /// Returns a Foundation `Progress` of a download, for a view that binds to one. Its `pause()`, `resume()`
    /// and `cancel()` act on the download. It is updated until the download is complete, failed, cancelled or
    /// removed.
    ///
    /// - Parameters:
    ///   - id: The download.
    ///   - interval: The time between two updates; less than 10 ms counts as 10 ms.
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

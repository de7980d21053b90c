internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The progress of runs, and their number.
extension DownloadManager {
    // MARK: Progress

    func saveProgress() {
        for (id, handle) in handles { saveProgress(of: id, handle) }
    }

    func saveProgress(of id: Receipt.ID, _ handle: DownloadHandle) {
        let progress = handle.currentProgress
        var actions = queue.countTime(id, now: Date())
        if progress.bytesTotal != nil || progress.bytesCompleted > 0 {
            actions += queue.edit(id) { record in
                record.bytesCompleted = progress.bytesCompleted
                record.bytesTotal = progress.bytesTotal
            }
        } else if let length = handle.response?.length {
            // The run may have ended before its first byte, for example because the disk is full.
            actions += queue.edit(id) { $0.bytesTotal = $0.bytesTotal ?? length }
        }
        for case .save(let id) in actions { save([id]) }
    }

    func saveCost(of id: Receipt.ID, _ handle: DownloadHandle) {
        let progress = handle.currentProgress
        guard progress.cost != TransferCost() || progress.bottleneck != nil else { return }
        let actions = queue.edit(id) { record in
            if progress.cost != TransferCost() {
                record.results.cost = record.results.cost + progress.cost
            }
            record.results.bottleneck = progress.bottleneck ?? record.results.bottleneck
        }
        for case .save(let id) in actions { save([id]) }
    }

    // MARK: Places

    /// Sets how many downloads may run if the caps do not fix it.
    func updateWindow() {
        queue.automaticFiles = downloader.allowedFiles
        queue.replacements = downloader.replaceableFiles
    }

    /// Begins other downloads in place of those whose hosts are silent, refuse requests or ask for a pause.
    func replaceStalled() {
        let replaceable = downloader.replaceableFiles
        guard replaceable != queue.replacements else { return }
        queue.replacements = replaceable
        reschedule()
    }
}

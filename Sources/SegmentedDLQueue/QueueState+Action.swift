import SegmentedDL

extension QueueState {
    enum Action: Equatable, Sendable {
        /// Begin the download.
        case begin(ID, run: Int)
        /// End the download's run with a checkpoint; the caller then calls `ended`.
        case stop(ID)
        /// Store the record, which has changed.
        case save(ID)
        /// Erase the removed record from the store, and its files from the disk if requested.
        indirect case erase(QueueRecord, withFiles: Bool)
        case added(ID)
        /// It waits for something other than a free slot.
        case held(ID)
        case changed(ID, from: DownloadState, to: DownloadState)

        /// True if it begins a download.
        var begins: Bool {
            if case .begin = self { true } else { false }
        }
    }
}

import SegmentedDL

extension QueueState {
    enum Action: Equatable, Sendable {
        /// Begin the download.
        case begin(ID, run: Int)
        /// End the download's run with a checkpoint; the caller then calls `ended`.
        case stop(ID)
        /// Store the record, which has changed.
        case save(ID)
        /// It was removed: erase it from the store, and its files from the disk if so wanted.
        indirect case erase(QueueRecord, withFiles: Bool)
        case added(ID)
        /// It waits for something else than its turn.
        case held(ID)
        case changed(ID, from: DownloadState, to: DownloadState)

        /// True if it begins a download.
        var begins: Bool {
            if case .begin = self { true } else { false }
        }
    }
}
